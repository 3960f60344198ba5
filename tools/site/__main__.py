"""`python -m tools.site`: build/docs from docs/ and the code, then the site in build/site (`make docs`)."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
from pathlib import Path

from haustra.core.files import write_text
from haustra.core.sharing import sharing
from tools.site.commands import commands_page
from tools.site.models import models_page
from tools.site.parameters import parameters_page
from tools.site.python_api import python_page
from tools.site.schemas import schemas_page

ROOT = Path(__file__).parents[2]
SOURCES, SITE = ROOT / "build" / "docs", ROOT / "build" / "site"
GENERATED = {
    "reference/commands.md": commands_page,
    "reference/python.md": python_page,
    "reference/models.md": models_page,
    "reference/parameters.md": parameters_page,
    "reference/schemas.md": schemas_page,
}
# Pages of the repository that are part of the site; links to them are turned there.
BESIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md"}
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def main() -> int:
    gather()
    shutil.rmtree(SITE, ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    if code := subprocess.run(command, check=False, cwd=ROOT).returncode:
        return code
    for page in SITE.rglob("*.html"):
        write_text(page, with_mathml(page.read_text(encoding="utf-8")))
    print(f"open {SITE / 'index.html'}")
    return 0


def gather(sources: Path = SOURCES) -> None:
    """What the site is built from."""
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(ROOT / "docs", sources)
    for name, page in GENERATED.items():
        write_text(sources / name, page())
    for name, page_name in BESIDE.items():
        shutil.copy(ROOT / name, sources / page_name)
    for path in sources.rglob("*.md"):
        write_text(path, turned(path.read_text(encoding="utf-8")))


def turned(text: str) -> str:
    """Links to the pages beside docs/, which the site has at its top, and from these into docs/."""
    for name, page_name in BESIDE.items():
        text = re.sub(rf"\]\(((?:\.\./)*)\.\./{name}", rf"](\1{page_name}", text)
        text = text.replace(f"]({name}", f"]({page_name}")
    return text.replace("](docs/", "](")


def with_mathml(page: str) -> str:
    """Formulas as MathML, which every current browser shows without a script."""
    from latex2mathml.converter import convert

    def formula(match: re.Match[str]) -> str:
        display = "block" if match[2] == "[" else "inline"
        return convert(html.unescape(match[3]).strip(), display=display)

    return FORMULA.sub(formula, page)


if __name__ == "__main__":
    with sharing(True):  # a web server reads it
        sys.exit(main())
