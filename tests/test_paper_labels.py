"""References to the paper are its LaTeX labels: every one that is named exists, and no table is called by a number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LABELS = set((ROOT / "tests" / "data" / "paper_labels.txt").read_text().splitlines())
NAMED = re.compile(r"\b(?:tab|fig|sec|equ?|ap|appendix): ?[a-z][\w.-]*\w")


def texts() -> Iterator[tuple[Path, str]]:
    places = [ROOT / "README.md", ROOT / "docs", ROOT / "src", ROOT / "benchmarks"]
    for place in places:
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.suffix in (".py", ".md", ".json") and "results" not in path.parts:
                yield path.relative_to(ROOT), path.read_text(encoding="utf-8")


def test_every_label_that_is_named_exists() -> None:
    unknown = {
        f"{path}: {label}"
        for path, text in texts()
        for label in NAMED.findall(text)
        # A family by its beginning: f"tab:table_confusion_mat_{k}".
        if not any(known == label or known.startswith(f"{label}_") for known in LABELS)
    }
    assert unknown == set()


def test_no_table_or_figure_is_called_by_its_number() -> None:
    numbered = re.compile(r"\b(?:Tables?|Figures?|Fig\.|Eqs?\.|[Ss]ec\.) \d")
    assert [str(path) for path, text in texts() if numbered.search(text)] == []


def test_the_list_is_the_papers(shared_data: Path) -> None:
    paper = shared_data.parent / "paper.tex"
    if not paper.is_file():
        pytest.skip(f"the paper's source is not at {paper}")
    assert set(re.findall(r"\\label\{([^}]*)\}", paper.read_text(encoding="utf-8"))) == LABELS
