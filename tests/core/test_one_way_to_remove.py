"""Files are removed, renamed and written by a few functions of `core`: what they refuse cannot be passed by."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import haustra

SOURCE = Path(haustra.__file__).parent
# Change what lies on the disk, whatever they are called on.
CHANGING = {
    "unlink", "rmtree", "rename", "renames", "removedirs", "rmdir", "symlink_to", "hardlink_to", "symlink", "link",
    "mkdir", "makedirs", "mkdtemp", "mkstemp", "NamedTemporaryFile", "TemporaryDirectory", "copytree", "copyfile",
    "copy", "copy2", "move", "touch",
}  # fmt: skip
MODULES = ("os", "shutil", "tempfile")
# Where each is the one function for it, or works in a folder that this process has just made for itself alone.
ALLOWED = {
    "core/files.py": {"copyfile", "hardlink_to", "replace"},
    "core/owned.py": {"unlink", "rmdir"},
    "core/sharing.py": {"mkdir"},
    "core/temporary.py": {"unlink", "rmtree", "mkstemp", "mkdtemp"},
    "cohort/store.py": {"symlink_to", "copytree", "copyfile"},  # into a scratch folder
    "results/folder.py": {"rmdir"},  # an empty result folder itself, which the user named
}


def changes(tree: ast.AST) -> Iterator[str]:
    """Names of calls that change the disk; `replace` is that of a path where it has one argument."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        name, owner = node.func.attr, node.func.value
        module = owner.id if isinstance(owner, ast.Name) else ""
        if name == "copy" and module not in MODULES:  # of an array
            continue
        of_path = name == "replace" and len(node.args) == 1 and not isinstance(node.args[0], ast.Dict)
        if (
            name in CHANGING
            or (of_path and not node.keywords)
            or (module in MODULES and name in ("remove", "truncate"))
        ):
            yield name


def test_the_product_removes_and_renames_by_the_functions_of_core_alone() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        if not place.startswith("lab/"):
            used = set(changes(ast.parse(path.read_text(encoding="utf-8"))))
            found |= {place: used} if used else {}
    assert found == ALLOWED


def test_what_would_change_the_disk_is_seen() -> None:
    text = "p.unlink(); os.remove(p); p.replace(q); shutil.copy(p, q); 't'.replace('a', 'b'); a.copy(); t.replace({})"
    assert list(changes(ast.parse(text))) == ["unlink", "remove", "replace", "copy"]
