"""A name stands for one thing: no two classes of the package share one."""

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
