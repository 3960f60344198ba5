"""What the check measures on stretches of the bundled recording, and on worse copies of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from haustra.checking.parameters import DEFAULTS
from haustra.checking.stretch_figures import StretchFigures, together
from haustra.lab.evaluate.degraded.recordings import COPIES, CopyKind

Measured = Callable[[CopyKind], list[StretchFigures]]


def test_the_motion_explains_independent_matches(as_it_is: list[StretchFigures]) -> None:
    figures = together(as_it_is, 15.0)
    assert figures.stretches == len(as_it_is) >= 3
    assert figures.followed > 0
    assert 0.5 < figures.near_ratio < 2
    assert 0.5 < figures.far_ratio < 4
    assert figures.back_share < 0.5
    assert figures.loop_share < 0.6


def test_stretches_have_times_in_order_and_a_motion_between_neighbours(as_it_is: list[StretchFigures]) -> None:
    starts = [stretch.start_s for stretch in as_it_is]
    assert starts == sorted(starts)
    for stretch in as_it_is:
        if stretch.motion is not None:
            assert len(stretch.motion.T_a_b) == len(stretch.motion.time_s) - 1
            assert stretch.start_s <= stretch.motion.time_s[0] < stretch.motion.time_s[-1] <= stretch.end_s


def test_a_softer_copy_is_more_blurred_and_a_narrow_band_copy_has_another_colour(
    demo_stretches: Measured, as_it_is: list[StretchFigures]
) -> None:
    plain = together(as_it_is, 15.0)
    soft = together(demo_stretches(COPIES["soft"]), 15.0)
    narrow = together(demo_stretches(COPIES["narrow band"]), 15.0)
    assert soft.blur > plain.blur + 0.1
    assert narrow.red_green < DEFAULTS.unlike.red_green_from < plain.red_green


def test_repeated_frames_are_counted_and_left_out(demo_stretches: Measured, as_it_is: list[StretchFigures]) -> None:
    repeated = demo_stretches(COPIES["frames repeated"])
    figures = together(repeated, 15.0)
    assert 0.5 < figures.repeated < 0.75  # two of three
    assert together(as_it_is, 15.0).repeated < 0.1
    steps = [np.diff(stretch.motion.time_s) for stretch in repeated if stretch.motion is not None]
    assert steps
    assert np.concatenate(steps).min() > 0.1  # from one new picture to the next


def test_nothing_is_measured_where_no_frame_can_be_used(demo_stretches: Measured) -> None:
    figures = together(demo_stretches(COPIES["blurred"]), 15.0)
    assert figures.followed == 0
    assert np.isnan(figures.far_ratio)
