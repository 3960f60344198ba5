"""Which samples belong to the withdrawal, and what the reader is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from haustra.chunks import Observations
from haustra.errors import HaustraError
from haustra.path.estimate import End
from haustra.path.extent import PART_BELOW
from haustra.path.location import UNKNOWN_STD
from haustra.path.steady import PairVelocities
from haustra.path.turning import TurningPoint
from haustra.path.withdrawal import _basis, _warnings, _withdrawal, follow_withdrawal
from haustra.terms import Basis, Extent, Reason


def observed(kept: list[bool], way: float = 0.0) -> Observations:
    count = len(kept)
    motion = np.zeros((count, 6))
    motion[:, 2] = way / count
    motion[0] = np.nan
    reason = tuple(Reason.KEPT if keep else Reason.NON_INFORMATIVE for keep in kept)
    nothing = np.zeros(count, np.float32)
    return Observations(
        np.arange(count) / 10,
        nothing,
        nothing,
        np.array(kept),
        reason,
        motion,
        np.full((count, 6), np.nan),
        np.full((count, 3), np.nan),
    )


def turned(time_s: float, *, confidence: float = 0.9, has_withdrawal: bool = True) -> TurningPoint:
    return TurningPoint(time_s, confidence, True, has_withdrawal, nearly=0.9)


def test_the_withdrawal_is_from_its_start_to_the_last_kept_frame() -> None:
    seen = observed([False, True, True, True, True, True, False])
    assert _withdrawal(seen, None).time_s.tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert _withdrawal(seen, turned(0.25)).time_s.tolist() == pytest.approx([0.3, 0.4, 0.5])
    assert _withdrawal(seen, turned(0.3)).time_s.tolist() == pytest.approx([0.3, 0.4, 0.5])
    assert len(_withdrawal(seen, turned(0.3, has_withdrawal=False)).time_s) == 6, "all, where there is none"
    with pytest.raises(HaustraError, match="2 frames are informative, at least 3 are needed"):
        _withdrawal(seen, turned(0.35))


def test_three_kept_frames_are_enough() -> None:
    assert len(follow_withdrawal(observed([True] * 3), 0.0).basis) == 3
    with pytest.raises(HaustraError, match="2 frames"):
        follow_withdrawal(observed([True, True, False]), 0.0)


@pytest.mark.parametrize(("has_withdrawal", "extent"), [(True, Extent.LIKELY), (False, Extent.UNKNOWN)])
def test_where_no_withdrawal_was_found_no_place_is_told(
    monkeypatch: pytest.MonkeyPatch, has_withdrawal: bool, extent: Extent
) -> None:
    monkeypatch.setattr(
        "haustra.path.withdrawal.withdrawal_start", lambda *_: turned(0.0, has_withdrawal=has_withdrawal)
    )
    found = follow_withdrawal(observed([True] * 300, way=40.0), None)
    assert found.extent is extent
    assert set(found.std == UNKNOWN_STD) == {not has_withdrawal}


@pytest.mark.parametrize(
    ("start_s", "end", "turn", "extent"),
    [
        (0.0, None, None, Extent.LIKELY),
        (None, None, TurningPoint(0.0, 0.3, True, nearly=0.6), Extent.LIKELY),
        (None, None, TurningPoint(0.0, 0.3, True, nearly=0.59), Extent.UNSURE),
        (None, None, TurningPoint(0.0, 1.0, False, nearly=1.0), Extent.UNSURE),
        (None, End(0.0, 0.01), TurningPoint(0.0, 1.0, False), Extent.LIKELY),
    ],
    ids=["start given", "insertion seen", "perhaps an insertion", "no insertion", "place of the start given"],
)
def test_only_what_begins_in_the_cecum_may_be_whole(
    monkeypatch: pytest.MonkeyPatch, start_s: float | None, end: End | None, turn: TurningPoint | None, extent: Extent
) -> None:
    monkeypatch.setattr("haustra.path.withdrawal.withdrawal_start", lambda *_: turn)
    assert follow_withdrawal(observed([True] * 300, way=40.0), start_s, (end, None)).extent is extent


def test_a_place_where_it_begins_leaves_less_of_the_way() -> None:
    seen = observed([True] * 300, way=0.6 * PART_BELOW)
    assert follow_withdrawal(seen, 0.0, (End(0.3, 0.01), None)).extent is Extent.PART
    assert follow_withdrawal(seen, 0.0, (End(0.5, 0.01), None)).extent is Extent.LIKELY


def test_where_the_last_frames_are_not_seen_the_end_is_less_certain() -> None:
    """The scope may have been drawn on behind the last kept frame, or have been out."""
    ends = End(0.0, 0.008), End(1.0, 0.008)
    stds = [
        follow_withdrawal(observed([True] * 300 + [False] * unseen, way=40.0), 0.0, ends).std[-1]
        for unseen in (0, 20, 30, 90)
    ]
    assert stds[0] == pytest.approx(0.008, rel=0.3)
    assert stds[1] == pytest.approx(2.0 / 29.9, rel=0.2)
    assert stds[3] == pytest.approx(stds[2]), "for a few seconds, not for minutes outside"


def test_between_given_ends_there_is_a_place_even_where_little_was_found() -> None:
    ends = End(0.0, 0.008), End(1.0, 0.008)
    found = follow_withdrawal(observed([True] * 300, way=0.9), 0.0, ends)
    assert found.extent is Extent.GIVEN
    assert found.std.max() < 0.5 * UNKNOWN_STD


def test_a_place_rests_on_what_was_measured() -> None:
    measured = np.zeros((4, 6))
    measured[2, 5] = np.nan
    seen = np.array([True, False, False, True])
    pairs = PairVelocities(np.ones(4), measured, measured, seen, ~seen)
    assert _basis(pairs) == (Basis.SEEN, Basis.SEEN, Basis.POOR, Basis.UNSEEN, Basis.SEEN)


@pytest.mark.parametrize(
    ("extent", "words"),
    [
        (Extent.UNKNOWN, "no location can be given"),
        (Extent.PART, "part of a colon"),
        (Extent.UNSURE, "this may be part of a colon: nothing shows that it begins in the cecum"),
        (Extent.LIKELY, "taken for a whole colon"),
        (Extent.GIVEN, None),
    ],
)
def test_each_extent_has_its_warning(extent: Extent, words: str | None) -> None:
    found = _warnings(observed([True] * 5), None, extent)
    assert len(found) == (words is not None)
    assert words is None or words in found[0]


def test_an_unsure_start_and_many_dropped_frames_are_said() -> None:
    seen = observed([True] * 5)
    assert _warnings(seen, turned(65.0, confidence=0.6), Extent.GIVEN) == []
    (start,) = _warnings(seen, turned(65.0, confidence=0.59), Extent.GIVEN)
    assert "01:05 with a confidence of only 59%" in start
    assert _warnings(observed([True, False, False, False, False]), None, Extent.GIVEN) == []
    (few,) = _warnings(observed([True] * 19 + [False] * 81), None, Extent.GIVEN)
    assert few.startswith("81% of the frames were dropped")


def test_the_length_of_a_colon_counts_only_in_the_units_of_a_network_that_learnt_them() -> None:
    """Half of the way is missing in a gap; a network that states no deviations has a unit of its own."""
    kept = [not 100 <= k < 200 for k in range(300)]
    ends = End(0.0, 0.008), End(1.0, 0.008)
    across = []
    for way in (45.0, 0.45):
        seen = observed(kept, way)
        seen.motion[:, 2] *= 1 + np.sin(np.arange(300) / 20)
        seen.motion[100:201] = np.nan
        for std in (np.nan, 0.02 * way / 300):
            index = follow_withdrawal(replace(seen, motion_std=np.full((300, 6), std)), 0.0, ends).index
            across.append(float(index[200] - index[99]))
    large, large_stated, small, small_stated = across
    assert small == pytest.approx(large, abs=1e-3)
    assert large_stated == pytest.approx(large, abs=0.1)
    assert small_stated > small + 0.3


def test_doubt_is_a_pull_only_between_frames_that_are_known_to_be_clear() -> None:
    seen = observed([True] * 300, way=40.0)
    seen.motion_std[:] = 0.01
    seen.motion_std[100:200] = 0.4
    unjudged = replace(seen, p_noninformative=np.full(300, np.nan, np.float32))
    passed = [np.diff(follow_withdrawal(one, 0.0).index[[100, 200]])[0] for one in (seen, unjudged)]
    assert passed[0] > passed[1] + 0.1
