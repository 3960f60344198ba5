"""docs/reference/parameters.md: every tuned number of a stage with its value, unit, meaning and origin.

A stage that has tuned numbers keeps them in `haustra.STAGE.parameters`, in frozen dataclasses. The meaning of a field
is the string below it, or the comment beside or above it.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from types import ModuleType

from benchmarks.results_page.stamp import tuned_stages

HEAD = """# Parameters

Every tuned number, with its unit, meaning and origin. They are passed in, not read from globals, and belong to the
identity of a run: with other values a result is made again. *Tuning recordings* are defined in the
[glossary](../../CONTRIBUTING.md#glossary); [results](../results/index.md) says what was in view when numbers were set.
"""


def parameters_page() -> str:
    modules = (importlib.import_module(f"haustra.{stage}.parameters") for stage in tuned_stages())
    return "\n".join([HEAD, *(module_text(module) for module in modules)])


def module_text(module: ModuleType) -> str:
    source = inspect.getsource(module)
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    parts = [f"## {module.__name__}", "", inspect.getdoc(module) or "", ""]
    return "\n".join(parts + [class_text(node, source.splitlines()) for node in classes if has_numbers(node)])


def has_numbers(node: ast.ClassDef) -> bool:
    """The class that only gathers the others has none."""
    return any(isinstance(field, ast.AnnAssign) and not isinstance(field.value, ast.Call) for field in node.body)


def class_text(node: ast.ClassDef, lines: list[str]) -> str:
    rows = [
        f"### {node.name}",
        "",
        ast.get_docstring(node) or "",
        "",
        "| parameter | value | meaning |",
        "|---|---|---|",
    ]
    for field, after in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign) and field.value is not None:
            meaning = string_of(after) or comment_of(field, lines)
            shown = " ".join(ast.unparse(field.value).split())
            rows.append(f"| `{ast.unparse(field.target)}` | `{shown}` | {meaning.replace('|', '/')} |")
    return "\n".join([*rows, ""])


def string_of(node: ast.stmt | None) -> str:
    """The text of a string that stands by itself."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return " ".join(node.value.value.split())
    return ""


def comment_of(field: ast.AnnAssign, lines: list[str]) -> str:
    """The comment lines above a field, then the one behind it."""
    first = field.lineno - 1
    while lines[first - 1].strip().startswith("#"):
        first -= 1
    above = [line.strip().lstrip("# ") for line in lines[first : field.lineno - 1]]
    _, _, behind = lines[(field.end_lineno or field.lineno) - 1].partition("  # ")
    return " ".join([*above, behind]).strip()
