"""A day of recording through one `haustra locate`: memory and CPU time a recorded hour, from the first to the last.

`python -m benchmarks.soak --hours 24 --work W` repeats the packets of the bundled demo, encoded again at a few small
pictures a second (a day at 15 Hz would be 1.3 million rows), and writes W/soak.csv while the command runs.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import time
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av

from benchmarks.bench_pipeline import DEMO_RATE, repeat
from haustra.demo import DEMO
from haustra.quality.samples import CHUNK_S

COLUMNS = ("wall_s", "cpu_s", "recorded_s", "rss_mb")
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--rate", type=int, default=3, choices=(1, 3, 5, 15), help="pictures a second")
    parser.add_argument("--side", type=int, default=160, help="of the picture, in pixels")
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two lines of the log")
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    video = looped_demo(given.work, given.rate, given.side, given.hours)
    code = watched(video, given.work / "out", given.work / "soak.csv", given.every)
    print(told(given.work / "soak.csv"))
    return code


def looped_demo(folder: Path, rate: int, side: int, hours: float) -> Path:
    """The demo at another rate and size, its packets repeated for so many hours."""
    clip, video = folder / "clip.mp4", folder / "day.mp4"
    options = {"crf": "23", "bf": "0"}
    with av.open(str(DEMO / "video.mp4")) as given, av.open(str(clip), "w") as made:
        stream = made.add_stream("libx264", rate=rate, options=options)
        stream.width, stream.height, stream.pix_fmt = side, side, "yuv420p"
        frames = (frame for i, frame in enumerate(given.decode(video=0)) if i % (DEMO_RATE // rate) == 0)
        for number, frame in enumerate(frames):
            small = frame.reformat(side, side)
            small.pts, small.time_base = number, Fraction(1, rate)
            made.mux(stream.encode(small))
        made.mux(stream.encode())
    repeat(clip, video, round(hours * 60))
    return video


def watched(video: Path, out: Path, log: Path, every_s: float) -> int:
    """Exit code of `haustra locate`, with a line in the log every few seconds while it runs."""
    command = [sys.executable, "-m", "haustra", "locate", str(video), "--withdrawal-start", "0", "--no-overlay"]
    start = time.monotonic()
    with log.open("w", newline="") as file, subprocess.Popen([*command, "--threads", "1", "--out", str(out)]) as child:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        while child.poll() is None:
            chunks = sum(1 for _ in (out / ".work").glob("chunk-*.npz"))
            cpu_s, rss_mb = _used(child.pid)
            writer.writerow([f"{value:.1f}" for value in (time.monotonic() - start, cpu_s, chunks * CHUNK_S, rss_mb)])
            file.flush()
            time.sleep(every_s)
        return child.returncode


def _used(process: int) -> tuple[float, float]:
    """CPU seconds so far and resident megabytes now; Linux alone."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return (int(fields[11]) + int(fields[12])) / TICKS, pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def told(log: Path) -> str:
    """Memory and CPU seconds a recorded hour, in eight parts of what was read."""
    with log.open(newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    reading = [row for i, row in enumerate(rows) if not i or row["recorded_s"] > rows[i - 1]["recorded_s"]]
    if len(reading) < 9:
        return f"only {len(reading)} lines: too few to tell anything"
    marks = [reading[i * (len(reading) - 1) // 8] for i in range(9)]
    lines = ["recorded h  CPU s a recorded h  memory MB"]
    for a, b in pairwise(marks):
        hours = (b["recorded_s"] - a["recorded_s"]) / 3600
        lines.append(f"{b['recorded_s'] / 3600:10.2f}  {(b['cpu_s'] - a['cpu_s']) / hours:18.0f}  {b['rss_mb']:9.0f}")
    peak = max(row["rss_mb"] for row in rows)
    return "\n".join([*lines, f"peak of the whole run {peak:.0f} MB"])


if __name__ == "__main__":
    sys.exit(main())
