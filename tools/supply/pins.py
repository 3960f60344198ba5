"""The versions of constraints.txt, and which of them a set of extras needs on any supported system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
CONSTRAINTS = ROOT / "constraints.txt"
# Every pair of system and Python whose markers a requirement may name.
SYSTEMS = (
    ("linux", "Linux", "posix", "x86_64"),
    ("darwin", "Darwin", "posix", "arm64"),
    ("win32", "Windows", "nt", "AMD64"),
)
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# What users may install beside the product itself; the others are for those who develop it.
USERS = ("app", "cluster", "datasets", "dicom", "dicom-sr", "evaluate", "simulate", "train", "xlsx")


def pins(source: Path = CONSTRAINTS) -> dict[str, str]:
    """Name and version, as written."""
    lines = (line.partition("#")[0].strip() for line in source.read_text(encoding="utf-8").splitlines())
    return dict(line.split("==") for line in lines if line)


def needed(extras: Iterable[str] = ()) -> set[str]:
    """Canonical names of all that haustra with these extras needs, by the metadata of what is installed here."""
    found: set[str] = set()
    waiting = list(_requirements("haustra", frozenset(extras)))
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name not in found:
            found.add(name)
            waiting += _requirements(name, frozenset(requirement.extras))
    return found


def _requirements(name: str, extras: frozenset[str]) -> Iterator[Requirement]:
    try:
        lines = requires(name) or []
    except PackageNotFoundError:  # for another system
        return
    for requirement in map(Requirement, lines):
        if requirement.marker is None or any(requirement.marker.evaluate(one) for one in _environments(extras)):
            yield requirement


def _environments(extras: frozenset[str]) -> Iterator[dict[str, str]]:
    for platform, system, os_name, machine in SYSTEMS:
        for python in PYTHONS:
            for extra in extras or {""}:
                yield {
                    "sys_platform": platform, "platform_system": system, "os_name": os_name, "python_version": python,
                    "platform_machine": machine, "python_full_version": f"{python}.0", "extra": extra,
                    "implementation_name": "cpython", "platform_python_implementation": "CPython",
                }  # fmt: skip
