"""`locked/*.txt`: versions with the SHA-256 of every file that pip may take for them, for `pip --require-hashes`.

A package has many files, one for each system and Python, so it has many hashes. The index is asked once, when versions
change (`python -m tools.supply lock --index URL`); no file names it. Torch is left out: its build for the CPU alone
comes from an index of its own, and its files differ from those of the ordinary one.
"""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version

from tools.supply.pins import ROOT, needed, pins

FOLDER = ROOT / "locked"
LEFT_OUT = ("torch",)
HEAD = "# Made by `python -m tools.supply lock` from constraints.txt. For pip install --require-hashes.\n"
_LINK = re.compile(r'href="[^"]*#sha256=(?P<hash>[0-9a-f]{64})"[^>]*>(?P<file>[^<]+)</a>')
_PYTHON = re.compile(r"py3|py2\.py3|cp31[1-9]|cp3\d+-abi3")

Page = Callable[[str], str]


def write_locks(index: str) -> None:
    """Both files: what the product needs, and everything that constraints.txt has."""

    def page(name: str) -> str:
        with urllib.request.urlopen(f"{index.rstrip('/')}/{name}/", timeout=60) as answer:
            return str(answer.read().decode())

    FOLDER.mkdir(exist_ok=True)
    for file, names in lock_sets().items():
        (FOLDER / file).write_text(lock_text({name: pins()[name] for name in names}, page), encoding="utf-8")


def lock_sets() -> dict[str, list[str]]:
    """The names of constraints.txt that belong into each file."""
    known = sorted((name for name in pins() if canonicalize_name(name) not in LEFT_OUT), key=str.lower)
    base = needed()
    return {"base.txt": [name for name in known if canonicalize_name(name) in base], "all.txt": known}


def lock_text(versions: Mapping[str, str], page: Page) -> str:
    """The file for these versions, as an index lists them."""
    with ThreadPoolExecutor(8) as pool:
        found = dict(zip(versions, pool.map(lambda name: hashes_of(name, versions[name], page), versions), strict=True))
    parts = [f"{name}=={versions[name]} \\\n" + _options(found[name]) for name in versions]
    return HEAD + "".join(parts)


def hashes_of(name: str, version: str, page: Page) -> list[str]:
    """Of all wheels for our Pythons, or of the source where there is no wheel."""
    links = [(match["file"], match["hash"]) for match in _LINK.finditer(page(canonicalize_name(name)))]
    wheels = [digest for file, digest in links if _is_wheel(file, version)]
    found = wheels or [digest for file, digest in links if _is_source(file, version)]
    if not found:
        raise ValueError(f"the index has no file of {name} {version}")
    return sorted(found)


def _is_wheel(file: str, version: str) -> bool:
    try:
        _, found, _, tags = parse_wheel_filename(file)
    except InvalidWheelFilename:
        return False
    return found == Version(version) and any(
        _PYTHON.match(tag.interpreter if tag.abi != "abi3" else f"{tag.interpreter}-abi3") for tag in tags
    )


def _is_source(file: str, version: str) -> bool:
    try:
        return parse_sdist_filename(file)[1] == Version(version)
    except InvalidSdistFilename:
        return False


def _options(hashes: Iterable[str]) -> str:
    return " \\\n".join(f"    --hash=sha256:{digest}" for digest in hashes) + "\n"


def read_lock(file: Path) -> dict[str, tuple[str, list[str]]]:
    """Version and hashes by canonical name."""
    found: dict[str, tuple[str, list[str]]] = {}
    text = file.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            pin, *options = line.split()
            name, _, version = pin.partition("==")
            found[canonicalize_name(name)] = version, [option.partition("sha256:")[2] for option in options]
    return found


def check_locks() -> list[str]:
    """Where the files and constraints.txt disagree."""
    wrong = []
    for file, names in lock_sets().items():
        locked = read_lock(FOLDER / file)
        wanted = {canonicalize_name(name): pins()[name] for name in names}
        wrong += [f"{file}: {name} {wanted[name]} is missing" for name in wanted if name not in locked]
        for name, (version, hashes) in locked.items():
            if wanted.get(name) != version:
                wrong.append(f"{file}: {name} is {version}, constraints.txt has {wanted.get(name)}")
            if not hashes or not all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in hashes):
                wrong.append(f"{file}: {name} has no hash, or one that is none")
    return wrong
