import numpy as np
import pytest
from numpy.typing import NDArray

from haustra.path.turning import withdrawal_start

RATE = 15.0


def _forward(*stretches: tuple[float, float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times and forward motion of stretches (seconds, speed), with the tremor of a hand."""
    speed = np.concatenate([np.full(round(seconds * RATE), speed) for seconds, speed in stretches])
    tremor = np.random.default_rng(1).normal(0, 0.3, len(speed))
    return np.arange(len(speed)) / RATE, speed + tremor


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


def test_a_recording_of_the_withdrawal_alone_is_recognised() -> None:
    time_s, forward = _forward((30, -0.8), (5, 1.0), (120, -0.8))
    turn = withdrawal_start(time_s + 7, forward)
    assert not turn.has_insertion
    assert turn.time_s == 7
    assert turn.confidence > 0.8


def test_two_equal_tops_are_a_matter_of_doubt() -> None:
    time_s, forward = _forward((60, 1.0), (30, -1.0), (30, 1.0), (60, -1.0))
    assert withdrawal_start(time_s, forward).confidence < 0.75


@pytest.mark.parametrize("n", [0, 1, 2, 400])
def test_no_motion_gives_the_first_frame_and_no_confidence(n: int) -> None:
    time_s = np.arange(n) / RATE + 3.0
    turn = withdrawal_start(time_s, np.full(n, np.nan))
    assert turn.confidence == 0.0
    assert turn.time_s == (3.0 if n else 0.0)
