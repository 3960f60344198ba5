"""Is a partial recording recognised as one? `python -m benchmarks.cut_recordings DATA ... --work DIR`.

Random clips of a tenth to eight tenths of recordings with known locations are located like recordings of their own:
with no information; with their start wrongly given as that of the withdrawal; and with the true locations of both ends.
The whole recordings are included for comparison.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.observed import Observed, observe
from haustra.core.vocabulary import Extent, IndexMethod
from haustra.lab.evaluate.text_table import text_table
from haustra.path import PathParameters
from haustra.path.frame_locations import End
from haustra.path.withdrawal import follow_withdrawal

SHARES = (0.1, 0.8)
FOUND = (Extent.UNKNOWN, Extent.PART, Extent.UNSURE, Extent.LIKELY)
HEADER = ("recordings", "told", "n", *FOUND, "segments named")


def cuts(recordings: Sequence[Observed], count: int, seed: int) -> list[Observed]:
    """Random clips, from each of the recordings in turn."""
    rng, found = np.random.default_rng(seed), []
    for k in range(count):
        whole = recordings[k % len(recordings)]
        share = rng.uniform(*SHARES)
        first = int(rng.uniform(0, 1 - share) * len(whole.seen.time_s))
        piece = whole.seen.rows(slice(first, first + int(share * len(whole.seen.time_s))))
        found.append(replace(whole, name=f"{whole.name} {share:.2f}", seen=piece))
    return found


def row(name: str, pieces: Sequence[Observed], *, start_given: bool) -> list[str]:
    """Counts by reported extent."""
    extents = [
        follow_withdrawal(piece.seen, float(piece.seen.time_s[0]) if start_given else None).extent for piece in pieces
    ]
    said, named = Counter(extents), sum(extent.has_places for extent in extents)
    told = "the start is a withdrawal's" if start_given else "nothing"
    return [name, told, str(len(pieces)), *(str(said[extent]) for extent in FOUND), str(named)]


def given_ends_error(piece: Observed, index: IndexMethod = IndexMethod.OURS) -> float:
    """Mean location error with both ends given."""
    kept_s = piece.seen.time_s[piece.seen.kept]
    first, last = piece.location_at(np.array([piece.seen.time_s[0], kept_s[-1]]))
    end_std = PathParameters().location.end_std
    ends = End(float(first), end_std), End(float(last), end_std)
    found = follow_withdrawal(piece.seen, float(piece.seen.time_s[0]), ends, index=index)
    return float(np.abs(piece.error_of(found)).mean())


def run(data: Sequence[Path], work: Path, count: int, seed: int) -> str:
    recordings = [one for folder in data for one in observe(folder, work)]
    pieces = cuts(recordings, count, seed)
    rows = [
        row(name, cases, start_given=given)
        for name, cases in (("cuts", pieces), ("whole", recordings))
        for given in (False, True)
    ]
    ours, papers = ([given_ends_error(piece, index) for piece in pieces] for index in IndexMethod)
    return (
        f"{text_table(list(HEADER), rows)}\n\nCuts with the places of both ends given: mean location error"
        f" {np.mean(ours):.3f}, worst {max(ours):.3f}; the paper's index {np.mean(papers):.3f}, {max(papers):.3f}."
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    print(run(options.data, options.work, options.count, options.seed))
