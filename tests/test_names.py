"""A name stands for one thing: no two classes share one, and no two modules that mean different things."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import haustra


def test_no_two_classes_share_a_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    source = Path(haustra.__file__).parent
    for path in sorted(source.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.relative_to(source).as_posix())
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


# What each package of its kind has: the name says the same everywhere.
COMMON = {
    "__init__",
    "__main__",
    "parameters",
    "methods",
    "augment",
    "config",
    "losses",
    "networks",
    "start",
    "trainer",
}


def test_no_two_modules_of_one_name_mean_different_things() -> None:
    """A command has the name of the library call that it makes."""
    places: dict[str, list[str]] = defaultdict(list)
    source = Path(haustra.__file__).parent
    for path in sorted(source.rglob("*.py")):
        if path.stem not in COMMON and path.parent.name != "cli":
            places[path.stem].append(path.relative_to(source).as_posix())
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
