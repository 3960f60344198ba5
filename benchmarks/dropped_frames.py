"""How much worse are places where more frames are dropped? `python -m benchmarks.dropped_frames FEW MANY --work DIR`.

FEW and MANY hold the same simulated colons, recorded with fewer and with more spoilt frames (`haustra simulate
withdrawal --spoilt`).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.coverage import Covered, covered
from benchmarks.observed import Observed, observe, work_name
from haustra.errors import HaustraError
from haustra.evaluate.tables import text_table

HEADER = ("colon", "dropped", "location error", "within 2 std", "dropped", "location error", "within 2 std", "ratio")


def figures(recording: Observed) -> tuple[float, Covered]:
    """Share of the frames that are dropped, and how the places are."""
    return 1 - float(recording.seen.kept.mean()), covered(recording)


def run(few: Path, many: Path, work: Path) -> str:
    sides = [{one.name: figures(one) for one in observe(data, work / work_name(data))} for data in (few, many)]
    if set(sides[0]) != set(sides[1]):
        raise HaustraError(f"{few} and {many} hold other colons: {', '.join(sorted(set(sides[0]) ^ set(sides[1])))}")
    values = np.array([[_values(*side[name]) for side in sides] for name in sorted(sides[0])])
    rows = [_row(name, row) for name, row in zip(sorted(sides[0]), values, strict=True)]
    return text_table(list(HEADER), [*rows, _row("mean", values.mean(axis=0))])


def _values(dropped: float, case: Covered) -> tuple[float, float, float]:
    return dropped, float(np.abs(case.error).mean()), case.within


def _row(name: str, sides: np.ndarray) -> list[str]:
    cells = [text for dropped, error, within in sides for text in (f"{dropped:.0%}", f"{error:.4f}", f"{within:.2f}")]
    return [name, *cells, f"{sides[1, 1] / sides[0, 1]:.2f}"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("few", type=Path)
    parser.add_argument("many", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    print(run(options.few, options.many, options.work))
