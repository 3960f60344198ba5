"""Versions: saved one after the other, never changed; who set what; what differs in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from haustra.core.errors import HaustraError
from haustra.core.files import keep
from haustra.results import versions
from haustra.results.annotations import FORMAT, Annotations, Comment, NotedFinding
from haustra.results.folder import held
from haustra.results.versions import (
    StaleVersionError,
    Version,
    authors,
    history,
    keep_original,
    lineage,
    next_version,
    original,
)


def said(**times_s: float) -> Annotations:
    return Annotations(FORMAT, times_s=times_s)


def append(folder: Path, annotations: Annotations, **how: Any) -> Version:
    version = next_version(folder, annotations, **how)
    versions.append(folder, version)
    return version


def test_every_save_is_one_more_and_none_is_changed(tmp_path: Path) -> None:
    assert history(tmp_path) == []
    first = append(tmp_path, said(ascending=10), by="A")
    before = (tmp_path / "versions" / "0001.json").read_bytes()
    second = append(tmp_path, said(ascending=10, rectum=50), by="B", newest=1)
    assert history(tmp_path) == [first, second]
    assert (first.parent, second.parent, second.made.utcoffset() is not None) == (0, 1, True)
    assert (tmp_path / "versions" / "0001.json").read_bytes() == before


def test_what_was_made_from_an_older_version_is_refused_and_nothing_saved(tmp_path: Path) -> None:
    append(tmp_path, said(ascending=10), by="A")
    with pytest.raises(StaleVersionError, match=r"version 1 was saved by A at .* made from version 0: reload"):
        append(tmp_path, said(rectum=50), by="B", newest=0)
    with pytest.raises(StaleVersionError, match="there is no version 3"):
        append(tmp_path / "other", said(), by="B", newest=3)
    assert len(history(tmp_path)) == 1


def test_a_time_is_that_of_the_one_who_first_saved_it_as_it_is(tmp_path: Path) -> None:
    append(tmp_path, said(ascending=10, rectum=50), by="A")
    append(tmp_path, said(ascending=10, rectum=55), by="B")
    append(tmp_path, said(ascending=10, rectum=55, stop=90), by="")
    assert authors(history(tmp_path)) == {"ascending": "A", "rectum": "B", "stop": "a person"}


def test_a_reading_that_began_anew_owes_nothing_to_the_others(tmp_path: Path) -> None:
    append(tmp_path, said(ascending=10), by="A")
    own = append(tmp_path, said(ascending=10, rectum=50), by="B", newest=1, parent=0)
    assert own.changes == ("ascending entered 00:10", "rectum entered 00:50")
    assert authors(history(tmp_path)) == {"ascending": "B", "rectum": "B"}
    assert lineage(history(tmp_path), 2) == [own]


def test_changes_are_said_in_words(tmp_path: Path) -> None:
    finding = NotedFinding("polyp", 12.0)
    append(tmp_path, Annotations(FORMAT, times_s={"cecum": 3, "rectum": 60}, findings=(finding,)), by="A")
    after = Annotations(FORMAT, times_s={"rectum": 75.4}, comments=(Comment("a"), Comment("b")), reviewed=True)
    assert append(tmp_path, after, by="A").changes == (
        "start left to Haustra",
        "rectum entered 01:15 (was 01:00)",
        "1 finding removed",
        "2 comments added",
        "reviewed",
    )


def test_the_original_outlives_what_replaces_it(tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text("old")
    assert original(tmp_path) == tmp_path
    for _ in range(2):
        keep_original(tmp_path, ["summary.json", "not there"])
        new = tmp_path / "new"
        new.write_text("new")
        new.replace(tmp_path / "summary.json")
    assert (original(tmp_path) / "summary.json").read_text() == "old"
    assert (tmp_path / "summary.json").read_text() == "new"


@pytest.mark.parametrize("kept_before_the_end", [0, 1, 2])
def test_killed_while_the_original_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept_before_the_end: int
) -> None:
    """A part of the original is not taken for all of it; the next save keeps the rest."""
    names = ["summary.json", "frames.parquet", "template.json"]
    for name in names:
        (tmp_path / name).write_text("old")
    left = iter(range(kept_before_the_end))

    def killed_in_time(source: Path, target: Path) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        keep(source, target)

    with monkeypatch.context() as patch:
        patch.setattr("haustra.results.versions.keep", killed_in_time)
        with pytest.raises(KeyboardInterrupt):
            keep_original(tmp_path, names)
    assert all((original(tmp_path) / name).read_text() == "old" for name in names)
    keep_original(tmp_path, names)
    assert all((original(tmp_path) / name).read_text() == "old" for name in names)
    assert original(tmp_path) != tmp_path


def test_a_file_that_is_no_version_is_named(tmp_path: Path) -> None:
    append(tmp_path, said(), by="A")
    (tmp_path / "versions" / "0001.json").write_text('{"format": "haustra-version-1", "number": 1}')
    with pytest.raises(HaustraError, match=r"0001\.json"):
        history(tmp_path)


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(HaustraError, match="in use by another run"), held(tmp_path):
        pass
