"""docs/reference/paper.md has a row for every label of the paper, and every name of code in it exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reference" / "paper.md").read_text(encoding="utf-8")
LABELS = (ROOT / "tests" / "data" / "paper_labels.txt").read_text().splitlines()
CODE = sorted(set(re.findall(r"`((?:haustra|benchmarks)\.[\w.]+)`", PAGE)))


@cache
def defined(source: Path) -> dict[str, set[str]]:
    """Names at the top of a module, and those inside each of its classes."""
    names: dict[str, set[str]] = {}
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inside = node.body if isinstance(node, ast.ClassDef) else []
            names[node.name] = {one.name for one in inside if isinstance(one, ast.FunctionDef)}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id: set() for target in targets if isinstance(target, ast.Name)}
    return names


def exists(name: str) -> bool:
    """A package, a module, or what a module defines."""
    parts = name.split(".")
    place = ROOT / "src" if parts[0] == "haustra" else ROOT
    if place.joinpath(*parts, "__init__.py").is_file():
        return True
    for count in range(len(parts), 0, -1):
        source = place.joinpath(*parts[:count]).with_suffix(".py")
        if source.is_file():
            rest = parts[count:]
            return not rest or (rest[0] in defined(source) and set(rest[1:]) <= defined(source)[rest[0]])
    return False


def test_every_label_has_its_row() -> None:
    rows = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| ")]
    assert [label for label in LABELS if not any(f"`{label}`" in row for row in rows)] == []


@pytest.mark.parametrize("name", CODE)
def test_code_that_is_named_exists(name: str) -> None:
    assert exists(name)


def test_every_row_says_where_and_what_differs() -> None:
    rows = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| ") and "---" not in line]
    assert all(len(row) == 4 and all(cell.strip() for cell in row) for row in rows)


def test_what_does_not_exist_is_noticed() -> None:
    assert exists("haustra.pipeline.locate")
    assert not exists("haustra.pipeline.localize")
    assert not exists("haustra.nowhere.locate")
    assert not exists("haustra.camera.model.Camera.nothing")
