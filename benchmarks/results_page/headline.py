"""docs/results/index.md: the figures that matter, each picked from its section, and a list of all sections."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from benchmarks.by_default import PAPER
from benchmarks.results_page.record import RESULTS
from benchmarks.results_page.sections import pages
from benchmarks.results_page.stamp import Stamp
from benchmarks.results_page.tables import Cell, recorded
from haustra.core.errors import HaustraError

INTRODUCTION = """# Results

Every figure was printed by a command of `benchmarks/`, which its section names, and every section says which version
recorded it and whether parameters or models have changed since. Spread is over recordings: "0.032 (0.006)" is a mean
and a standard deviation. No real colonoscopy with known camera poses is public, so locations and segments are measured
on rendered colons: *kept-away* and *foreign* ones are real CT anatomies, rendered by others with lenses and operators
of their own; the others come from [our simulator](../concepts/simulator.md).
"""
USED_FOR = """
## What each set of recordings was used for

| recordings | networks trained on them | constants tuned on them | looked at while tuning |
|---|---|---|---|
| kept-away colons (reviewers) | no | no | no, nobody here has them |
| foreign c to h | no | **yes**: what widens a location, large steps, taper, weight of the bends | **yes** |
| foreign a, b | no | **yes**: taper, trust in the lumen, widths | **yes** |
| Set 3 of cohort 1 | **the same colons**, nine of ten, other recordings | some widths | **yes** |
| Set 1 test of cohort 1 | **the same colons**, all three | no | yes |
| 35 [tuning recordings](../../CONTRIBUTING.md#glossary) | no | **yes** | **yes** |
| simulated sets `tuning` / `heldout` | no | **yes** / no | **yes** / once, after the fit |
| hurried, spoilt, Set 3 wide | no | no | the first six hurried and four spoilt |
| real sequences: six reported, seven for training | cecum network: the seven | picture finder: all 13 | yes |
| real stills (Kvasir-SEG, HyperKvasir) | quality, cecum: those not kept out | thresholds | kept-out ones: no |
"""


@dataclass(frozen=True)
class Found:
    """A figure in running text, by the group of a pattern."""

    section: str
    pattern: str

    def text(self, results: Path = RESULTS) -> str:
        found = re.search(self.pattern, recorded(self.section, results)[1])
        if found is None:
            raise HaustraError(f"{self.section}.md has nothing like '{self.pattern}': run its section again")
        return found[1]


Figure = Cell | Found | str


@dataclass(frozen=True)
class Row:
    """What was measured on, then the figures; the section is linked in the last column."""

    recordings: str
    figures: tuple[Figure, ...]
    section: str


@dataclass(frozen=True)
class Block:
    title: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]


def _given(level: str) -> str:
    return f"foreign c to h; given: {level}"


def _where(level: str) -> Row:
    columns = ("location error", "worst error", "clock error")
    figures: tuple[Figure, ...] = (*(Cell("by_default", level, c) for c in columns), "6")
    return Row(_given(level), figures, "by_default")


def _segments(level: str) -> Row:
    columns = ("segment accuracy", "worst accuracy", "clock accuracy", "oracle accuracy")
    return Row(_given(level), (*(Cell("by_default", level, c) for c in columns), "6"), "by_default")


def _stated(level: str) -> Row:
    return Row(_given(level), (Cell("by_default", level, "within 2 std"), "-", "6"), "by_default")


def _covered(recordings: str, name: str, section: str = "coverage") -> Row:
    return Row(recordings, tuple(Cell(section, name, c) for c in ("within 2 std", "least", "n")), section)


HELD_OUT = "simulated, held out; given: lens, both ends"


BLOCKS = (
    Block(
        "Where: error of the location index",
        ("recordings", "mean error", "worst recording", "the clock", "n"),
        (
            Row(
                "**kept-away colons; given: start**",
                (Cell("kept_away", "mean", "location error"), Cell("kept_away", "worst", "location error"),
                 Cell("kept_away", "mean", "clock error"), "7"),
                "kept_away",
            ),
            Row(
                HELD_OUT,
                tuple(
                    Cell("coverage_fitted", "data-heldout", c)
                    for c in ("location error", "worst error", "clock error", "n")
                ),
                "coverage_fitted",
            ),
            _where("nothing"), _where("start"), _where("start, lens"),
            _where(PAPER),
            Row(
                "Set 3; given: start, lens, both ends",
                (Cell("localisation", "motion", "mean abs. error", 1),
                 Cell("localisation", "motion", "worst recording", 1),
                 Cell("localisation", "time index", "mean abs. error", 1), "10"),
                "localisation",
            ),
        ),
    ),
    Block(
        "Which segment: share of kept frames named right, by default (`decoder`)",
        ("recordings", "mean", "worst recording", "the clock", "oracle", "n"),
        (
            Row(
                "**kept-away colons; given: start**",
                (Cell("kept_away", "mean", "segment accuracy"), Cell("kept_away", "worst", "segment accuracy"),
                 Cell("kept_away", "mean", "clock accuracy"), Cell("kept_away", "mean", "oracle accuracy"), "7"),
                "kept_away",
            ),
            Row(
                HELD_OUT,
                tuple(Cell("named_heldout", "data-heldout", c) for c in ("decoder", "least", "clock", "oracle", "n")),
                "named_heldout",
            ),
            _segments("start"), _segments("start, lens"), _segments(PAPER),
            Row(
                "37 recordings of six kinds; given: lens, both ends",
                tuple(Cell("named_worlds", "all of them", c) for c in ("decoder", "least", "clock", "oracle", "n")),
                "named_worlds",
            ),
            Row(
                "of these, Set 3 alone (one family of courses)",
                tuple(Cell("named_worlds", "set3-set3", c) for c in ("decoder", "least", "clock", "oracle", "n")),
                "named_worlds",
            ),
        ),
    ),
    Block(
        "How sure: share of frames within two stated deviations (95 % wanted)",
        ("recordings", "mean", "worst recording", "n"),
        (
            Row(
                "**kept-away colons; given: start**",
                (Cell("kept_away", "mean", "within 2 std"), Cell("kept_away", "worst", "within 2 std"), "7"),
                "kept_away",
            ),
            _covered(HELD_OUT, "data-heldout", "coverage_fitted"),
            _stated("start, lens"), _stated(PAPER),
            _covered("hurried withdrawals of 35 s; given: lens, both ends", "data-hurried"),
            _covered("60 % of the frames show nothing; the same", "data-spoilt"),
            _covered("Set 3; the same", "set3-set3"),
            _covered("foreign a, b; the same (too wide)", "data-foreign-colons"),
        ),
    ),
    Block(
        "And",
        ("what", "figure", "beside it", "n"),
        (
            Row(
                "start of the withdrawal found to 10 s, after insertions of 3 to 8 minutes",
                (Found("withdrawal_start", r"start right to 10 s on (\d+ of \d+)"), "-", "10"),
                "withdrawal_start",
            ),
            Row(
                "real tissue: epipolar error of the motion over that of the best fit; beside it: tracked corners",
                (Cell("real_motion", "shipped / all", "ours / best"),
                 Found("real_motion", r"\| klt +\| all +\|(?:[^|]+\|){3} *([\d.]+)"), "168 pairs"),
                "real_motion",
            ),
            Row(
                "path error (ATE, mm), self-supervised, 250 steps; beside it: Liu et al. 2013",
                (Cell("rivals", "ours", "ate_sim3_rmse (mm)"), Cell("rivals", "liu2013", "ate_sim3_rmse (mm)"), "3"),
                "rivals",
            ),
            Row(
                "kept frames that are informative; beside it: good frames kept (foreign a to h)",
                (Cell("frame_truth", "all", "kept right"), Cell("frame_truth", "all", "good kept"), "8"),
                "frame_truth",
            ),
            Row(
                "good real stills kept; beside it: spoilt ones dropped (Kvasir-SEG, kept out)",
                (Cell("real_quality", "polyps (Kvasir-SEG)", "kept"),
                 Cell("real_quality", "polyps (Kvasir-SEG)", "spoilt, dropped"), "142 stills"),
                "real_quality",
            ),
            Row(
                "CPU of the whole job over decoding alone, 1080p30; beside it: with the overlay video",
                (Found("pipeline", r"cpu_over_decode +([\d.]+)"),
                 Found("pipeline", r"cpu_with_overlay_over_decode +([\d.]+)"), "1"),
                "pipeline",
            ),
        ),
    ),
)  # fmt: skip


def headline(today: Stamp, results: Path = RESULTS) -> str:
    text = [INTRODUCTION, *(block_text(block, results) for block in BLOCKS), USED_FOR, contents(today, results)]
    return "\n".join(part.strip("\n") + "\n" for part in text)


def block_text(block: Block, results: Path) -> str:
    lines = [f"## {block.title}\n", _line((*block.header, "recorded")), "|---" * (len(block.header) + 1) + "|"]
    for row in block.rows:
        cells = (figure if isinstance(figure, str) else figure.text(results) for figure in row.figures)
        stamp = recorded(row.section, results)[0]
        lines.append(_line((row.recordings, *cells, f"[{stamp.version}, {stamp.date}]({link(row.section)})")))
    return "\n".join(lines)


def contents(today: Stamp, results: Path) -> str:
    """All sections by page, with command, date and version; what is not of today's code is marked."""
    lines = ["## All sections\n", "| section | recorded | command |", "|---|---|---|"]
    for page in pages():
        lines.append(f"| **[{page.title}]({page.name}.md)** | | |")
        for section in page.sections:
            if (results / f"{section.name}.md").is_file():
                stamp = recorded(section.name, results)[0]
                mark = " ?" if stamp.parameters is None else " (changed since)" if stamp.changed(today) else ""
                command = "-" if section.command is None else f"`{section.command}`"
                lines.append(f"| {section.title} | {stamp.version}, {stamp.date}{mark} | {command} |")
    lines.append("\nA question mark: recorded before digests of parameters and models were kept.")
    return "\n".join(lines)


def link(name: str) -> str:
    """The page of a section and the anchor of its heading."""
    page, title = next((page, section.title) for page in pages() for section in page.sections if section.name == name)
    return f"{page.name}.md#{anchor(title)}"


def anchor(title: str) -> str:
    """As Python-Markdown and GitHub make it from a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
