"""Temporary files: gone at the end, told from those of a living process, swept when their process is dead."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from haustra.core.errors import HaustraError
from haustra.core.files import replacing, write_text
from haustra.core.sharing import is_shared, make_folder, sharing
from haustra.core.temporary import is_temporary, scratch_folder, sweep, sweep_below, temporary_file

HOLDING = """
import sys
from pathlib import Path
from haustra.core.temporary import {made}
with {made}({arguments}) as path:
    print(path, flush=True)
    sys.stdin.read()
"""


def holder(made: str, arguments: str) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING.format(made=made, arguments=arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


@pytest.mark.parametrize("made", ["temporary_file", "scratch_folder"])
def test_a_sweep_takes_what_a_killed_process_left_and_nothing_that_is_in_use(made: str, tmp_path: Path) -> None:
    more = ", '.mp4'" if made == "temporary_file" else ""
    process, left = holder(made, f"Path({str(tmp_path)!r}){more}")
    sweep(tmp_path)
    assert left.exists()
    process.kill()
    process.wait()
    assert left.exists()
    sweep(tmp_path)
    assert not left.exists()


@pytest.mark.posix
def test_only_our_own_names_are_swept_and_no_link_is_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / ".haustra-aaaaaaaa.mp4").write_bytes(b"theirs")
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / ".haustra-mine").write_text("not one of these")
    (folder / "deep" / ".haustra-bbbbbbbb.json").write_text("left")
    (folder / ".haustra-cccccccc").symlink_to(outside)
    (folder / "linked").symlink_to(outside)
    sweep_below(folder)
    assert (outside / ".haustra-aaaaaaaa.mp4").exists()
    assert (folder / ".haustra-mine").exists()
    assert (folder / ".haustra-cccccccc").is_symlink()
    assert not (folder / "deep" / ".haustra-bbbbbbbb.json").exists()


def test_the_first_file_that_is_written_in_a_folder_sweeps_it(tmp_path: Path) -> None:
    (tmp_path / ".haustra-aaaaaaaa.csv").write_text("left by a process that was killed")
    write_text(tmp_path / "a.json", "{}")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_nothing_is_left_when_writing_fails(tmp_path: Path) -> None:
    def interrupted() -> None:
        with replacing(tmp_path / "a.json") as temporary:
            assert is_temporary(temporary.name)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.posix
def test_scratch_is_gone_and_links_in_it_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "recording.mp4").write_bytes(b"a patient")
    with scratch_folder(tmp_path) as scratch:
        (scratch / "video").symlink_to(tmp_path / "data")
        assert scratch.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
    assert (tmp_path / "data" / "recording.mp4").exists()


@pytest.mark.posix
@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
def test_outputs_are_the_users_alone_unless_shared(tmp_path: Path) -> None:
    write_text(tmp_path / "own" / "a.json", "{}")
    with sharing(True):
        write_text(tmp_path / "shared" / "a.json", "{}")
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes["own"] == 0o700
    assert (tmp_path / "own" / "a.json").stat().st_mode & 0o777 == 0o600
    assert not is_shared(tmp_path / "own" / "a.json")
    umask = 0o777 & ~modes["shared"]
    assert (tmp_path / "shared" / "a.json").stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_file_in_the_way_of_a_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(HaustraError, match="cannot write"):
        write_text(tmp_path / "a" / "b.json", "")
    with pytest.raises(OSError, match="not a folder"):
        make_folder(tmp_path / "a")


def test_a_name_that_is_not_utf8_is_written_somehow(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "caf\udce9.mp4")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "caf?.mp4"


def test_a_temporary_file_can_be_renamed(tmp_path: Path) -> None:
    with temporary_file(tmp_path, ".json") as path:
        path.replace(tmp_path / "a.json")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
