"""Inputs that are not a whole colon: `python -m benchmarks.odd_inputs`. None may yield a segment.

Each is made from the bundled recording or from scratch and given to `haustra locate` without options. It must be
refused (exit code 2, one line, nothing left behind) or located without any segment.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import cv2
import numpy as np

from benchmarks.interlaced_copies import RATE_HZ, write
from haustra.core.arrays import Image
from haustra.core.files import read_json
from haustra.demo import DEMO
from haustra.lab.evaluate.text_table import text_table
from haustra.results.folder import SUMMARY
from haustra.results.table import read_frames
from haustra.video import open_recording

SIDE = 128
HEADER = ("input", "exit code", "extent", "segments named", "what is said")

Frames = Iterator[Image]


def colonoscopy(start_s: float, seconds: float) -> Frames:
    """A clip of the bundled recording, which withdraws through a whole colon in one minute."""
    frames = open_recording(DEMO / "video.mp4").frames(rate_hz=RATE_HZ, start_s=start_s, size=(SIDE, SIDE))
    return islice((frame.image for frame in frames), round(seconds * RATE_HZ))


def two_frames(_: float) -> Frames:
    return islice(colonoscopy(10, 1), 2)


def three_seconds(_: float) -> Frames:
    return colonoscopy(10, 3)


def still_scope(seconds: float) -> Frames:
    """One view with sensor noise, so that no two frames are equal."""
    rng, view = np.random.default_rng(0), next(colonoscopy(10, 1)).astype(np.float64)
    for _ in range(round(seconds * RATE_HZ)):
        yield np.clip(view + rng.normal(0, 3, view.shape), 0, 255).astype(np.uint8)


def insertion(seconds: float) -> Frames:
    """A withdrawal played backward."""
    return iter(list(colonoscopy(5, seconds))[::-1])


def landscape(seconds: float) -> Frames:
    """Passing hills."""
    across, down = np.mgrid[: 4 * SIDE, :SIDE]
    rng = np.random.default_rng(1)
    hills = SIDE * (0.5 + 0.1 * np.sin(across / 31) + 0.05 * np.sin(across / 7 + 1))
    grain = cv2.GaussianBlur(rng.normal(0, 90, across.shape), (0, 0), 2)
    colour = np.where((down > hills)[..., None], [70, 120, 50], [140, 180, 230]) + grain[..., None]
    view = np.clip(colour, 0, 255).astype(np.uint8).transpose(1, 0, 2)
    for k in range(round(seconds * RATE_HZ)):
        yield np.ascontiguousarray(np.roll(view, -2 * k, axis=1)[:, :SIDE])


def noise(seconds: float) -> Frames:
    rng = np.random.default_rng(2)
    for _ in range(round(seconds * RATE_HZ)):
        yield rng.integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)


def black(seconds: float) -> Frames:
    for _ in range(round(seconds * RATE_HZ)):
        yield np.zeros((SIDE, SIDE, 3), np.uint8)


def loop(seconds: float) -> Frames:
    """Five seconds repeated."""
    piece = list(colonoscopy(10, 5))
    for k in range(round(seconds * RATE_HZ)):
        yield piece[k % len(piece)]


def slide(seconds: float) -> Frames:
    """A title with a banner below it."""
    page = np.full((SIDE, SIDE, 3), 230, np.uint8)
    page[-SIDE // 6 :] = (20, 40, 120)
    cv2.putText(page, "Case 12", (12, SIDE // 2), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (30, 30, 30), 2)
    for _ in range(round(seconds * RATE_HZ)):
        yield page


def middle_piece(seconds: float) -> Frames:
    return colonoscopy(15, seconds)


def nothing_informative(seconds: float) -> Frames:
    """A lens that stays out of focus."""
    for image in colonoscopy(5, seconds):
        yield cv2.GaussianBlur(image, (0, 0), SIDE / 6)


INPUTS: dict[str, Callable[[float], Frames]] = {
    "two frames": two_frames,
    "three seconds": three_seconds,
    "a still scope": still_scope,
    "an insertion only": insertion,
    "a landscape": landscape,
    "noise": noise,
    "black": black,
    "five seconds in a loop": loop,
    "a slide with a banner": slide,
    "a piece from the middle": middle_piece,
    "no informative frame": nothing_informative,
}


@dataclass(frozen=True)
class Answer:
    """Exit code, lines of standard error, and remaining files of a run of `locate`."""

    code: int
    errors: list[str]
    left: list[str]
    extent: str = ""
    named: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def honest(self) -> bool:
        refused = self.code == 2 and len(self.errors) == 1 and not self.left
        return refused or (self.code == 0 and not self.named)

    def row(self, name: str) -> list[str]:
        said = self.errors[-1].removeprefix("haustra: ") if self.code else self.warnings[-1]
        return [name, str(self.code), self.extent or "refused", ", ".join(self.named) or "none", said]


def ask(name: str, seconds: float, work: Path) -> Answer:
    """Make an input and locate it."""
    video, out = write(work / "video.mp4", INPUTS[name](seconds)), work / "out"
    command = [sys.executable, "-m", "haustra", "locate", str(video), "--out", str(out), "--no-overlay"]
    done = subprocess.run([*command, "--quiet", "--threads", "1"], check=False, capture_output=True, text=True)
    left = sorted(path.name for path in work.iterdir() if path != video)
    if done.returncode:
        return Answer(done.returncode, done.stderr.replace(f"{work}/", "").splitlines(), left)
    summary, table = read_json(out / SUMMARY), read_frames(out)
    named = tuple(name for name in table["segment"].unique(maintain_order=True) if name)
    return Answer(0, [], left, summary["withdrawal"]["extent"], named, tuple(summary["warnings"]))


def run(seconds: float) -> str:
    rows, honest = [], 0
    for name in INPUTS:
        with tempfile.TemporaryDirectory() as folder:
            answer = ask(name, seconds, Path(folder))
        rows.append(answer.row(name))
        honest += answer.honest
    return f"{text_table(list(HEADER), rows)}\n\nWithout a segment named: {honest} of {len(INPUTS)}."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30.0, help="length of the inputs that are not short by design")
    print(run(parser.parse_args().seconds))
