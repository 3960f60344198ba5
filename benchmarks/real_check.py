"""What `haustra check` says about real sequences: `python -m benchmarks.real_check DATA/real-sequences`.

The rate of the sequences is not told: 15 pictures a second are assumed, and some lie far apart. They are short, so most
have two or three stretches, and their lens is the typical one: none says enough to find it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from haustra.checking.recording_check import RecordingCheck, check
from haustra.core.errors import HaustraError
from haustra.core.pictures import natural_key
from haustra.core.vocabulary import GENERIC
from haustra.lab.evaluate.text_table import text_table

NOMINAL_HZ = 15.0
HEADER = (
    "sequence", "stretches", "usable", "followed", "moves, px", "near", "far", "a-b-c, a-c", "expected", "verdict",
    "because",
)  # fmt: skip


def row(name: str, found: RecordingCheck) -> list[str]:
    f, verdict = found.figures, found.verdict
    shown = (f.kept, f.followed, f.moves_px, f.near_ratio, f.far_ratio, f.loop_share)
    values = [f"{value:.2f}" if np.isfinite(value) else "-" for value in shown]
    expected = "-" if verdict.expected_error is None else f"{verdict.expected_error:.2f}"
    because = "; ".join((*verdict.reasons, *verdict.unlike))
    return [name, str(f.stretches), *values, expected, verdict.word.value, because]


def rows(folder: Path) -> list[list[str]]:
    found = []
    for sequence in sorted(
        (path for path in folder.iterdir() if path.is_dir()), key=lambda path: natural_key(path.name)
    ):
        try:
            found.append(row(sequence.name, check(sequence, fps=NOMINAL_HZ, camera=GENERIC, quiet=True)))
        except HaustraError as error:
            found.append([sequence.name, *["-"] * (len(HEADER) - 2), str(error)])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sequences", type=Path)
    print(text_table(HEADER, rows(parser.parse_args().sequences)))


if __name__ == "__main__":
    main()
