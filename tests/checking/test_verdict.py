"""The verdict in words, from the figures of a check."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from haustra.checking.motion_agreement import PairFit, StretchMotion
from haustra.checking.stretch_figures import CheckFigures, StretchFigures, residual_ratio
from haustra.checking.verdict import Trouble, VerdictWord, expected_error, judge, trouble_of

SOUND = CheckFigures(
    stretches=24, kept=0.7, instrument=0.0, blur=0.35, repeated=0.0, frame_rate=25.0, followed=0.7, matched=0.95,
    moves_px=5.0, near_ratio=1.05, far_ratio=1.3, far_px=0.5, far_rotation_deg=0.7, back_rotation_deg=0.08,
    back_share=0.1, loop_rotation_deg=0.3, loop_share=0.14, stated=0.4, lumen_deg=35.0, red_green=0.55, blue_green=-0.3,
)  # fmt: skip


def test_a_recording_whose_motion_agrees_is_good() -> None:
    verdict = judge(SOUND, 0.0)
    assert verdict.word is VerdictWord.GOOD
    assert not verdict.reasons
    assert not verdict.unlike


def test_worse_agreement_means_a_larger_error_and_a_reason() -> None:
    worse = replace(SOUND, loop_share=0.6, far_ratio=2.2)
    expected, before = expected_error(worse), expected_error(SOUND)
    assert expected is not None
    assert before is not None
    assert expected > before
    verdict = judge(worse, 0.0)
    assert verdict.word is not VerdictWord.GOOD
    assert any("60%" in reason for reason in verdict.reasons)
    assert judge(replace(worse, loop_share=1.5, far_ratio=3.5), 0.0).word is VerdictWord.POOR


def test_where_nothing_can_be_followed_there_is_nothing_to_rely_on() -> None:
    verdict = judge(replace(SOUND, followed=0.0, loop_share=np.nan, far_ratio=np.nan), 0.0)
    assert (verdict.word, verdict.expected_error) == (VerdictWord.POOR, None)
    assert judge(replace(SOUND, followed=0.05), 0.0).word is VerdictWord.POOR


def test_an_unknown_lens_is_a_reason_for_less() -> None:
    verdict = judge(SOUND, 0.12)
    assert verdict.word is VerdictWord.USABLE
    assert "lens" in verdict.reasons[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"red_green": 0.1}, "narrow-band"),
        ({"blue_green": 0.2}, "dye"),
        ({"frame_rate": 4.0}, "capsule"),
        ({"repeated": 0.6}, "repeated"),
        ({"moves_px": 0.2}, "hardly moves"),
    ],
)
def test_what_the_networks_have_not_learnt_from_is_told(change: dict[str, float], said: str) -> None:
    verdict = judge(replace(SOUND, **change), 0.0)
    assert verdict.word is VerdictWord.USABLE
    assert any(said in line for line in verdict.unlike)


def _stretch(motion: StretchMotion | None) -> StretchFigures:
    return StretchFigures(0.0, 0.8, 13, 13, 0, 13, 0, 0.3, np.zeros(2), motion)


def _motion(*far: PairFit) -> StretchMotion:
    nothing = np.zeros((0, 2))
    return StretchMotion(np.zeros(2), np.eye(4)[None], (), far, nothing, nothing, np.zeros(1), 10.0)


def test_each_stretch_says_what_is_wrong_with_it() -> None:
    explained, not_explained = PairFit(0.6, 0.5, 0.5, 9.0), PairFit(5.0, 0.5, 9.0, 9.0)
    unmatched = PairFit(np.nan, np.nan, np.nan, 9.0)
    assert trouble_of(_stretch(None)) is Trouble.UNUSABLE
    assert trouble_of(_stretch(_motion(unmatched))) is Trouble.UNMATCHED
    assert trouble_of(_stretch(_motion(not_explained))) is Trouble.UNEXPLAINED
    assert trouble_of(_stretch(_motion(explained))) is None


def test_pairs_that_hardly_move_do_not_count_for_the_ratio() -> None:
    still, moving = PairFit(9.0, 0.1, 1.0, 0.1), PairFit(0.6, 0.5, 0.5, 9.0)
    assert residual_ratio([still, moving]) == pytest.approx(1.2)
    assert np.isnan(residual_ratio([still]))
