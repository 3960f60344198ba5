"""The blind proof: `python -m benchmarks.proof --work WORK`, after `python -m benchmarks.proof --freeze`.

Renders the set `proof` in WORK (`--recordings N`: only the first N, a mixture), locates each recording once with each
lens, and writes the page docs/results/proof.md. Whatever is there is kept: a stopped run goes on. It refuses when the
version, parameters or models are not those that were frozen. `--data DIR`: your own recordings with known locations
instead (EndoSLAM, C3VD, folders of `haustra simulate`); the tables are printed, and the page stays as it is.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2

from benchmarks.proof.freeze import check_frozen, freeze
from benchmarks.proof.located import LENSES, Proof, recordings_in
from benchmarks.proof.sections import SECTIONS
from benchmarks.results_page.record import RESULTS, keep
from benchmarks.results_page.write import write_pages
from haustra.core.errors import HaustraError
from haustra.lab.simulate.recording_sets import plan_set
from haustra.lab.simulate.simulated_cohort import write_cohort

RECORDINGS = "recordings"


def the_set(work: Path, count: int | None, workers: int | None = None) -> Proof:
    """The blind recordings, made if they are missing."""
    members, folder = plan_set("proof"), work / RECORDINGS
    write_cohort(folder, members, first=count, workers=workers)
    return Proof(folder, work, tuple(member.path for member in members[:count]))


def own(data: Path, work: Path, count: int | None) -> Proof:
    """Recordings of others."""
    return Proof(data, work, tuple(recordings_in(data))[:count])


def printed(proof: Proof, name: str, *, start_known: bool = True) -> str:
    """A section; what a dataset does not hold is said, and the others are printed all the same."""
    if name in ("start", "objections") and not start_known:
        return "Only of the simulated set."
    try:
        return SECTIONS[name](proof)
    except HaustraError as error:
        return f"{error}."


def main() -> int:
    try:
        run()
    except HaustraError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def run() -> None:
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--work", type=Path, help="where recordings and what was observed are kept")
    parser.add_argument("--data", type=Path, help="your own recordings with known locations")
    parser.add_argument("--recordings", type=int, help="the first so many")
    parser.add_argument("--lenses", type=lambda text: text.split(","), default=list(LENSES), help=",".join(LENSES))
    parser.add_argument("--workers", type=int)
    parser.add_argument("--section", choices=SECTIONS, help="print one, write nothing")
    parser.add_argument("--freeze", action="store_true", help="write down version, parameters and models")
    options = parser.parse_args()
    if options.freeze:
        print(freeze().line().strip())
        return
    if options.work is None:
        parser.error("--work is needed")
    check_frozen(options.work)
    count, workers = options.recordings, options.workers
    blind = options.data is None
    proof = the_set(options.work, count, workers) if blind else own(options.data, options.work, count)
    proof.locate(options.lenses, workers)
    for name in [options.section] if options.section else SECTIONS:
        text = printed(proof, name, start_known=blind)
        if blind and options.section is None:
            keep(RESULTS / f"proof_{name}.md", text)
        print(text if options.section else f"## {name}\n\n{text}\n")
    if blind and options.section is None:
        write_pages()


if __name__ == "__main__":
    raise SystemExit(main())
