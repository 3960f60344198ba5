"""The table "How good is it" of README.md, from what benchmarks/results holds: typed by nobody."""

from __future__ import annotations

from pathlib import Path

from benchmarks.by_default import LENS, NOTHING, PAPER, START
from benchmarks.results_page.record import RESULTS
from benchmarks.results_page.tables import Cell
from haustra.core.errors import HaustraError
from haustra.core.files import write_text

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- made by benchmarks.results_page -->\n", "<!-- end -->"
HEADER = (
    "recordings; given",
    "location off by",
    "the clock",
    "segment right",
    "the clock",
    "perfect location",
)
COLUMNS = ("location error", "clock error", "segment accuracy", "clock accuracy", "oracle accuracy")
# Sections of location and of segments, row of their tables, and what README calls it.
ROWS = (
    ("kept_away", "kept_away", "mean", "7 of three kept-away colons (0.2.0); start"),
    ("coverage_fitted", "named_heldout", "data-heldout", "13 simulated, held out; both ends and lens"),
    ("by_default", "by_default", LENS, "6 of two other colons, for development; start and lens"),
    ("by_default", "by_default", PAPER, "the same 6; start and lens; the paper's location index"),
    ("by_default", "by_default", START, "the same 6; start alone"),
    ("by_default", "by_default", NOTHING, "the same 6; nothing"),
)
# The tables of segments have the decoder beside other ways.
NAMED = {"segment accuracy": "decoder", "clock accuracy": "clock", "oracle accuracy": "oracle"}


def readme_table(results: Path = RESULTS) -> str:
    """Mean over recordings, with the standard deviation where it was recorded."""
    lines = [f"| {' | '.join(HEADER)} |", "|---" * len(HEADER) + "|"]
    for located, named, row, title in ROWS:
        columns = COLUMNS if named == located else [NAMED.get(column, column) for column in COLUMNS]
        cells = (Cell(located if k < 2 else named, row, column).text(results) for k, column in enumerate(columns))
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def write_readme(readme: Path = README, results: Path = RESULTS) -> None:
    write_text(readme, filled(readme.read_text(encoding="utf-8"), BEGIN, readme_table(results), readme))


def filled(text: str, begin: str, table: str, readme: Path) -> str:
    """`text` with the table between its two marks."""
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(END)
    if not after:
        raise HaustraError(f"{readme} has no place for the table: put '{begin.strip()}' and '{END}' around it")
    return f"{before}{begin}{table}{END}{after}"
