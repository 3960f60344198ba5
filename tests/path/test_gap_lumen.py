"""Rotation across gaps by the lumen on either side of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_pairs import made_pairs
from scipy.spatial.transform import Rotation

from haustra.path.gap_lumen import align_gaps, remaining_std
from haustra.path.parameters import GapLumenParameters, GapRotationParameters
from haustra.path.velocities import PairVelocities

COUNT, STEP_S = 12, 0.1
GAP = slice(4, 8)  # pairs; the samples 4 and 8 are kept
TURN = np.array([0.35, -0.5, 0.0])
PARAMETERS = GapLumenParameters()


def aligned(velocity: np.ndarray, given: PairVelocities) -> tuple[np.ndarray, np.ndarray]:
    return align_gaps(velocity, given, PARAMETERS, GapRotationParameters())


def as_seen(direction: np.ndarray, spread: float) -> list[float]:
    return [direction[0] / direction[2], direction[1] / direction[2], spread]


def lumens(turn: Rotation, spread: float = 0.2) -> np.ndarray:
    """One lumen, seen from before the gap and from behind it after a turn."""
    result = np.full((COUNT + 1, 3), np.nan)
    before = np.array([0.1, -0.2, 1.0])
    result[4], result[8] = as_seen(before, spread), as_seen(turn.inv().apply(before), spread)
    return result


def pairs(predicted: float = 60.0, lumen: np.ndarray | None = None) -> PairVelocities:
    clear = np.ones(COUNT, bool)
    clear[GAP] = False
    std = np.full((COUNT, 6), 0.01)
    std[GAP] = predicted
    return made_pairs(np.zeros((COUNT, 6)), step_s=STEP_S, predicted_std=std, clear=clear, lumen=lumen)


def across(velocity: np.ndarray) -> Rotation:
    result = Rotation.identity()
    for turn in velocity[GAP, 3:]:
        result = result * Rotation.from_rotvec(turn * STEP_S)
    return result


def test_a_rotation_that_nobody_saw_is_that_of_the_lumen() -> None:
    turn = Rotation.from_rotvec(TURN)
    velocity = np.zeros((COUNT, 6))
    velocity[GAP, 3:] = [[0.3, 0.2, 0.5], [-0.4, 0.1, 0.2], [0.2, 0.6, -0.3], [0.5, -0.2, 0.1]]
    given = pairs(lumen=lumens(turn))
    found, weight = aligned(velocity, given)
    assert weight[8] > 0.7
    before, behind = (np.array([x, y, 1.0]) for x, y, _ in given.lumen[[4, 8]])

    def apart(turned: Rotation) -> float:
        seen = turned.apply(behind)
        return float(np.arccos(seen @ before / np.linalg.norm(seen) / np.linalg.norm(before)))

    assert apart(across(found)) == pytest.approx((1 - weight[8]) * apart(across(velocity)), rel=1e-6)
    np.testing.assert_array_equal(np.delete(found, 6, axis=0), np.delete(velocity, 6, axis=0))
    assert weight[np.arange(COUNT + 1) != 8].tolist() == [0.0] * COUNT


def test_a_rotation_that_was_seen_hardly_heeds_the_lumen() -> None:
    shown = lumens(Rotation.from_rotvec(TURN))
    assert aligned(np.zeros((COUNT, 6)), pairs(0.1, shown))[1][8] < 0.1


@pytest.mark.parametrize("worse", ["spread", "aside", "long", "far"])
def test_a_less_certain_lumen_counts_less(worse: str) -> None:
    velocity, shown = np.zeros((COUNT, 6)), lumens(Rotation.identity())
    given = pairs(lumen=shown)
    clear = aligned(velocity, given)[1][8]
    if worse == "spread":
        shown[8, 2] = 0.6
    if worse == "aside":
        shown[4, 0] = 1.0
    if worse == "long":
        given = replace(given, step_s=5 * given.step_s, predicted_std=given.predicted_std / 5)
    if worse == "far":
        velocity[GAP, 2] = -4.0
    assert aligned(velocity, given)[1][8] < clear - 0.02


def test_without_a_lumen_on_both_sides_nothing_is_turned() -> None:
    velocity = np.random.default_rng(1).normal(size=(COUNT, 6))
    shown = lumens(Rotation.from_rotvec(TURN))
    shown[8] = np.nan
    for lumen in (np.full_like(shown, np.nan), shown):
        found, weight = aligned(velocity, pairs(lumen=lumen))
        np.testing.assert_array_equal(found, velocity)
        assert not weight.any()


def test_between_two_gaps_nothing_is_turned() -> None:
    """The last sample of one gap and the first of the next both show a lumen, and what lies between was seen."""
    given, shown = pairs(), np.full((COUNT + 1, 3), 0.1)
    shown[[0, 2, 3, 5, 6, 7, 9, 10, 11, 12]] = np.nan
    shown[1] = [0.5, 0.5, 0.2]
    velocity = np.zeros((COUNT, 6))
    found, weight = aligned(velocity, replace(given, lumen=shown))
    assert not found[:4].any()
    assert weight[4] == 0 < weight[8]


def test_the_roll_stays_unknown() -> None:
    parameters = replace(PARAMETERS, roll_share=0.36)
    assert remaining_std(np.array([0.5]), np.array([0.0]), parameters) == pytest.approx(0.5)
    assert remaining_std(np.array([0.5]), np.array([1.0]), parameters) == pytest.approx(0.6 * 0.5)
