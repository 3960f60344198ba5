import numpy as np
import pytest
from made_pairs import made_pairs

from haustra.core.arrays import FloatArray
from haustra.path.parameters import PathParameters
from haustra.path.travel import estimate_travel
from haustra.path.withdrawal_start import PictureSupport, StartEstimate, _most_probable, _start_near
from haustra.path.withdrawal_start import withdrawal_start as start_of

RATE = 15.0
PARAMETERS = PathParameters()


def withdrawal_start(time_s: FloatArray, forward: FloatArray, support: PictureSupport | None = None) -> StartEstimate:
    """With the camera looking straight on; motion that is not finite was not measured."""
    step_s = np.diff(time_s)
    velocity = np.zeros((len(step_s), 6))
    velocity[:, 2] = forward[1:] / step_s
    seen = np.isfinite(velocity).all(axis=1)
    std = np.full_like(velocity, 0.05 * max(float(np.nanstd(velocity[:, 2])) if seen.any() else 1.0, 1e-9))
    pairs = made_pairs(velocity, step_s=step_s, noise_std=std, clear=seen)
    return start_of(time_s, estimate_travel(pairs, PARAMETERS), support, PARAMETERS.start)


def _forward(*stretches: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Times and forward motion of stretches (seconds, speed), with the tremor of a hand."""
    speed = np.concatenate([np.full(round(seconds * RATE), speed) for seconds, speed in stretches])
    tremor = np.random.default_rng(1).normal(0, 0.3, len(speed))
    return np.arange(len(speed)) / RATE, (speed + tremor) / RATE


def _without(time_s: FloatArray, forward: FloatArray, *gaps: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """The same with removed frames; the motion across each gap is unknown."""
    forward, kept = forward.copy(), np.ones(len(time_s), dtype=bool)
    for start, end in gaps:
        kept &= (time_s <= start) | (time_s >= end)
        forward[np.searchsorted(time_s, end)] = np.nan
    return time_s[kept], forward[kept]


def test_the_turn_is_found_with_confidence() -> None:
    time_s, forward = _forward((60, 1.5), (120, -0.8))
    turn = withdrawal_start(time_s, forward)
    assert turn.has_insertion
    assert turn.time_s == pytest.approx(60, abs=3)
    assert turn.confidence > 0.8


def test_a_re_insertion_is_not_the_turn() -> None:
    time_s, forward = _forward((60, 1.5), (40, -0.8), (8, 1.0), (80, -0.8))
    turn = withdrawal_start(time_s, forward)
    assert turn.time_s == pytest.approx(60, abs=3)


def test_the_withdrawal_starts_when_the_wait_in_the_cecum_ends() -> None:
    time_s, forward = _forward((60, 1.5), (20, 0.0), (120, -0.8))
    assert withdrawal_start(time_s, forward).time_s == pytest.approx(80, abs=3)


def test_steps_found_too_short_on_the_way_in_do_not_make_a_withdrawal_of_it() -> None:
    """To and fro all the way in; in the last minute of it what is pushed in is found shorter than what is drawn back,
    so that the deepest point lies before."""
    to_and_fro = [(1.0, speed) for speeds in ((2.0, -0.6), (1.0, -1.2)) for speed in speeds * 30]
    time_s, forward = _forward(*to_and_fro, (120, -0.8))
    depth = np.cumsum(forward)
    assert depth[depth.argmax() :].max() > depth[time_s.searchsorted(119)] + 5, "the deepest point is another"
    assert withdrawal_start(time_s, forward).time_s == pytest.approx(120, abs=8)


def test_a_recording_of_the_withdrawal_alone_is_recognised() -> None:
    time_s, forward = _forward((30, -0.8), (5, 1.0), (120, -0.8))
    turn = withdrawal_start(time_s + 7, forward)
    assert not turn.has_insertion
    assert turn.time_s == 7
    assert turn.confidence > 0.8


def test_a_recording_without_a_withdrawal_gives_no_confidence() -> None:
    time_s, forward = _forward((120, 0.8), (5, -1.0))
    turn = withdrawal_start(time_s, forward)
    assert turn.has_insertion
    assert turn.confidence == 0.0


def test_two_equal_tops_leave_the_start_uncertain() -> None:
    time_s, forward = _forward((60, 1.0), (30, -1.0), (30, 1.0), (60, -1.0))
    assert withdrawal_start(time_s, forward).confidence < 0.75


def test_pictures_decide_between_two_equal_tops() -> None:
    time_s, forward = _forward((60, 1.0), (30, -1.0), (30, 1.0), (60, -1.0))
    alone = withdrawal_start(time_s, forward)
    for top in (60.0, 120.0):
        shown = withdrawal_start(time_s, forward, lambda starts, top=top: -0.1 * np.abs(starts - top))
        assert shown.time_s == pytest.approx(top, abs=3)
        assert shown.has_insertion
        assert shown.confidence > max(alone.confidence, 0.9)


def test_pictures_that_say_nothing_change_nothing() -> None:
    time_s, forward = _forward((60, 1.0), (30, -1.0), (30, 1.0), (60, -1.0))
    assert withdrawal_start(time_s, forward, np.zeros_like) == withdrawal_start(time_s, forward)


def test_pictures_cannot_make_a_start_where_the_camera_went_straight_on() -> None:
    time_s, forward = _forward((60, 1.5), (120, -0.8))
    shown = withdrawal_start(time_s, forward, lambda starts: -np.abs(starts - 120))
    assert shown.time_s == pytest.approx(60, abs=10)


def test_the_speed_at_its_edges_goes_on_into_a_gap() -> None:
    """What is pushed in during gaps outweighs the pull that is seen between them."""
    time_s, forward = _forward((60, 1.5), (2, -2.0), (6, 1.0), (120, -0.8))
    gaps = [(start, start + 0.8) for start in np.arange(62.2, 67.5, 1.1)]
    assert withdrawal_start(time_s, forward).time_s == pytest.approx(68, abs=1)
    assert withdrawal_start(*_without(time_s, forward, *gaps)).time_s == pytest.approx(68, abs=1)


def test_gaps_near_the_turn_cost_confidence() -> None:
    time_s, forward = _forward((60, 1.5), (8, -0.5), (4, 0.5), (120, -0.8))
    seen = withdrawal_start(time_s, forward)
    blind = withdrawal_start(*_without(time_s, forward, (61, 65), (66, 70), (71, 75)))
    assert seen.confidence > 0.8
    assert blind.confidence < seen.confidence - 0.2


def test_the_answer_does_not_depend_on_the_scale_and_is_the_same_again() -> None:
    time_s, forward = _without(*_forward((60, 1.5), (120, -0.8)), (20, 24), (58, 60))
    assert withdrawal_start(time_s, forward) == withdrawal_start(time_s, 1024 * forward)


def test_no_motion_gives_the_first_frame_and_no_confidence() -> None:
    time_s = np.arange(400) / RATE + 3.0
    turn = withdrawal_start(time_s, np.full(400, np.nan))
    assert turn.confidence == 0.0
    assert turn.time_s == 3.0


def test_a_second_is_too_short_for_a_turn_and_no_error() -> None:
    time_s, forward = _forward((1, -0.8))
    turn = withdrawal_start(time_s, forward)
    assert (turn.time_s, turn.has_insertion) == (0.0, False)


def test_a_start_that_is_off_by_little_is_nearly_right() -> None:
    turns = [(100.0, True), (102.0, True), (115.0, True), (121.0, True), (100.0, False)]
    starts = [StartEstimate(start_s, 0.0, has_insertion) for start_s, has_insertion in turns]
    found = _most_probable(starts, None, PARAMETERS.start)
    assert (found.time_s, found.confidence, found.nearly_confidence) == (100.0, 0.25, 0.5)


def turn_of(*depth: float, change_s: float = 2.0) -> tuple[float, bool, bool]:
    """Of depths a second apart: start, insertion, withdrawal."""
    found = _start_near(np.arange(float(len(depth))), np.array(depth), change_s, PARAMETERS.start)
    return found.time_s, found.has_insertion, found.has_withdrawal


def test_the_turn_is_the_last_moment_within_half_a_hundredth_of_the_top() -> None:
    assert turn_of(0, 100, 200, 199.1, 198.9, 0) == (3.0, True, True)
    assert turn_of(0, 100, 200, 199.0, 198.9, 0) == (3.0, True, True), "on the limit is at the top"
    assert turn_of(0, 100, 200, 198.9, 198.8, 0) == (2.0, True, True)


def test_an_insertion_and_a_withdrawal_cover_a_quarter_of_the_way_of_the_other() -> None:
    assert turn_of(0.0, 25.0, 0.0, -75.0) == (1.0, True, True)
    assert turn_of(0.0, 24.9, 0.0, -75.1) == (0.0, False, True)
    assert turn_of(0.0, 100.0, 75.0) == (1.0, True, True)
    assert turn_of(0.0, 100.0, 75.1) == (1.0, True, False)


def test_the_top_is_sought_near_the_change_alone() -> None:
    depth = [10.0, *np.arange(30.0), *np.arange(30.0)[::-1], 40.0]
    assert turn_of(*depth, change_s=31 + PARAMETERS.start.near_s - 1)[0] == 31.0
    assert turn_of(*depth, change_s=60.0)[0] > 50.0
