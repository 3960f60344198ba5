"""docs/reference/python.md: every public name with its signature and docstring.

Public is what `haustra` and its packages list in `__all__`.
"""

from __future__ import annotations

import importlib
import inspect
import re
from dataclasses import is_dataclass
from types import ModuleType
from typing import Any

PACKAGES = (
    "haustra", "haustra.video", "haustra.quality", "haustra.camera", "haustra.flow", "haustra.motion", "haustra.path",
    "haustra.anatomy", "haustra.report", "haustra.cohort", "haustra.lab.datasets", "haustra.lab.evaluate",
    "haustra.lab.simulate",
)  # fmt: skip
HEAD = """# Python

`import haustra` has what most programs need. The packages below it are the stages in the order of the data; what they
list here is public, everything else may change without notice. All errors that a user can cause are
`haustra.HaustraError`.
"""


def python_page() -> str:
    return "\n".join([HEAD, *(package_text(importlib.import_module(name)) for name in PACKAGES)])


def public_names(module: ModuleType) -> list[str]:
    return [name for name in getattr(module, "__all__", ()) if not name.startswith("__")]


def package_text(module: ModuleType) -> str:
    names = public_names(module)
    if not names:
        return ""
    lines = [f"## {module.__name__}", "", inspect.getdoc(module) or "", ""]
    for name in names:
        lines.append(entry_text(f"{module.__name__}.{name}", getattr(module, name)))
    return "\n".join(lines)


def entry_text(name: str, value: Any) -> str:
    lines = [f"### {name}", ""]
    if callable(value):
        lines += ["```python", signature(name.rpartition(".")[2], value), "```", ""]
    if not callable(value):
        return "\n".join([*lines, f"`{value!r:.200}`" if len(repr(value)) < 200 else "A constant.", ""])
    lines += [inspect.getdoc(value) or "", ""]
    if inspect.isclass(value):
        lines += [line for member in members(value) for line in member]
    return "\n".join(lines)


def signature(name: str, value: Any) -> str:
    try:
        shown = str(inspect.signature(value))
    except (TypeError, ValueError):
        return name
    plain = re.sub(r"(: |-> )'([^']*)'", r"\1\2", shown).replace("(self, ", "(").replace("(self)", "()")
    if inspect.isclass(value):
        plain = plain.removesuffix(" -> None")
    return f"{name}{_wrapped(plain)}"


def _wrapped(shown: str) -> str:
    """A long signature has a line for each parameter."""
    if len(shown) < 90:
        return shown
    parameters, depth, start = [], 0, 1
    end = shown.rindex(")")
    for at, letter in enumerate(shown[: end + 1]):
        depth += (letter in "([{") - (letter in ")]}")
        if (letter == "," and depth == 1) or at == end:
            parameters.append(shown[start:at].strip())
            start = at + 1
    return "(\n    " + ",\n    ".join(filter(None, parameters)) + "\n" + shown[end:]


def own_functions(value: type) -> dict[str, Any]:
    """The functions behind the public methods and properties that a class itself defines, by name."""
    found = {}
    for name, member in vars(value).items():
        target = getattr(member, "fget", getattr(member, "func", getattr(member, "__func__", member)))
        if not name.startswith("_") and inspect.isfunction(target):
            found[name] = target
    return found


def members(value: type) -> list[list[str]]:
    """A line for each public method and property that the class itself defines."""
    found = []
    for name, target in own_functions(value).items():
        is_property = not callable(vars(value)[name]) and not hasattr(vars(value)[name], "__func__")
        shown = name if is_property else signature(name, target)
        first = " ".join((inspect.getdoc(target) or "").split("\n\n")[0].split())
        found.append([f"- `{' '.join(shown.split())}`: {first}"])
    if is_dataclass(value) and not found:
        return []
    return [*found, [""]] if found else []
