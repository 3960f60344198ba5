"""Rotation uncertainty across gaps."""

from __future__ import annotations

import numpy as np
import pytest
from made_pairs import made_pairs

from haustra.path.gap_rotation import gap_rotation_std, with_unseen_bends
from haustra.path.parameters import GapRotationParameters
from haustra.path.velocities import PairVelocities

PARAMETERS = GapRotationParameters(floor_deg=2.0, range_deg=40.0, scale_deg=100.0, unseen_bends_rad=10.0)


def pairs(predicted_deg: list[float], clear: list[bool]) -> PairVelocities:
    """Each pair takes half a second and has this predicted deviation, in degrees, about one axis."""
    predicted = np.zeros((len(clear), 6))
    predicted[:, 4] = np.radians(predicted_deg) / 0.5
    return made_pairs(np.zeros((len(clear), 6)), step_s=0.5, predicted_std=predicted, clear=np.array(clear))


def std_deg(predicted_deg: list[float], clear: list[bool], kept: list[bool]) -> np.ndarray:
    return np.degrees(gap_rotation_std(pairs(predicted_deg, clear), np.array(kept), PARAMETERS))


def test_rotations_between_clear_frames_are_known_and_those_across_gaps_add_up_the_predictions() -> None:
    found = std_deg(
        [1, 20, 30, 1, 200], [True, False, False, True, False], [True, True, False, True, True, True]
    )  # fmt: skip
    assert found[[0, 1, 2, 4]].tolist() == [0.0] * 4
    assert found[3] == pytest.approx(2 + 40 * (1 - np.exp(-50 / 100)))
    assert found[5] > found[3]


def test_a_rotation_is_never_off_by_more_than_a_scope_turns() -> None:
    assert std_deg([1e5, 1.0], [False, True], [True] * 3)[1] == pytest.approx(2 + 40)


def test_an_unmeasured_pair_is_as_its_neighbours_are() -> None:
    found, measured = (
        std_deg([1.0, 20.0, middle, 40.0, 1.0], [True, False, False, False, True], [True, True, False] * 2)
        for middle in (np.nan, 30.0)
    )
    np.testing.assert_allclose(found, measured)


def test_pairs_without_a_prediction_far_from_any_with_one_count_as_unseen() -> None:
    found = std_deg([np.nan, np.nan, 5.0], [False] * 3, [True] * 4)
    assert found[1] == pytest.approx(2 + 40 * (1 - np.exp(-1)))
    assert found[2] == found[3] == pytest.approx(2 + 40 * (1 - np.exp(-5 / 100)))


def test_bends_of_the_colon_along_a_gap_add_to_its_uncertainty() -> None:
    kept = np.array([True, False, True, True, False, True])
    std = np.array([0.0, 0.0, 0.3, 0.0, 0.0, 0.3])
    index = np.array([0.1, 0.9, 0.1, 0.2, 0.0, 0.15])
    found = with_unseen_bends(std, index, kept, PARAMETERS)
    assert found[[0, 1, 3, 4]].tolist() == [0.0] * 4
    assert found[2] == pytest.approx(0.3), "this gap spans nothing"
    assert found[5] == pytest.approx(np.hypot(0.3, 10 * 0.05))
