"""The paper's index of a withdrawal: kept frames chained, gaps bridged, dropped frames interpolated."""

from __future__ import annotations

import numpy as np
import pytest
from made_observations import RATE, made_observations

from haustra.core.vocabulary import Basis, Extent, IndexMethod, Reason
from haustra.path.frame_locations import UNKNOWN_STD, End
from haustra.path.paper_index.kept_frames import paper_basis, paper_location
from haustra.path.parameters import PathParameters
from haustra.path.withdrawal import follow_withdrawal
from haustra.results.observations import Observations

COUNT = 300
PARAMETERS = PathParameters()
ENDS = End(0.0, 0.01), End(1.0, 0.02)
GAP = slice(100, 150)


def drawn_back(dropped: Reason = Reason.NON_INFORMATIVE, *, measured: bool = True) -> Observations:
    """Straight back at an even pace; for 5 s nothing is kept."""
    motion = np.zeros((COUNT, 6))
    motion[:, 2] = 0.1  # s(a->b) takes points of a into b: what is drawn back sees them further away
    motion[0] = np.nan
    reason = [Reason.KEPT] * COUNT
    reason[GAP] = [dropped] * 50
    motion[GAP] = 5.0  # whatever dropped frames say
    if not measured:
        motion[GAP.stop] = np.nan
    return made_observations(motion, reason=reason)


@pytest.mark.parametrize("measured", [True, False])
def test_gaps_are_bridged_at_the_speed_around_them_whatever_dropped_frames_say(measured: bool) -> None:
    found = paper_location(drawn_back(measured=measured), ENDS, PARAMETERS)
    np.testing.assert_allclose(found.index, np.arange(COUNT) / (COUNT - 1), atol=0.003)


def test_dropped_frames_have_an_index_and_no_pose() -> None:
    seen = drawn_back()
    found = paper_location(seen, ENDS, PARAMETERS)
    assert np.isfinite(found.index).all()
    np.testing.assert_array_equal(np.isfinite(found.T_w_c).all(axis=(1, 2)), seen.kept)


def test_a_motion_from_the_last_kept_frame_over_frames_without_a_picture_is_used() -> None:
    """Black frames are not looked at: the motion of the next sample begins at the last that has a picture."""
    black = drawn_back(Reason.BLACK)
    black.motion[GAP.stop, 2] = 40.0  # as far as all others together
    found = paper_location(black, ENDS, PARAMETERS).index
    assert found[GAP.stop] - found[GAP.start - 1] == pytest.approx(40 / (40 + 0.1 * 248), abs=0.02)


def test_what_each_frame_rests_on() -> None:
    basis = paper_basis(drawn_back())
    assert set(basis[: GAP.start]) == {Basis.SEEN}
    assert set(basis[GAP.start : GAP.stop + 1]) == {Basis.UNSEEN}, "interpolated, and the first after the gap bridged"
    assert set(basis[GAP.stop + 1 :]) == {Basis.SEEN}


def test_turns_are_chained() -> None:
    """Round a quarter circle of the colon and back: a straight chord would be too short."""
    motion = np.zeros((COUNT, 6))
    motion[:, 2], motion[:, 4] = 0.1, np.where(np.arange(COUNT) < 150, np.pi / 2 / 150, -np.pi / 2 / 150)
    found = paper_location(made_observations(motion), ENDS, PARAMETERS)
    np.testing.assert_allclose(found.index, np.arange(COUNT) / (COUNT - 1), atol=0.005)
    straight = np.linalg.norm(found.T_w_c[-1, :3, 3] - found.T_w_c[0, :3, 3])
    assert straight < 0.95 * 0.1 * (COUNT - 1)


def test_uncertainty_is_that_of_the_ends_there_and_larger_between() -> None:
    found = paper_location(drawn_back(), ENDS, PARAMETERS)
    assert (found.std[0], found.std[-1]) == pytest.approx((0.01, 0.02), rel=0.1)
    assert found.std[COUNT // 2] > 0.02


def test_given_ends_are_kept_to() -> None:
    found = paper_location(drawn_back(), (End(0.3, 0.01), End(0.7, 0.01)), PARAMETERS)
    assert (found.index[0], found.index[-1]) == pytest.approx((0.3, 0.7))


def test_it_is_the_index_of_a_followed_withdrawal_when_asked_for() -> None:
    seen = drawn_back()
    ours, paper = (follow_withdrawal(seen, 0.0, index=index) for index in IndexMethod)
    assert paper.extent is ours.extent is Extent.LIKELY
    assert paper.seen.time_s[-1] == (COUNT - 1) / RATE
    assert Basis.POOR in ours.basis
    assert Basis.POOR not in paper.basis
    assert len(paper.trajectory.positions) == COUNT - 50
    assert np.isfinite(paper.trajectory.positions).all()


def test_a_camera_that_does_not_move_has_no_place() -> None:
    found = paper_location(made_observations(np.zeros((COUNT, 6))), ENDS, PARAMETERS)
    assert found.std.min() >= 0.9 * UNKNOWN_STD
