"""One columnar type: what a column's declaration says holds for making, joining, cutting, storing and loading it."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from haustra.core.vocabulary import Reason
from haustra.results.observations import Observations, Thumbnail


def observed(first_s: float = 0.0, problems: tuple[str, ...] = ()) -> Observations:
    return Observations(
        time_s=first_s + np.arange(4) / 15,
        p_noninformative=np.array([0.1, np.nan, 0.3, 0.4], np.float32),
        p_forceps=np.zeros(4, np.float32),
        reason=(Reason.KEPT, Reason.BLACK, Reason.KEPT, Reason.BIOPSY),
        thumbnail=(b"jpeg", b"", b"\0other", b""),
        motion=np.arange(24.0).reshape(4, 6),
        motion_std=np.arange(24.0, 48.0).reshape(4, 6),
        lumen=np.array([[np.nan] * 3, [0.1, 0.2, 0.3], [np.nan] * 3, [0.4, 0.5, 0.6]]),
        problems=problems,
    )


def assert_same(a: Observations, b: Observations) -> None:
    first, second = a.to_arrays(), b.to_arrays()
    assert first.keys() == second.keys()
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name], name)


def test_columns_that_no_stage_filled_are_missing() -> None:
    bare = Observations(time_s=np.arange(3.0))
    assert bare.kept.all()
    assert np.isnan(bare.p_forceps).all()
    assert bare.motion.shape == (3, 6)
    assert (bare.thumbnails, bare.problems) == ((), ())
    assert len(bare) == 3
    with pytest.raises(ValueError, match="time_s"):
        Observations(time_s=np.array([0.0, np.nan]))


def test_parts_joined_are_the_whole_and_the_whole_cut_is_its_parts() -> None:
    a, b = observed(), observed(10.0, ("cut off",))
    both = Observations.concatenated([replace(a, problems=("1 corrupt",)), replace(b, problems=("2 corrupt",))])
    assert len(both) == 8
    assert both.time_s.tolist() == [*a.time_s, *b.time_s]
    assert both.problems == ("2 corrupt",), "all that is known at the end"
    assert both.thumbnails[2:] == (Thumbnail(10.0, b"jpeg"), Thumbnail(10.0 + 2 / 15, b"\0other"))
    assert both.kept.tolist() == [True, False, True, False] * 2
    for part, rows in ((a, slice(0, 4)), (b, slice(4, 8))):
        assert_same(replace(both.rows(rows), problems=()), replace(part, problems=()))


def test_a_file_without_pickles_gives_everything_back() -> None:
    seen, file = observed(problems=("cut off",)), io.BytesIO()
    np.savez(file, allow_pickle=False, **seen.to_arrays())
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        found = Observations.from_arrays(arrays)
    assert_same(found, seen)
    assert (found.reason, found.thumbnail, found.problems) == (seen.reason, seen.thumbnail, seen.problems)
    nothing = Observations(time_s=np.empty(0))
    assert_same(Observations.from_arrays(nothing.to_arrays()), nothing)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("time_s", np.arange(4, dtype=np.float32)),
        ("p_forceps", np.zeros(5, np.float32)),
        ("p_forceps", np.array([0, 0, 1.5, 0], np.float32)),
        ("motion", np.zeros((4, 5))),
        ("motion_std", np.full((4, 6), -1.0)),
        ("reason", np.array(["", "", "", "bored"])),
        ("thumbnail_end", np.array([0, 4, 4, 10])),
    ],
)
def test_a_file_that_breaks_a_declaration_is_refused(name: str, value: np.ndarray[Any, Any]) -> None:
    with pytest.raises(ValueError):
        Observations.from_arrays(observed().to_arrays() | {name: value})


def test_a_file_without_a_column_is_refused() -> None:
    arrays = observed().to_arrays()
    del arrays["lumen"]
    with pytest.raises(KeyError):
        Observations.from_arrays(arrays)
