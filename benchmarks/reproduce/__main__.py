"""`python -m benchmarks.reproduce small|full --work DIR`: all twelve tables and the figures with data of the paper.

Data are simulated first; a stopped run resumes. Tables are kept as csv, Markdown and LaTeX in
benchmarks/results/reproduce-SCALE, pictures in docs/img/reproduce-SCALE, and docs/results is put together again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2

from benchmarks.readme_table import write_readme
from benchmarks.reproduce.classification import classification
from benchmarks.reproduce.data import make_data
from benchmarks.reproduce.pairs import pairs
from benchmarks.reproduce.parts import Part, Place, run_part
from benchmarks.reproduce.places import places
from benchmarks.reproduce.protocol import protocol
from benchmarks.reproduce.scale import COHORT_SEED, SCALES
from benchmarks.results_page.record import RESULTS, keep
from benchmarks.results_page.write import PAGES_FOLDER, write_pages
from haustra.lab.evaluate.paper_tables import paper_tables

# In the order of the paper's tables: 1; 2 and 3; 4 and 5; 6 to 12.
PARTS: dict[str, tuple[str, Part]] = {
    "classification": ("Image classification", classification),
    "pairs": ("Consistency and photometric error", pairs),
    "protocol": ("Methods of camera motion", protocol),
    "places": ("Templates, segments, location", places),
}


def reproduce(place: Place, page: Path) -> None:
    """Run the parts one after the other; after each, docs/results has what there is so far."""
    found: dict[str, dict[str, Any]] = {}
    for name, (_, part) in PARTS.items():
        begin = time.monotonic()
        found[name] = run_part(name, part, place)
        print(f"{name}: {time.monotonic() - begin:.0f} s", file=sys.stderr)
        keep(page, section(place, found))
        write_pages()


def section(place: Place, found: Mapping[str, Mapping[str, Any]]) -> str:
    """What the parts gave, and which of the paper's tables are not there yet."""
    text = [introduction(place)]
    for name, given in found.items():
        text += [f"### {PARTS[name][0]}\n", given["text"]]
    made = {stem for given in found.values() for stem in given["tables"]}
    if missing := [label for label in paper_tables() if label.removeprefix("tab:") not in made]:
        text.append(f"Tables of the paper that are not made yet: {', '.join(missing)}.\n")
    return "\n".join(text)


def introduction(place: Place) -> str:
    scale = place.scale
    return (
        f"Rows of `ours` were measured on simulated recordings (cohort of seed {COHORT_SEED}, {scale.side} px), rows of"
        " `paper` are the paper's own numbers on its private recordings and on EndoSLAM. The line below each table is"
        f" computed. Networks of tables 2 to 5 have {scale.steps} steps of {scale.batch} pairs each; those of the other"
        " tables are the shipped ones, which have not seen these colons.\n"
    )


def main() -> None:
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scale", choices=list(SCALES))
    parser.add_argument("--work", type=Path, required=True, help="folder for recordings, networks and results")
    options = parser.parse_args()
    scale = SCALES[options.scale]
    data = make_data(scale, options.work)
    tables = RESULTS / f"reproduce-{scale.name}"
    place = Place(scale, data, options.work, tables, PAGES_FOLDER.parent / "img" / f"reproduce-{scale.name}")
    reproduce(place, RESULTS / f"reproduce_{scale.name}.md")
    write_readme()


if __name__ == "__main__":
    main()
