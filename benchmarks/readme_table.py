"""The tables "How good is it" of README.md, from what benchmarks/results holds: typed by nobody."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.rivals_table import rivals_table
from haustra.errors import HaustraError
from haustra.files import read_json, write_text

README = Path(__file__).parents[1] / "README.md"
RESULTS = Path(__file__).parent / "results"
BEGIN, END = "<!-- made by benchmarks.results_page -->\n", "<!-- end -->"
BEGIN_FOREIGN = "<!-- foreign colons, made by benchmarks.results_page -->\n"
BEGIN_RIVALS = "<!-- rivals, made by benchmarks.results_page -->\n"
# Rows of README and what they are called in the tables of `benchmarks.localisation`.
ROWS = {
    "**Haustra**": "motion",
    "camera not calibrated": "generic camera",
    "nothing left out": "all frames",
    "a perfect location index, same template": "oracle",
    "the clock": "time index",
    "simulated ScopeGuide length": "ScopeGuide",
}
# Methods of camera motion by what README calls them.
METHODS = {
    "ours": "**Haustra**, self-supervised",
    "network": "the same without its refinement by flow",
    "sfmlearner": "SfMLearner",
    "geonet": "GeoNet",
    "sc-sfmlearner": "SC-SfMLearner",
    "liu2013": "optical flow (Liu et al. 2013)",
    "klt": "tracked corners and essential matrix",
    "orb": "ORB and essential matrix",
    "expansion": "expansion of the flow alone",
    "constant": "constant speed backwards",
    "zero": "no motion at all",
    "shipped": "**Haustra** as shipped, taught with the simulator's truth",
}


def readme_table(recorded: str) -> str:
    """Share of frames in the right segment and mean error of the location index, by method."""
    accuracy, error = (_second_column(part) for part in recorded.split("\n\n")[:2])
    lines = ["| | segment right | location index off by |", "|---|---|---|"]
    for title, row in ROWS.items():
        if row not in accuracy or row not in error:
            raise HaustraError(f"localisation.md has no row '{row}': it has {', '.join(accuracy)}")
        lines.append(f"| {title} | {accuracy[row]} | {error[row]} |")
    return "\n".join(lines) + "\n"


def readme_rivals(kept: Mapping[str, Any]) -> str:
    """Error of the path and of the rotation of a pair, a row for each method; mean (std) over seeds."""
    lines = ["| camera motion by | path off by (ATE, mm) | rotation off by (degrees a pair) |", "|---|---|---|"]
    for row in rivals_table(kept).rows:
        ate, _, degrees, *_ = row.cells
        lines.append(f"| {METHODS.get(row.name, row.name)} | {_short(ate, 1)} | {_short(degrees, 2)} |")
    return "\n".join(lines) + "\n"


def readme_foreign(recorded: str) -> str:
    """Error of the location index on colons of another origin, and how often the truth is where it is said to be."""
    header, *rows = [line for line in recorded.split("location-by-recording")[1].splitlines() if line.startswith("|")]
    names = [name.strip() for name in header.split("|")[2:-1]]
    lines = [
        f"| location index off by | {' | '.join(f'colon {name}' for name in names)} |",
        "|---|" + "---|" * len(names),
    ]
    titles = {"ours": "**Haustra**", "time index": "the clock"}
    for row in rows[1:]:
        name, *values = [cell.strip() for cell in row.split("|")[1:-1]]
        if name in titles:
            lines.append(f"| {titles[name]} | {' | '.join(values)} |")
    within = re.search(r"^\| *ours .*\| *(\d\.\d+)[^|]*\|$", recorded, re.MULTILINE)
    if within is None or len(lines) < 2 + len(titles):
        raise HaustraError("foreign.md lacks the row 'ours' or 'time index': run its section again")
    share = (
        f"The truth lies within two of the stated standard deviations on {100 * float(within[1]):.0f} % of the frames."
    )
    return "\n".join([*lines, "", share]) + "\n"


def _short(cell: Any, digits: int) -> str:
    return f"{cell.mean:.{digits}f}" + ("" if cell.std is None else f" ({cell.std:.{digits}f})")


def write_readme(readme: Path = README, results: Path = RESULTS) -> None:
    """Put the recorded figures into their places; what was not recorded leaves its place as it is."""
    text = readme.read_text(encoding="utf-8")
    text = filled(text, BEGIN, readme_table((results / "localisation.md").read_text(encoding="utf-8")), readme)
    text = filled(text, BEGIN_FOREIGN, readme_foreign((results / "foreign.md").read_text(encoding="utf-8")), readme)
    if (results / "rivals.json").is_file():
        text = filled(text, BEGIN_RIVALS, readme_rivals(read_json(results / "rivals.json")), readme)
    write_text(readme, text)


def filled(text: str, begin: str, table: str, readme: Path) -> str:
    """`text` with the table between its two marks."""
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(END)
    if not after:
        raise HaustraError(f"{readme} has no place for the table: put '{begin.strip()}' and '{END}' around it")
    return f"{before}{begin}{table}{END}{after}"


def _second_column(table: str) -> dict[str, str]:
    """Means as they were printed, by row."""
    return dict(re.findall(r"^\| *(.*?) *\| *(\d+\.\d+)\b", table, re.MULTILINE))
