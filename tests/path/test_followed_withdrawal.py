"""Which samples belong to the withdrawal, and what the reader is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_observations import made_observations
from made_pairs import made_pairs

from haustra.core.errors import HaustraError
from haustra.core.vocabulary import Basis, Extent
from haustra.path.frame_locations import UNKNOWN_STD, End
from haustra.path.parameters import PathParameters
from haustra.path.warnings import path_warnings
from haustra.path.withdrawal import _basis, _withdrawal, follow_withdrawal
from haustra.path.withdrawal_start import StartEstimate
from haustra.results.observations import Observations

PARAMETERS = PathParameters()
PART_BELOW = PARAMETERS.extent.part_below


def observed(kept: list[bool], distance: float = 0.0) -> Observations:
    count = len(kept)
    motion = np.zeros((count, 6))
    motion[:, 2] = distance / count
    motion[0] = np.nan
    return made_observations(motion, kept=kept)


def start_at(time_s: float, *, confidence: float = 0.9, has_withdrawal: bool = True) -> StartEstimate:
    return StartEstimate(time_s, confidence, True, has_withdrawal, nearly_confidence=0.9)


def test_the_withdrawal_is_from_its_start_to_the_last_kept_frame() -> None:
    seen = observed([False, True, True, True, True, True, False])
    assert _withdrawal(seen, None).time_s.tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert _withdrawal(seen, start_at(0.25)).time_s.tolist() == pytest.approx([0.3, 0.4, 0.5])
    assert _withdrawal(seen, start_at(0.3)).time_s.tolist() == pytest.approx([0.3, 0.4, 0.5])
    assert len(_withdrawal(seen, start_at(0.3, has_withdrawal=False)).time_s) == 6, "all, where there is none"


def test_three_kept_frames_are_enough() -> None:
    assert len(follow_withdrawal(observed([True] * 3), 0.0).basis) == 3
    with pytest.raises(HaustraError, match="2 informative frames"):
        follow_withdrawal(observed([True, True, False]), 0.0)


@pytest.mark.parametrize(("has_withdrawal", "extent"), [(True, Extent.LIKELY), (False, Extent.UNKNOWN)])
def test_where_no_withdrawal_was_found_no_location_is_known(
    monkeypatch: pytest.MonkeyPatch, has_withdrawal: bool, extent: Extent
) -> None:
    monkeypatch.setattr(
        "haustra.path.withdrawal.withdrawal_start", lambda *_: start_at(0.0, has_withdrawal=has_withdrawal)
    )
    found = follow_withdrawal(observed([True] * 300, distance=40.0), None)
    assert found.extent is extent
    assert set(found.std == UNKNOWN_STD) == {not has_withdrawal}


@pytest.mark.parametrize(
    ("start_s", "end", "start", "extent"),
    [
        (0.0, None, None, Extent.LIKELY),
        (None, None, StartEstimate(0.0, 0.3, True, nearly_confidence=0.6), Extent.LIKELY),
        (None, None, StartEstimate(0.0, 0.3, True, nearly_confidence=0.59), Extent.UNSURE),
        (None, None, StartEstimate(0.0, 1.0, False, nearly_confidence=1.0), Extent.UNSURE),
        (None, End(0.0, 0.01), StartEstimate(0.0, 1.0, False), Extent.LIKELY),
    ],
    ids=["start given", "insertion seen", "perhaps an insertion", "no insertion", "place of the start given"],
)
def test_only_what_begins_in_the_cecum_may_be_whole(
    monkeypatch: pytest.MonkeyPatch, start_s: float | None, end: End | None, start: StartEstimate | None, extent: Extent
) -> None:
    monkeypatch.setattr("haustra.path.withdrawal.withdrawal_start", lambda *_: start)
    assert follow_withdrawal(observed([True] * 300, distance=40.0), start_s, (end, None)).extent is extent


def test_a_known_beginning_leaves_less_of_the_colon() -> None:
    seen = observed([True] * 300, distance=0.6 * PART_BELOW)
    assert follow_withdrawal(seen, 0.0, (End(0.3, 0.01), None)).extent is Extent.PART
    assert follow_withdrawal(seen, 0.0, (End(0.5, 0.01), None)).extent is Extent.LIKELY


def test_with_an_unsure_lens_locations_are_the_same_and_less_certain() -> None:
    seen = observed([True] * 300, distance=40.0)
    given, found, typical = (follow_withdrawal(seen, 0.0, lens_std=std) for std in (0.0, 0.05, 0.2))
    np.testing.assert_array_equal(given.index, typical.index)
    middle = slice(75, 225)
    assert (given.std[middle] < found.std[middle]).all()
    assert typical.std[middle].mean() > 1.2 * given.std[middle].mean()


def test_where_the_last_frames_are_not_seen_the_end_is_less_certain() -> None:
    """The scope may have been drawn on behind the last kept frame, or have been out."""
    ends = End(0.0, 0.008), End(1.0, 0.008)
    stds = [
        follow_withdrawal(observed([True] * 300 + [False] * unseen, distance=40.0), 0.0, ends).std[-1]
        for unseen in (0, 20, 30, 90)
    ]
    assert stds[0] == pytest.approx(0.008, rel=0.3)
    assert stds[1] == pytest.approx(2.0 / 29.9, rel=0.2)
    assert stds[3] == pytest.approx(stds[2]), "for a few seconds, not for minutes outside"


def test_between_given_ends_there_is_a_place_even_where_little_was_found() -> None:
    ends = End(0.0, 0.008), End(1.0, 0.008)
    found = follow_withdrawal(observed([True] * 300, distance=0.9), 0.0, ends)
    assert found.extent is Extent.GIVEN
    assert found.std.max() < 0.5 * UNKNOWN_STD


def test_a_place_rests_on_what_was_measured() -> None:
    measured = np.zeros((4, 6))
    measured[2, 5] = np.nan
    seen = np.array([True, False, False, True])
    pairs = made_pairs(measured, clear=seen, instrument=~seen)
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
    found = path_warnings(np.ones(5, bool), None, extent, PARAMETERS)
    assert len(found) == (words is not None)
    assert words is None or words in found[0]


def test_an_unsure_start_and_many_dropped_frames_are_said() -> None:
    def warned(kept: list[bool], start: StartEstimate | None = None) -> list[str]:
        return path_warnings(np.array(kept), start, Extent.GIVEN, PARAMETERS)

    assert warned([True] * 5, start_at(65.0, confidence=0.6)) == []
    (start,) = warned([True] * 5, start_at(65.0, confidence=0.59))
    assert "01:05 with a confidence of only 59%" in start
    assert warned([True, False, False, False, False]) == []
    (few,) = warned([True] * 19 + [False] * 81)
    assert few.startswith("81% of the frames were dropped")


def test_the_length_of_a_colon_counts_only_for_a_network_whose_unit_is_the_calibre() -> None:
    """Half of the path is missing in a gap; a network that predicts no deviations has a unit of its own."""
    kept = [not 100 <= k < 200 for k in range(300)]
    ends = End(0.0, 0.008), End(1.0, 0.008)
    across = []
    for distance in (45.0, 0.45):
        seen = observed(kept, distance)
        seen.motion[:, 2] *= 1 + np.sin(np.arange(300) / 20)
        seen.motion[100:201] = np.nan
        for std in (np.nan, 0.02 * distance / 300):
            index = follow_withdrawal(replace(seen, motion_std=np.full((300, 6), std)), 0.0, ends).index
            across.append(float(index[200] - index[99]))
    large, large_in_calibres, small, small_in_calibres = across
    assert small == pytest.approx(large, abs=1e-3)
    assert large_in_calibres == pytest.approx(large, abs=0.1)
    assert small_in_calibres > small + 0.3


def test_large_steps_are_corrected_only_between_frames_that_are_known_to_be_clear() -> None:
    seen = observed([True] * 300, distance=40.0)
    seen.motion_std[:] = 0.01
    seen.motion_std[100:200] = 0.4
    unassessed = replace(seen, p_noninformative=np.full(300, np.nan, np.float32))
    passed = [np.diff(follow_withdrawal(one, 0.0).index[[100, 200]])[0] for one in (seen, unassessed)]
    assert passed[0] > passed[1] + 0.1
