"""As an ordinary user, in a folder where nothing may be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.posix
# What lets root pass over permissions. Another user would do as well, but need not be able to read the interpreter.
UNPRIVILEGED = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner")


@pytest.fixture
def place(clip: Path, tmp_path: Path) -> Iterator[Path]:
    """The folders `read-only`, with a clip in it, and `writable`."""
    closed = tmp_path / "read-only"
    closed.mkdir()
    (tmp_path / "writable").mkdir()
    shutil.copy(clip, closed / "clip.mp4")
    closed.chmod(0o555)
    yield tmp_path
    closed.chmod(0o755)


def _run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in the read-only folder, without a home, with the rights of an ordinary user."""
    rights = UNPRIVILEGED if os.geteuid() == 0 else ()
    environment = {key: value for key, value in os.environ.items() if key not in ("HOME", "USER", "LOGNAME")}
    return subprocess.run(
        [*rights, sys.executable, *arguments], cwd=place / "read-only", env=environment, capture_output=True, text=True
    )


def _locate(place: Path, *options: str) -> subprocess.CompletedProcess[str]:
    try:
        probe = _run(place, "-c", "open('written', 'w')")
    except OSError as error:
        pytest.skip(f"the rights of root cannot be laid down here: {error}")
    if "PermissionError" not in probe.stderr:
        pytest.skip(f"the folder is not read-only to this process: {probe.stderr or 'written'}")
    rest = ["--no-overlay", "--withdrawal-start", "0", "--quality", "none", "--quiet", "--threads", "1", *options]
    return _run(place, "-m", "haustra", "locate", "clip.mp4", *rest)


def test_it_runs_in_a_read_only_folder_with_the_output_elsewhere(place: Path) -> None:
    result = _locate(place, "--out", str(place / "writable" / "out"))
    assert result.returncode == 0, result.stderr
    assert (place / "writable" / "out" / "report.html").is_file()
    assert [path.name for path in (place / "read-only").iterdir()] == ["clip.mp4"]


def test_an_output_folder_that_cannot_be_made_there_is_one_line(place: Path) -> None:
    result = _locate(place)
    assert result.returncode == 2, result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("haustra: cannot write to clip-haustra: ")
    assert "--out" in result.stderr, "it says what to do"
