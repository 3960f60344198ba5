"""What is frozen before the proof: version, parameters and models, in `benchmarks/frozen.json`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from benchmarks.results_page.record import HERE, RESULTS
from benchmarks.results_page.stamp import Stamp, stamp_today
from haustra.core.errors import HaustraError
from haustra.core.files import write_json
from haustra.core.records import read_record

FROZEN = HERE / "frozen.json"


def freeze(target: Path = FROZEN, results: Path = RESULTS) -> Stamp:
    """Write down what the working tree has; refused once a proof was recorded, whose recordings are then no test."""
    if any(results.glob("proof_*.md")):
        raise HaustraError(
            f"{results.name} has a proof already: what is changed after it needs new recordings (another range of seeds"
            " in haustra.lab.simulate.seeds), and both are reported"
        )
    stamp = stamp_today()
    write_json(target, asdict(stamp))
    return stamp


def read_frozen(source: Path = FROZEN) -> Stamp:
    if not source.is_file():
        raise HaustraError(f"nothing is frozen ({source.name} is missing): python -m benchmarks.proof --freeze")
    return read_record(source, Stamp)


def check_frozen(work: Path, source: Path = FROZEN) -> Stamp:
    """The stamp, when it is that of the working tree and of what `work` holds."""
    frozen = read_frozen(source)
    if changed := frozen.changed(stamp_today()):
        raise HaustraError(
            f"{' and '.join(changed)} changed since the freeze of {frozen.date}: go back to what was frozen."
            " A new freeze needs new recordings once these were located"
        )
    kept = work / FROZEN.name
    if kept.is_file() and read_record(kept, Stamp) != frozen:
        raise HaustraError(f"{work} was located under another freeze: give another folder")
    write_json(kept, asdict(frozen))
    return frozen
