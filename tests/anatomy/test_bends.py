import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from haustra.anatomy import load_template
from haustra.anatomy.bends import (
    LARGEST_TURN_STD,
    STEPS,
    bend_likelihood,
    open_bend_network,
    path_features,
    resample_path,
)
from haustra.anatomy.decoder import decode_segments
from haustra.anatomy.grid import TABULATED
from haustra.anatomy.parameters import BendParameters, DecoderParameters
from haustra.lab.simulate.courses import laid_course, varied_course

TEMPLATE = load_template("paper-set2")
PARAMETERS = BendParameters()


def laid(seed: int):
    """A course of the family that was not trained on, as positions with their index, and its inner boundaries."""
    centreline, marks = laid_course(np.random.default_rng(seed))
    arc = np.linspace(marks[0], marks[6], 1500)
    at = np.arange(len(centreline))
    positions = np.stack([np.interp(arc, at, column) for column in centreline.T], axis=1)
    return positions, np.linspace(0.0, 1.0, 1500), (marks[1:6] - marks[0]) / (marks[6] - marks[0])


def test_features_do_not_depend_on_where_how_and_how_large_the_path_lies():
    positions, index, _ = laid(0)
    known = np.zeros(len(index))
    turned = 7.0 * positions @ Rotation.from_rotvec([0.4, -1.0, 2.0]).as_matrix().T + 50.0
    one, other = (resample_path(p, index, known, PARAMETERS) for p in (positions, turned))
    np.testing.assert_allclose(
        path_features(one[0][None], one[1][None]), path_features(other[0][None], other[1][None]), atol=1e-4
    )
    mirrored = resample_path(positions * [-1, 1, 1], index, known, PARAMETERS)
    other_hand = path_features(mirrored[0][None], mirrored[1][None])
    assert np.abs(path_features(one[0][None], one[1][None]) - other_hand).max() > 0.1


def test_a_turn_that_may_be_off_is_unsure_where_it_lies():
    positions, index, _ = laid(1)
    kept = (index < 0.25) | (index > 0.5)
    turn_std = np.zeros(int(kept.sum()))
    turn_std[np.argmax(index[kept] > 0.5)] = 0.4
    _, unsure = resample_path(positions[kept], index[kept], turn_std, PARAMETERS)
    assert unsure[: STEPS // 4 - 1].max() == 0.0
    assert unsure[STEPS // 2 + 1 :].max() == 0.0
    assert np.sum(unsure**2) == pytest.approx(0.16), "variances add up to that of the whole gap"
    turn_std *= 100
    assert resample_path(positions[kept], index[kept], turn_std, PARAMETERS)[1].max() == LARGEST_TURN_STD


def test_angles_across_a_turn_that_may_be_off_are_less_known_and_all_others_are_not():
    positions, index, _ = laid(2)
    turn_std = np.zeros(len(index))
    points, sure = resample_path(positions, index, turn_std, PARAMETERS)
    turn_std[np.argmax(index > 0.5)] = 0.9
    unsure = resample_path(positions, index, turn_std, PARAMETERS)[1]
    one, other = (path_features(points[None], part[None])[0] for part in (sure, unsure))
    changed = one != other
    first, second = np.triu_indices(16, 1)
    across = (first < 8) & (second >= 8)
    known = slice(6 * STEPS, 6 * STEPS + len(first))
    np.testing.assert_array_equal(changed[known], across)
    np.testing.assert_allclose(other[known][across], np.exp(-0.81), rtol=1e-3)
    assert changed.sum() == 2 * across.sum(), "these angles as far as they are known, and nothing else"


def test_bends_tell_boundaries_of_courses_never_trained_on_better_than_the_template():
    network, time_s = open_bend_network(), np.arange(1500) * 0.25
    plain, bent = [], []
    for seed in range(12):
        positions, index, inner = laid(seed)
        true = np.searchsorted(inner, index, side="right") + 1
        said = bend_likelihood(network, positions, index, np.zeros(len(index)), PARAMETERS)
        assert said.shape == (5, TABULATED)
        for bends, results in ((None, plain), (said, bent)):
            decoded = decode_segments(
                time_s, index, np.full(len(index), 0.003), TEMPLATE, DecoderParameters(), bends=bends
            )
            results.append(float((decoded.segments == true).mean()))
    assert np.mean(bent) > np.mean(plain) + 0.02


def test_bends_that_contradict_all_else_are_doubted():
    time_s, index = np.arange(1500) * 0.25, np.linspace(0.0, 1.0, 1500)
    grid = np.linspace(0.0, 1.0, TABULATED)
    wrong = -0.5 * ((grid - np.array([0.6, 0.7, 0.8, 0.9, 0.97])[:, None]) / 0.01) ** 2
    std = np.full(len(index), 0.003)
    plain = decode_segments(time_s, index, std, TEMPLATE, DecoderParameters())
    doubted = decode_segments(time_s, index, std, TEMPLATE, DecoderParameters(), bends=np.maximum(wrong, -8.0))
    assert np.abs(doubted.boundaries - plain.boundaries).max() < 0.02


def test_varied_courses_differ_from_patient_to_patient():
    keys = [varied_course(np.random.default_rng(seed)) for seed in range(20)]
    assert all(len(course) == 6 for course in keys)
    assert len({len(course[4]) for course in keys}) >= 3, "several kinds of sigmoid"
    inner = np.array([laid(seed)[2] for seed in range(20)])
    assert (np.diff(inner, axis=1) > 0).all()
    assert inner.std(axis=0).max() > 0.02
