"""Times from stamps, and the choice of frames on the grid."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from haustra.video.clock import GRID_TOLERANCE_S, Clock, OffGrid, on_grid


def times(stamps: list[float | None], *, origin: float = 0.0, rate: float = 10.0) -> list[float]:
    clock = Clock(origin, rate)
    return [clock.time_of(stamp) for stamp in stamps]


def test_the_first_frame_is_at_zero_whatever_its_stamp() -> None:
    assert times([100.0, 100.1, 100.25], origin=100.0) == pytest.approx([0.0, 0.1, 0.25])


def test_missing_stamps_follow_at_the_average_rate() -> None:
    assert times([0.0, None, None, 0.35]) == pytest.approx([0.0, 0.1, 0.2, 0.35])
    assert times([None] * 11)[-1] == 1.0  # no rounding adds up


def test_a_stamp_that_repeats_or_goes_back_a_little_does_not_stop_the_clock() -> None:
    assert times([0.0, 0.1, 0.1, 0.05, 0.5]) == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.5])


def test_a_clock_that_starts_again_goes_on_from_where_it_was() -> None:
    clock = Clock(0.0, 10.0)
    assert [clock.time_of(s) for s in (60.0, 60.1, 0.0, 0.15)] == pytest.approx([60.0, 60.1, 60.2, 60.35])
    assert clock.restarts == 1


def chosen(stamps: list[float], rate_hz: float) -> list[float]:
    pairs = zip([None, *stamps], stamps, strict=False)
    return [time for previous, time in pairs if on_grid(previous, time, rate_hz)]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=60), st.sampled_from([5.0, 15.0, 30.0]))
def test_each_grid_time_gives_the_first_frame_at_or_after_it(steps_ms: list[int], rate_hz: float) -> None:
    stamps = [0.0]
    for step in steps_ms:
        stamps.append(stamps[-1] + step / 1000)
    grid = [k / rate_hz for k in range(int(stamps[-1] * rate_hz) + 2)]
    # A frame on the very edge of the tolerance is a tie that rounding decides.
    assume(all(abs(t - (g - GRID_TOLERANCE_S)) > 1e-9 for t in stamps for g in grid))
    by_definition = {next((t for t in stamps if t >= g - GRID_TOLERANCE_S), None) for g in grid if g <= stamps[-1]}
    assert set(chosen(stamps, rate_hz)) >= by_definition - {None}
    assert len(chosen(stamps, rate_hz)) <= len(grid)


@pytest.mark.parametrize("fps", [24, 25, 29.97, 30, 50, 60])
def test_millisecond_rounding_neither_loses_nor_doubles_samples(fps: float) -> None:
    exact = [k / fps for k in range(2000)]
    rounded = [round(t, 3) for t in exact]
    picked = chosen(rounded, 15.0)
    assert len(picked) == pytest.approx(rounded[-1] * 15, abs=2)
    assert max(b - a for a, b in pairwise(picked)) < 2 / 15


def test_a_slow_source_gives_every_frame_once() -> None:
    stamps = [k / 10 for k in range(50)]
    assert chosen(stamps, 15.0) == stamps


@given(st.lists(st.integers(1, 120), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_a_frame_that_is_wanted_is_never_called_off_the_grid(steps_ms: list[int], order: random.Random) -> None:
    times = [sum(steps_ms[:i]) / 1000 for i in range(len(steps_ms))]
    off_grid = OffGrid(15.0)
    decoded = sorted(times, key=lambda time: time + order.uniform(0, 0.2))
    spared = {time for time in decoded if off_grid(time)}
    assert not spared & set(chosen(times, 15.0))


def test_in_order_all_that_is_off_the_grid_is_spared() -> None:
    times = [i / 30 for i in range(60)]
    off_grid = OffGrid(15.0)
    assert [time for time in times if not off_grid(time)] == chosen(times, 15.0) == times[::2]
