"""A name stands for one thing: no two classes share one, and no two modules that mean different things."""

from __future__ import annotations

import ast
import pkgutil
import re
from collections import defaultdict
from pathlib import Path

import haustra

DESIGN = Path(__file__).parents[1] / "docs" / "concepts" / "design.md"


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


def test_the_walk_of_a_frame_names_what_is_there() -> None:
    table = DESIGN.read_text(encoding="utf-8").partition("## The walk of a frame")[2].partition("Three things")[0]
    called = [line.split("|")[2] for line in table.splitlines() if line.startswith("|")][2:]
    names = [name for cell in called for name in re.findall(r"`(\w[\w.]+)`", cell)]
    assert len(names) >= 12
    for name in names:
        assert pkgutil.resolve_name(f"haustra.{name}"), name
