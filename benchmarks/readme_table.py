"""The table "How good is it" of README.md, from what benchmarks/results/localisation.md holds: typed by nobody."""

from __future__ import annotations

import re
from pathlib import Path

from haustra.errors import HaustraError
from haustra.files import write_text

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- made by benchmarks.results_page -->\n", "<!-- end -->"
# Rows of README and what they are called in the tables of `benchmarks.localisation`.
ROWS = {
    "**Haustra**": "motion",
    "camera not calibrated": "generic camera",
    "nothing left out": "all frames",
    "a perfect location index, same template": "oracle",
    "the clock": "time index",
    "simulated ScopeGuide length": "ScopeGuide",
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


def write_readme(recorded: str, readme: Path = README) -> None:
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    if not after:
        raise HaustraError(f"{readme} has no place for the table: put '{BEGIN.strip()}' and '{END}' around it")
    write_text(readme, f"{before}{BEGIN}{readme_table(recorded)}{END}{after}")


def _second_column(table: str) -> dict[str, str]:
    """Means as they were printed, by row."""
    return dict(re.findall(r"^\| *(.*?) *\| *(\d+\.\d+)\b", table, re.MULTILINE))
