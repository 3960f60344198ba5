"""Kills at random moments: whatever a run was doing, the next one ends with the same bytes and leaves nothing behind.

`python tests/faults/kills.py --count 100` (`make kills`) does each kind in turn and prints one line for each.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import av

from haustra.core.temporary import is_temporary
from haustra.demo import DEMO

INTERRUPTED = "haustra: interrupted: run the same command again to resume"
SECONDS = 13.0  # two chunks: a kill may come between them
# Most of what ends a process gives it no time; the others are told from Ctrl-C by their code alone.
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Differ from run to run by what they are: a log of times, and how long a recording took.
NOT_COMPARED = ("haustra.log", "status/")


@dataclass(frozen=True)
class Kind:
    """What is run and killed: the arguments of the command, for videos, into a folder."""

    name: str
    arguments: Callable[[Path, Path], list[str]]


def _locate(video: str, *more: str) -> Callable[[Path, Path], list[str]]:
    fixed = ["--withdrawal-start", "0", "--quiet", "--threads", "2", *more]
    return lambda videos, out: ["locate", str(videos / video), *fixed, "--out", str(out)]


def _cohort(videos: Path, out: Path) -> list[str]:
    """The recordings are fetched, as from a store."""
    fetched = [f"file://{videos / name}" for name in ("intact.mp4", "damaged.mp4")]
    return ["cohort", *fetched, "--withdrawal-start", "0", "--quality", "none", "--quiet", "--out", str(out)]


FAST = ("--quality", "none")
KINDS = (
    Kind("with every network", _locate("intact.mp4", "--no-overlay")),
    Kind("intact", _locate("intact.mp4", "--no-overlay", *FAST)),
    Kind("damaged", _locate("damaged.mp4", "--no-overlay", *FAST)),
    Kind("with overlay", _locate("intact.mp4", *FAST)),
    Kind("in a cohort", _cohort),
)


def write_videos(folder: Path, seconds: float = SECONDS) -> None:
    """The beginning of the bundled recording, and a copy with forty bits turned over."""
    folder.mkdir(parents=True)
    with av.open(str(DEMO / "video.mp4")) as given, av.open(str(folder / "intact.mp4"), "w") as made:
        source = given.streams.video[0]
        target = made.add_stream_from_template(source)
        for packet in given.demux(source):
            if packet.pts is not None and packet.pts * source.time_base < seconds:
                packet.stream = target
                made.mux(packet)
    data, moments = bytearray((folder / "intact.mp4").read_bytes()), random.Random(5)
    for _ in range(40):  # the index is at the end
        data[moments.randrange(len(data) // 20, len(data) * 9 // 10)] ^= 1 << moments.randrange(8)
    (folder / "damaged.mp4").write_bytes(data)


def killed(kind: Kind, count: int, folder: Path, seed: int = 1) -> list[str]:
    """What went wrong in so many kills of a run that is started again until it ends."""
    videos, tmp = folder / "videos", folder / "tmp"
    if not videos.exists():
        write_videos(videos)
    tmp.mkdir(exist_ok=True)
    began = time.monotonic()
    code, said = _end(_start(kind.arguments(videos, folder / "whole"), tmp))
    takes_s, expected = time.monotonic() - began, digests(folder / "whole")
    wrong = [] if (code, said) == (0, "") else [f"the whole run ended with {code}: {said}"]
    moments, out, left = random.Random(seed), folder / "killed", count
    while left:
        command = _start(kind.arguments(videos, out), tmp)
        try:
            command.wait(moments.uniform(0.1, 0.9) * takes_s)
        except subprocess.TimeoutExpired:
            left -= 1
            number = moments.choice(SIGNALS)
            _send(command, number, everything=moments.random() < 0.5)
            wrong += _ended(command, number)
        else:
            wrong += _finished(command, expected, out, tmp)
    wrong += _finished(_start(kind.arguments(videos, out), tmp), expected, out, tmp)
    return [f"{kind.name}: {line}" for line in wrong]


def _start(arguments: list[str], tmp: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "haustra", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp)},
    )


def _send(command: subprocess.Popen[str], number: signal.Signals, *, everything: bool) -> None:
    """To the command alone, or as a terminal and a power cut do to all that it started."""
    (os.killpg if everything else os.kill)(command.pid, number)


def _end(command: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = command.communicate(timeout=600)
    return command.returncode, said


def _ended(command: subprocess.Popen[str], number: signal.Signals) -> list[str]:
    """A signal that leaves time is one line and its code, unless Python had not started or the run was at its end."""
    code, said = _end(command)
    fine = {(0, ""), (-number, "")}
    if number is not signal.SIGKILL:
        fine.add((128 + number, f"{INTERRUPTED}\n"))
    return [] if (code, said) in fine else [f"{number.name} ended with {code}: {said}"]


def _finished(command: subprocess.Popen[str], expected: dict[str, str], out: Path, tmp: Path) -> list[str]:
    """Compare a run that came to its end, and take its folder away for the next."""
    code, said = _end(command)
    wrong = [] if (code, said) == (0, "") else [f"ended with {code}: {said}"]
    found = digests(out)
    different = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
    left = [str(path) for place in (out, tmp) for path in place.rglob("*") if is_temporary(path.name)]
    wrong += [f"other bytes: {', '.join(different)}"] * bool(different) + [f"left: {', '.join(left)}"] * bool(left)
    shutil.rmtree(out)
    return wrong


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file that two runs have in common."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    named = {path.relative_to(folder).as_posix(): path for path in files}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in named.items()
        if not any(part in name for part in NOT_COMPARED)
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="kills, shared by the four kinds")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for k, kind in enumerate(KINDS):
            share = given.count * (k + 1) // len(KINDS) - given.count * k // len(KINDS)
            found = killed(kind, share, Path(name) / str(k), given.seed + k)
            print(f"{kind.name}: {share} kills, {len(found)} wrong", flush=True)
            wrong += found
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
