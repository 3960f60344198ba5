"""Files of strangers behind a link stay as they are, whatever we remove or write."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from haustra.core.errors import HaustraError
from haustra.core.owned import files_below, open_to_append, own_name, remove, replacing_in

pytestmark = pytest.mark.posix


@pytest.fixture
def strangers(tmp_path: Path) -> Path:
    folder = tmp_path / "strangers"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    return folder


@pytest.fixture
def ours(tmp_path: Path, strangers: Path) -> Path:
    root = tmp_path / "ours"
    root.mkdir()
    (root / "linked").symlink_to(strangers, target_is_directory=True)
    (root / "file").symlink_to(strangers / "thesis.txt")
    return root


def test_a_file_behind_a_linked_folder_is_not_removed(ours: Path, strangers: Path) -> None:
    with pytest.raises(HaustraError, match="is a link"):
        remove(ours, "linked/thesis.txt")
    assert (strangers / "thesis.txt").read_text() == "years of work"


def test_removing_a_link_leaves_what_it_points_to(ours: Path, strangers: Path) -> None:
    remove(ours, "file")
    assert not (ours / "file").is_symlink()
    assert (strangers / "thesis.txt").exists()


def test_a_file_behind_a_link_is_not_replaced(ours: Path, strangers: Path) -> None:
    with pytest.raises(HaustraError, match="is a link"), replacing_in(ours, "linked/thesis.txt") as temporary:
        temporary.write_text("gone")
    with replacing_in(ours, "file") as temporary:
        temporary.write_text("ours")
    assert (ours / "file").read_text() == "ours"
    assert (strangers / "thesis.txt").read_text() == "years of work"


def test_a_log_that_is_a_link_is_not_written_to(ours: Path, strangers: Path) -> None:
    with pytest.raises(HaustraError, match="is a link"):
        open_to_append(ours, "file")
    assert (strangers / "thesis.txt").read_text() == "years of work"


def test_files_behind_links_are_not_listed(ours: Path) -> None:
    (ours / "sub").mkdir()
    (ours / "sub" / "own.txt").touch()
    (ours / "sub" / ".hidden").touch()
    assert files_below(ours) == ["sub/own.txt"]
    with pytest.raises(HaustraError, match="is a link"):
        files_below(ours, "linked")


@pytest.mark.parametrize("name", ["../strangers/thesis.txt", "/etc/passwd", "", "a/../../b"])
def test_a_name_that_leads_outside_is_refused(ours: Path, name: str) -> None:
    for take in (own_name, partial(remove, ours)):
        with pytest.raises(HaustraError, match="not a name inside"):
            take(name)


def test_what_is_not_there_need_not_be_removed(ours: Path) -> None:
    remove(ours, "nothing/at/all")
