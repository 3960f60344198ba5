"""Chunks on disk belong to one run, and nothing else in their folder is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_observations import assert_same, observed

from haustra.results.journal import Journal, is_journal, load_observations


def test_a_second_run_finds_finished_chunks_as_they_were(tmp_path: Path) -> None:
    first = Journal(tmp_path / "j", "this run")
    assert not first.resumed
    chunks = [observed(), observed(10.0, ("cut off",))]
    for number, chunk in enumerate(chunks):
        first.save(number, chunk)
    again = Journal(tmp_path / "j", "this run")
    assert again.resumed
    for found, chunk in zip(again.chunks(), chunks, strict=True):
        assert_same(found, chunk)


def test_chunks_after_a_hole_do_not_count(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", "this run")
    journal.save(1, observed())
    assert not list(journal.chunks())


def test_another_run_starts_anew_and_says_so(tmp_path: Path) -> None:
    Journal(tmp_path / "j", "this run").save(0, observed())
    other = Journal(tmp_path / "j", "another")
    assert other.replaced
    assert not list(other.chunks())


def test_a_chunk_of_another_run_is_refused_wherever_it_lies(tmp_path: Path) -> None:
    """Two runs that wrote into one folder, one after the other: what the mark says is not enough."""
    Journal(tmp_path / "a", "this run").save(0, observed())
    other = Journal(tmp_path / "b", "another")
    (tmp_path / "a" / "chunk-000000.npz").rename(tmp_path / "b" / "chunk-000000.npz")
    assert not list(other.chunks())
    assert load_observations(tmp_path / "b" / "chunk-000000.npz", "this run") is not None


def test_a_damaged_chunk_counts_as_not_done(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", "this run")
    journal.save(0, observed())
    file = tmp_path / "j" / "chunk-000000.npz"
    for content in (file.read_bytes()[:100], b""):
        file.write_bytes(content)
        assert not list(journal.chunks())


def test_nothing_but_its_own_files_is_removed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", "this run")
    journal.save(0, observed())
    assert is_journal(tmp_path / "j")
    (tmp_path / "j" / "thesis.tex").write_text("years of work")
    assert not is_journal(tmp_path / "j")
    journal.discard()
    assert [path.name for path in (tmp_path / "j").iterdir()] == ["thesis.tex"]


@pytest.mark.posix
def test_a_journal_behind_a_link_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".work").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert not is_journal(tmp_path / ".work")
