"""Run the command of a section and keep what it prints, with the stamp of the code that printed it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from benchmarks.__main__ import LIMIT_BROKEN
from benchmarks.results_page.sections import FOLDERS, Section
from benchmarks.results_page.stamp import stamp_today
from haustra.core.errors import HaustraError
from haustra.core.files import write_text

HERE = Path(__file__).parents[1]
RESULTS = HERE / "results"
Folders = dict[str, Path | None]


def record(section: Section, folders: Folders, results: Path = RESULTS) -> None:
    """A command that failed leaves what was kept before."""
    if section.command is None:
        raise HaustraError(f"section '{section.name}' has no command: it was measured by others")
    command = filled(section.command, folders)
    words = shlex.split(command)
    programs = {"python": [sys.executable], "haustra": [sys.executable, "-m", "haustra"]}
    words = [*programs[words[0]], *words[1:]]
    done = subprocess.run(words, check=False, stdout=subprocess.PIPE, text=True, cwd=HERE.parent)
    if done.returncode not in (0, LIMIT_BROKEN) or not done.stdout:  # a broken limit is a result too
        raise HaustraError(f"'{command}' ended with exit code {done.returncode}: section '{section.name}' is as it was")
    keep(results / f"{section.name}.md", without_places(done.stdout, folders))


def keep(path: Path, printed: str) -> None:
    """What was printed by today's code."""
    write_text(path, stamp_today().line() + printed.strip("\n") + "\n")


def without_places(printed: str, folders: Folders) -> str:
    """What a command printed, with the names of the folders in place of where they lie on this machine."""
    places = {str(given.resolve()): name for name, given in folders.items() if given is not None}
    for place in sorted(places, key=len, reverse=True):  # one folder may lie in another
        printed = printed.replace(place, places[place])
    return printed


def filled(command: str, folders: Folders) -> str:
    """The command with the folders in place of their names."""

    def folder(match: re.Match[str]) -> str:
        given = folders[match[0]]
        if given is None:
            raise HaustraError(f"'{command}' needs --{match[0].lower()} ({FOLDERS[match[0]]})")
        return shlex.quote(str(given.resolve()))

    return re.sub(rf"\b({'|'.join(FOLDERS)})\b", folder, command)
