"""The documentation: links lead somewhere, and the reference pages have every command and every public name."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from tools.site import __main__ as site
from tools.site import python_api
from tools.site.commands import every_command, options_of
from tools.site.parameters import class_text

import haustra
from haustra.anatomy.parameters import AnatomyParameters
from haustra.results.table import COLUMNS

LINK = re.compile(r"(?<!`)\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
ROOT = site.ROOT


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the site is built from."""
    folder = tmp_path_factory.mktemp("site") / "docs"
    site.gather(folder)
    return folder


def prose(path: Path) -> str:
    """A page without its code, in which brackets mean something else."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return "\n".join(line for line in text.splitlines() if not line.startswith("    "))


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(pages: list[Path]) -> list[str]:
    broken = []
    for page in pages:
        for target in LINK.findall(prose(page)):
            name, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            there = page if not name else (page.parent / name).resolve()
            if not there.exists() or (anchor and anchor not in anchors(there)):
                broken.append(f"{page.name}: {target}")
    return broken


def test_every_link_of_the_site_leads_somewhere(sources: Path) -> None:
    assert broken_links(sorted(sources.rglob("*.md"))) == []


def test_every_link_of_the_repository_leads_somewhere() -> None:
    """As a reader finds them beside the code; the pages that are made from it are in the site alone."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")]
    made = {Path(name).name for name in site.GENERATED}
    assert [link for link in broken_links(pages) if not any(name in link for name in made)] == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# A heading: here\n")
    page = tmp_path / "page.md"
    page.write_text("[a](there.md) [b](there.md#a-heading-here) [c](gone.md) [d](there.md#gone) `[e](f)`\n")
    assert broken_links([page]) == ["page.md: gone.md", "page.md: there.md#gone"]


def test_every_page_is_in_the_navigation_once(sources: Path) -> None:
    nav = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]
    listed = re.findall(r"'([\w./-]+\.md)'", str(nav))
    assert sorted(listed) == sorted(path.relative_to(sources).as_posix() for path in sources.rglob("*.md"))


def test_every_command_and_every_option_is_in_the_reference(sources: Path) -> None:
    page = (sources / "reference" / "commands.md").read_text(encoding="utf-8")
    commands = dict(every_command())
    assert {"haustra locate", "haustra evaluate motion", "haustra cohort merge"} <= set(commands)
    for name, command in commands.items():
        text = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert [one.opts[0] for one in options_of(command) if f"`{one.opts[0]}`" not in text] == [], name
    assert "`--withdrawal-start`" in page.split("\n## haustra locate\n")[1].split("\n## ")[0]


def test_commands_in_the_pages_can_be_given() -> None:
    """Every line of code that begins with `haustra` names a command that exists, and options that it has."""
    known = {
        name: {o for one in options_of(c) for o in (*one.opts, *one.secondary_opts)} for name, c in every_command()
    }
    wrong = []
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        for line in re.findall(r"(?:^ {4,}|`)(haustra [a-z][^`#\n]*)", text, re.MULTILINE):
            command = max((name for name in known if f"{line} ".startswith(f"{name} ")), key=len, default="")
            group = any(name.startswith(f"{line.split(' -')[0].strip()} ") for name in known)
            unknown = set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", line)) - known.get(command, set()) - {"--help"}
            if unknown or not (command or group):
                wrong.append(f"{page.name}: {line.strip()} {sorted(unknown)}")
    assert wrong == []


def test_what_the_pages_import_exists() -> None:
    """And attributes of `haustra` that they use."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        for module, names in re.findall(r"^ *from (haustra[\w.]*) import ([\w, ]+)$", text, re.MULTILINE):
            found = importlib.import_module(module)
            assert [name for name in names.split(", ") if not hasattr(found, name)] == [], f"{page.name}: {module}"
        for name in re.findall(r"\bhaustra\.([a-z_]+)\(", text):
            assert hasattr(haustra, name), f"{page.name}: haustra.{name}"


def test_every_public_name_is_in_the_reference_and_says_what_it_is(sources: Path) -> None:
    page = (sources / "reference" / "python.md").read_text(encoding="utf-8")
    for module in map(importlib.import_module, python_api.PACKAGES):
        for name in python_api.public_names(module):
            value, full = getattr(module, name), f"{module.__name__}.{name}"
            assert f"\n### {full}\n" in page
            assert not callable(value) or value.__doc__, f"{full} has no docstring"
            inner = python_api.own_functions(value) if isinstance(value, type) else {}
            assert [member for member, target in inner.items() if not target.__doc__] == [], full


def test_every_column_of_the_table_is_explained() -> None:
    page = (ROOT / "docs" / "reference" / "outputs.md").read_text(encoding="utf-8")
    assert [name for name in COLUMNS if f"`{name}`" not in page] == []


def test_every_tuned_number_is_in_the_reference_and_says_what_it_is(sources: Path) -> None:
    page = (sources / "reference" / "parameters.md").read_text(encoding="utf-8")
    for name in fields_of(AnatomyParameters()):
        assert f"| `{name}` |" in page
    assert re.findall(r"^\| (`\w+`) \| [^|]* \|\s*\|$", page, re.MULTILINE) == [], "without a meaning"


def fields_of(value: Any) -> Iterator[str]:
    for field in fields(value):
        inner = getattr(value, field.name)
        yield from fields_of(inner) if is_dataclass(inner) else [field.name]


def test_the_meaning_of_a_number_is_the_string_below_or_the_comment() -> None:
    above = 'class P:\n    """About."""\n\n    # Above,\n    # and more.\n    a: float = 1.0  # behind\n'
    source = f'{above}    b: int = 2\n    """Below."""\n'
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.ClassDef)
    rows = class_text(node, source.splitlines()).splitlines()[-2:]
    assert rows == ["| `a` | `1.0` | Above, and more. behind |", "| `b` | `2` | Below. |"]


def test_formulas_become_mathml() -> None:
    pytest.importorskip("latex2mathml", reason="the extra 'docs' is not installed")
    page = r'a <span class="arithmatex">\(x_i &lt; 1\)</span> b <div class="arithmatex">\[ \frac{1}{2} \]</div>'
    made = site.with_mathml(page)
    assert "arithmatex" not in made
    assert made.count("<math") == 2
    assert "<msub><mi>x</mi><mi>i</mi></msub><mo>&#x0003C;</mo>" in made
