"""Chunks on disk belong to one run, and nothing else in their folder is touched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from haustra.chunks import Chunk, Thumbnail, whole
from haustra.resume import Journal, is_journal, load_chunk
from haustra.terms import Reason


def made_chunk(first_s: float = 0.0, problems: tuple[str, ...] = ()) -> Chunk:
    return Chunk(
        time_s=first_s + np.arange(4) / 15,
        p_noninformative=np.array([0.1, np.nan, 0.3, 0.4], np.float32),
        p_forceps=np.zeros(4, np.float32),
        kind=(Reason.KEPT, Reason.BLACK, Reason.KEPT, Reason.KEPT),
        motion=np.arange(24.0).reshape(4, 6),
        motion_std=np.arange(24.0, 48.0).reshape(4, 6),
        lumen=np.array([[np.nan] * 3, [0.1, 0.2, 0.3], [np.nan] * 3, [0.4, 0.5, 0.6]]),
        last_s=first_s + 0.2,
        last=np.full((2, 2, 3), 7, np.uint8),
        thumbnails=(Thumbnail(first_s, b"jpeg"), Thumbnail(first_s + 0.2, b"")),
        problems=problems,
    )


def same(a: Chunk, b: Chunk) -> None:
    for name, array in a.to_arrays().items():
        np.testing.assert_array_equal(array, b.to_arrays()[name], name)
    assert (a.kind, a.thumbnails, a.problems) == (b.kind, b.thumbnails, b.problems)


def test_a_second_run_finds_finished_chunks_as_they_were(tmp_path: Path) -> None:
    first = Journal(tmp_path / "j", "this run")
    assert not first.resumed
    chunks = [made_chunk(), made_chunk(10.0, ("cut off",))]
    for number, chunk in enumerate(chunks):
        first.save(number, chunk)
    again = Journal(tmp_path / "j", "this run")
    assert again.resumed
    for found, chunk in zip(again.chunks(), chunks, strict=True):
        same(found, chunk)


def test_chunks_after_a_hole_do_not_count(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", "this run")
    journal.save(1, made_chunk())
    assert journal.chunks() == []


def test_another_run_starts_anew_and_says_so(tmp_path: Path) -> None:
    Journal(tmp_path / "j", "this run").save(0, made_chunk())
    other = Journal(tmp_path / "j", "another")
    assert other.replaced
    assert other.chunks() == []


def test_a_chunk_of_another_run_is_refused_wherever_it_lies(tmp_path: Path) -> None:
    """Two runs that wrote into one folder, one after the other: what the mark says is not enough."""
    Journal(tmp_path / "a", "this run").save(0, made_chunk())
    other = Journal(tmp_path / "b", "another")
    (tmp_path / "a" / "chunk-000000.npz").rename(tmp_path / "b" / "chunk-000000.npz")
    assert other.chunks() == []
    assert load_chunk(tmp_path / "b" / "chunk-000000.npz", "this run") is not None


def test_a_damaged_chunk_counts_as_not_done(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", "this run")
    journal.save(0, made_chunk())
    file = tmp_path / "j" / "chunk-000000.npz"
    for content in (file.read_bytes()[:100], b""):
        file.write_bytes(content)
        assert journal.chunks() == []


def test_nothing_but_its_own_files_is_removed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", "this run")
    journal.save(0, made_chunk())
    assert is_journal(tmp_path / "j")
    (tmp_path / "j" / "thesis.tex").write_text("years of work")
    assert not is_journal(tmp_path / "j")
    journal.discard()
    assert [path.name for path in (tmp_path / "j").iterdir()] == ["thesis.tex"]


def test_the_whole_is_its_chunks_one_after_the_other() -> None:
    a, b = made_chunk(), replace(made_chunk(10.0), problems=("cut off",))
    both = whole([a, b])
    assert both.time_s.tolist() == [*a.time_s, *b.time_s]
    assert both.motion.shape == (8, 6)
    assert both.thumbnails == a.thumbnails + b.thumbnails
    assert (both.last_s, both.problems) == (b.last_s, ("cut off",))
