"""The version is typed in one place, and what cites it agrees."""

from __future__ import annotations

import re
from pathlib import Path

import haustra

ROOT = Path(__file__).parents[1]


def test_citation_and_changelog_name_the_version() -> None:
    assert f"\nversion: {haustra.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    install = (ROOT / "docs" / "get-started" / "install.md").read_text(encoding="utf-8")
    assert set(re.findall(r"haustra-([\d.]+)-py3", install)) == {haustra.__version__}
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changelog.split("\n## ")[1].startswith(haustra.__version__)
