"""The location index: right on simulated recordings, free of scale and frame rate, defined for every input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from made_paths import made_path
from scipy.spatial.transform import Rotation

from haustra.lab.simulate.procedure import make_plan
from haustra.path import location_index

# Examples here take a second: looking for a smaller one would take minutes.
NO_SHRINKING = (Phase.explicit, Phase.generate)


def true_withdrawal(seed: int, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """True positions and location index of a simulated withdrawal, without rendering it."""
    plan = make_plan(seed, seconds, 15.0)
    times = plan.timeline.times_s
    times = times[(times >= plan.timeline.start_s - 1e-9) & (times <= plan.timeline.stop_s + 1e-9)]
    first, last = plan.colon.boundaries_mm[[0, -1]]
    index = np.clip((plan.operator.arc_mm(times) - first) / (last - first), 0, 1)
    return plan.operator.poses(times)[:, :3, 3], index


@pytest.mark.parametrize(("seed", "seconds"), [(301, 60), (302, 90), (303, 120), (304, 180), (305, 60), (306, 180)])
def test_true_poses_of_simulated_recordings_give_the_true_index(seed: int, seconds: float) -> None:
    positions, truth = true_withdrawal(seed, seconds)
    assert np.diff(truth).min() < 0, "this recording has no re-insertion: it tests nothing"
    assert np.abs(location_index(positions).index - truth).mean() < 0.02


@settings(max_examples=8, phases=NO_SHRINKING)
@given(seed=st.integers(0, 50), scale=st.floats(1e-3, 1e3), turn=st.integers(0, 10_000))
def test_rotation_translation_and_scale_do_not_matter(seed: int, scale: float, turn: int) -> None:
    positions = made_path(seed, 40).positions
    rng = np.random.default_rng(turn)
    moved = scale * Rotation.random(random_state=rng).apply(positions) + scale * rng.normal(0, 500, 3)
    assert np.abs(location_index(moved).index - location_index(positions).index).max() < 1e-3


@settings(max_examples=6, phases=NO_SHRINKING)
@given(seed=st.integers(0, 50))
def test_the_reversed_path_gives_one_minus_the_index(seed: int) -> None:
    positions = made_path(seed, 40).positions
    backwards = location_index(positions[::-1]).index[::-1]
    assert np.abs(1 - backwards - location_index(positions).index).mean() < 0.005
    assert np.abs(1 - backwards - location_index(positions).index).max() < 0.02


@pytest.mark.parametrize("rate", [0.5, 2.0, 5.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_resampling_in_time_does_not_move_it(seed: int, rate: float) -> None:
    path = made_path(seed, 60)
    times = np.linspace(path.time_s[0], path.time_s[-1], round(rate * len(path.time_s)))
    resampled = np.stack([np.interp(times, path.time_s, path.positions[:, k]) for k in range(3)], axis=1)
    expected = np.interp(times, path.time_s, location_index(path.positions).index)
    assert np.abs(location_index(resampled).index - expected).max() < 0.01
