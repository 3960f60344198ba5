from __future__ import annotations

import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.core.vocabulary import Reason
from haustra.quality import Thresholds, apply_thresholds
from haustra.quality.decide import WIDEN_S, within
from haustra.results.observations import Observations

HALF = Thresholds(0.5, 0.5)


def decide(times, unclear, forceps, kinds=None, thresholds=HALF):
    scores = Observations(
        time_s=np.array(times, float),
        p_noninformative=np.array(unclear, np.float32),
        p_forceps=np.array(forceps, np.float32),
        reason=tuple(map(Reason, kinds if kinds is not None else [""] * len(times))),
    )
    decided = apply_thresholds(scores, thresholds)
    return decided.kept, list(decided.reason)


def test_forceps_are_widened_by_one_second_on_either_side_and_no_more():
    times = np.arange(0, 5, 0.25)
    forceps = np.where(np.isclose(times, 2.0), 0.9, 0.1)
    kept, reason = decide(times, np.zeros_like(times), forceps)
    assert [t for t, k in zip(times, kept, strict=True) if not k] == [1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0]
    assert reason[8] == "forceps"
    assert {reason[i] for i in (4, 5, 6, 7, 9, 12)} == {"biopsy"}


def test_widening_survives_rounding_of_time_stamps():
    times = np.arange(200) / 15.0
    forceps = np.zeros(200)
    forceps[99:102] = 1.0
    kept, _ = decide(times, np.zeros(200), forceps)
    assert np.flatnonzero(~kept).tolist() == list(range(84, 117))


def test_an_isolated_frame_makes_no_biopsy_and_faint_neighbours_support_a_sure_one():
    times = np.arange(200) / 15.0
    alone, supported = np.zeros(200), np.zeros(200)
    alone[50], alone[100:102] = 1.0, 1.0
    supported[99:102] = 0.3, 1.0, 0.3
    assert decide(times, np.zeros(200), alone)[0].all()
    assert [i for i, reason in enumerate(decide(times, np.zeros(200), supported)[1]) if reason == "forceps"] == [100]


def test_the_gap_between_uneven_samples_is_measured_in_seconds_not_in_samples():
    kept, reason = decide([0.0, 0.9, 5.0, 6.5], [0, 0, 0, 0], [0, 1, 0, 1])
    assert kept.tolist() == [False, False, True, False]
    assert reason == ["biopsy", "forceps", "", "forceps"]


def test_reasons_and_thresholds_are_inclusive():
    kept, reason = decide([0, 10, 20], [0.5, 0.49, 0.9], [0, 0, 0])
    assert kept.tolist() == [False, True, False]
    assert reason == ["non-informative", "", "non-informative"]


def test_prefiltered_frames_have_unknown_probabilities_and_keep_their_kind():
    nan = np.nan
    kept, reason = decide([0, 1, 2, 3], [nan, 0.1, nan, nan], [nan, 0.9, nan, nan], ["black", "", "frozen", "white"])
    assert reason == ["black", "forceps", "frozen", "white"]
    assert not kept.any()


def test_no_samples():
    kept, reason = decide([], [], [])
    assert len(kept) == 0
    assert reason == []


@pytest.mark.parametrize("bad", [(-0.1, 0.5), (0.5, 1.2), (float("nan"), 0.5)])
def test_thresholds_outside_zero_to_one_are_refused(bad):
    with pytest.raises(HaustraError, match="between 0 and 1"):
        Thresholds(*bad)


def test_a_user_moves_one_threshold_and_the_other_stays():
    assert Thresholds(0.3, 0.6).moved(None, 0.8) == Thresholds(0.3, 0.8)


def test_forceps_at_the_threshold_count_and_just_below_do_not():
    at, below = np.float32(0.7), np.nextafter(np.float32(0.7), np.float32(0))
    thresholds = Thresholds(0.5, float(at))
    assert decide([0, 10], [0, 0], [at, below], thresholds=thresholds)[1] == ["forceps", ""]
    assert decide([0, 10], [at, below], [0, 0], thresholds=Thresholds(float(at), 0.5))[1] == ["non-informative", ""]


def test_one_second_is_in_a_rounding_more_is_in_and_more_than_that_is_out():
    """The paper's "frames at 1 second before or after" (text on image classification)."""
    away = np.array([1.0, 1.0 + 9e-7, 1.0 + 2e-6, 1.1])
    for sign in (-1, 1):
        assert within(5 + sign * away, np.array([5.0]), WIDEN_S).tolist() == [True, True, False, False]
    assert within(np.array([1.0]), np.array([]), 1.0).tolist() == [False]
    assert within(np.array([1e-6]), np.array([0.0]), 0.0).tolist() == [True], "at most, not less than"


def test_the_reason_is_forceps_before_unclear_before_near_a_biopsy():
    kept, reason = decide([0, 0.5, 1.0, 2.5], [0.9, 0.9, 0, 0], [0.9, 0, 0, 0])
    assert reason == ["forceps", "non-informative", "biopsy", ""]
    assert kept.tolist() == [False, False, False, True]


def test_thresholds_of_zero_and_one_are_allowed():
    assert Thresholds(0.0, 1.0).moved(1.0, 0.0) == Thresholds(1.0, 0.0)
    with pytest.raises(HaustraError, match=r"forceps threshold is 1\.001"):
        Thresholds(0.5, 1.001)
    with pytest.raises(HaustraError, match=r"noninformative threshold is -0\.001"):
        Thresholds(-0.001, 0.5)


def test_forceps_need_three_frames_within_a_fifth_of_a_second_at_least_half_as_sure():
    half = np.float32(0.25)
    for times, probabilities, found in (
        ([0.0, 0.2, 0.4], [half, 0.9, half], True),  # 0.2 s away counts, half of the threshold is enough
        ([0.0, 0.2, 0.4], [half, 0.9, np.nextafter(half, np.float32(0))], False),
        ([0.0, 0.2, 0.4, 0.7], [0.9, 0.9, 0.0, 0.9], False),
        ([0.0, 0.21, 0.42], [0.0, 0.9, 0.0], True),  # alone within its 0.2 s: nothing contradicts it
        ([0.0, 0.1, 0.2], [np.nan, 0.9, half], True),  # what was not asked does not contradict it
        ([0.0, 0.1, 0.2], [0.0, 0.9, half], False),
    ):
        _, reason = decide(times, [0] * len(times), probabilities)
        assert (reason[1] == "forceps") is found, (times, probabilities)
