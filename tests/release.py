"""What a release has to be before it is uploaded: `python tests/release.py dist` (`make release`).

The wheel holds all of src/haustra and nothing else, the source distribution what builds and tests it, both carry the
version that changelog and citation name, and no text in them holds a path of the machine they were built on.
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
LARGEST_MB = 100  # PyPI's limit for a file
SUFFIXES = (".py", ".md", ".json", ".toml", ".txt", ".js", ".css", ".html", ".csv")
MACHINE_PATH = re.compile(rb"(?<![\w.])(?:/home/\w|/root/|/work/|/Users/\w|[A-Z]:\\Users\\)")


def main(folder: Path) -> int:
    try:
        version = source_version()
        wheel, sdist = _only(folder, f"haustra-{version}-py3-none-any.whl"), _only(folder, f"haustra-{version}.tar.gz")
        check_version(version)
        check_wheel(wheel)
        check_sdist(sdist)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for path in (wheel, sdist):
        print(f"{path}: {path.stat().st_size / 2**20:.1f} MB, ready")
    return 0


def source_version() -> str:
    """Read and not imported: what is released is what lies in src."""
    found = re.search(r'^__version__ = "([^"]+)"', (SOURCE / "haustra" / "__init__.py").read_text(), re.MULTILINE)
    if found is None:
        raise ValueError("src/haustra/__init__.py has no __version__")
    return found[1]


def check_version(version: str) -> None:
    if not (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1].startswith(version):
        raise ValueError(f"CHANGELOG.md does not begin with {version}")
    if f"\nversion: {version}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
        raise ValueError(f"CITATION.cff does not name {version}")


def check_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        wanted = package_files()
        if missing := wanted - names:
            raise ValueError(f"the wheel lacks {', '.join(sorted(missing))}: see package-data in pyproject.toml")
        if strange := names - wanted:
            raise ValueError(f"the wheel holds {', '.join(sorted(strange))}, which are not in src: remove build/lib")
        check_texts((name, archive.read(name)) for name in names if name.endswith(SUFFIXES))
    check_size(wheel)


def check_sdist(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        members = {name.partition("/")[2]: name for name in archive.getnames()}
        needed = {f"src/{name}" for name in package_files()} | {"pyproject.toml", "README.md", "LICENSE"}
        if missing := needed - set(members):
            raise ValueError(f"the source distribution lacks {', '.join(sorted(missing))}")
    check_size(sdist)


def package_files() -> set[str]:
    """All that lies below src/haustra, but for byte code."""
    files = (path for path in SOURCE.rglob("haustra/**/*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(SOURCE).as_posix() for path in files}


def check_texts(files: Iterable[tuple[str, bytes]]) -> None:
    for name, content in files:
        if found := MACHINE_PATH.search(content):
            raise ValueError(f"{name} holds a path of a machine: {found[0].decode()}")


def check_size(path: Path) -> None:
    if path.stat().st_size > LARGEST_MB * 2**20:
        raise ValueError(f"{path.name} is larger than {LARGEST_MB} MB, the most that PyPI takes")


def _only(folder: Path, name: str) -> Path:
    """The one file of its kind: what was built before must not be uploaded with it."""
    found = sorted(path.name for path in folder.glob(f"*{''.join(Path(name).suffixes[-1:])}"))
    if found != [name]:
        raise ValueError(f"{folder} holds {', '.join(found) or 'nothing'} where {name} alone was expected")
    return folder / name


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
