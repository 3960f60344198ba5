"""A cohort in bad weather: workers and commands are killed, the disk is full or slow, some recordings are corrupt.

`python tests/faults/cohort_of_faults.py --count 200` says what became of it: every intact recording must have the
result that it has in fair weather, to the byte.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from haustra.core.temporary import is_temporary
from haustra.demo import DEMO

sys.path.append(str(Path(__file__).parents[1] / "pipeline"))
from clips import cut

SECONDS, SIDE = 1.4, 80
OPTIONS = ("--withdrawal-start", "0", "--from", "cecum", "--to", "rectum", "--quality", "none", "--workers", "2")
SOME_FAILED = 3
# Smaller than the table of a result, larger than a status: some files are written, and then the disk is full.
FULL_BYTES = 4_000
CORRUPT_EVERY = 9
Fault = Callable[[list[int], random.Random], None]


def write_recordings(folder: Path, count: int, rng: random.Random) -> list[str]:
    """Short pieces of the bundled recording, every ninth corrupt in one of three ways; the names of the intact ones."""
    folder.mkdir()
    intact = []
    for number in range(count):
        path = folder / f"r{number:03d}.mp4"
        cut(DEMO / "video.mp4", path, SECONDS, SIDE + 2 * (number % 16), start_s=number % 50)
        if number % CORRUPT_EVERY == 4:
            content = path.read_bytes()
            path.write_bytes(rng.choice([content[: len(content) // 3], b"", rng.randbytes(len(content))]))
        else:
            intact.append(path.stem)
    return intact


def start(videos: Path, out: Path, tmp: Path, *more: str, full: bool = False) -> subprocess.Popen[bytes]:
    """The command, in a process group of its own; `full`: no file can grow beyond a few kilobytes."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_BYTES, FULL_BYTES))

    command = [sys.executable, "-m", "haustra", "cohort", str(videos), "--out", str(out), "--quiet", *OPTIONS, *more]
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=limit if full else None,
        env={**os.environ, "TMPDIR": str(tmp)},
    )


def workers_of(group: int) -> list[int]:
    """Every process of the command but itself: fork server and workers (Linux)."""
    found = []
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if place.name.isdigit() and os.getpgid(int(place.name)) == group and int(place.name) != group:
                found.append(int(place.name))
    return found


def kill_one(processes: list[int], rng: random.Random) -> None:
    os.kill(rng.choice(processes), signal.SIGKILL)


def stop_for_a_while(processes: list[int], rng: random.Random) -> None:
    """What a process is while its disk does not answer."""
    stopped = rng.sample(processes, min(2, len(processes)))
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    time.sleep(rng.uniform(0.2, 1.5))
    for process in stopped:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)


FAULTS: tuple[Fault, ...] = (kill_one, stop_for_a_while)


def bad_weather(videos: Path, out: Path, tmp: Path, rounds: int, rng: random.Random) -> Counter[str]:
    """Starts that end by a kill, a signal or a full disk, with workers killed and stopped meanwhile."""
    done: Counter[str] = Counter()
    for number in range(rounds):
        full = number % 3 == 1
        command = start(videos, out, tmp, "--retry-failed", full=full)
        done["full disk"] += full
        for _ in range(rng.randint(2, 6)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                command.wait(rng.uniform(0.5, 4.0))
                break
            if processes := workers_of(command.pid):
                fault = rng.choice(FAULTS)
                with contextlib.suppress(ProcessLookupError):
                    fault(processes, rng)
                    done[fault.__name__.replace("_", " ")] += 1
        if command.poll() is None:
            ending = rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
            os.killpg(command.pid, ending)
            done[f"all {ending.name}"] += 1
        command.communicate(timeout=600)
    return done


def ended(videos: Path, out: Path, tmp: Path) -> list[str]:
    """A start that nothing disturbs."""
    command = start(videos, out, tmp, "--retry-failed")
    _, said = command.communicate()
    wanted = (SOME_FAILED, b"")
    return [] if (command.returncode, said) == wanted else [f"{out.name} ended with {command.returncode}: {said!r}"]


def differences(fair: Path, out: Path, intact: list[str]) -> list[str]:
    """Files of intact recordings, and tables of the cohort, that are not the same."""
    names = [
        f"recordings/{name}/{file}" for name in intact for file in ("frames.parquet", "summary.json", "report.html")
    ]
    names += [f"cohort.parquet/recording={name}/part.parquet" for name in intact]
    names += ["recordings.csv", "index.html", "cohort.json"]
    return [name for name in names if not _same(fair / name, out / name)]


def _same(a: Path, b: Path) -> bool:
    return a.is_file() and b.is_file() and a.read_bytes() == b.read_bytes()


def run(count: int, rounds: int, seed: int, folder: Path) -> tuple[Counter[str], list[str]]:
    """What was done to a cohort of so many recordings, and what went wrong with it."""
    rng, videos, tmp = random.Random(seed), folder / "videos", folder / "tmp"
    tmp.mkdir()
    intact = write_recordings(videos, count, rng)
    wrong = ended(videos, folder / "fair", tmp)
    done = bad_weather(videos, folder / "bad", tmp, rounds, rng)
    wrong += ended(videos, folder / "bad", tmp)
    wrong += [f"not as in fair weather: {name}" for name in differences(folder / "fair", folder / "bad", intact)]
    left = [path for place in (folder / "bad", tmp) for path in place.rglob("*") if is_temporary(path.name)]
    return done, wrong + [f"left: {path}" for path in left]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    done, wrong = run(given.count, given.rounds, given.seed, folder)
    print(f"{given.count} recordings:", ", ".join(f"{number} x {what}" for what, number in done.items()))
    print("\n".join(wrong) or "every intact recording has its result, and nothing was left behind")
    if not wrong:
        shutil.rmtree(folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
