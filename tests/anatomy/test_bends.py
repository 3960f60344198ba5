import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from haustra.anatomy import load_template
from haustra.anatomy.bends import GRID, PLACES, bend_likelihood, course_features, course_of
from haustra.anatomy.decoder import decode_segments
from haustra.simulate.courses import laid_course, varied_course

TEMPLATE = load_template("paper-set2")


def laid(seed: int):
    """A course of the family that was not trained on, as positions with their index, and its inner boundaries."""
    centreline, marks = laid_course(np.random.default_rng(seed))
    arc = np.linspace(marks[0], marks[6], 1500)
    at = np.arange(len(centreline))
    positions = np.stack([np.interp(arc, at, column) for column in centreline.T], axis=1)
    return positions, np.linspace(0.0, 1.0, 1500), (marks[1:6] - marks[0]) / (marks[6] - marks[0])


def test_features_do_not_depend_on_where_how_and_how_large_the_path_lies():
    positions, index, _ = laid(0)
    bridged = np.zeros(len(index), dtype=bool)
    turned = 7.0 * positions @ Rotation.from_rotvec([0.4, -1.0, 2.0]).as_matrix().T + 50.0
    one, other = (course_of(p, index, bridged) for p in (positions, turned))
    np.testing.assert_allclose(
        course_features(one[0][None], one[1][None]), course_features(other[0][None], other[1][None]), atol=1e-4
    )
    mirrored = course_of(positions * [-1, 1, 1], index, bridged)
    other_hand = course_features(mirrored[0][None], mirrored[1][None])
    assert np.abs(course_features(one[0][None], one[1][None]) - other_hand).max() > 0.1


def test_bridged_stretches_are_marked_as_lost():
    positions, index, _ = laid(1)
    kept = (index < 0.25) | (index > 0.5)
    bridged = np.zeros(int(kept.sum()), dtype=bool)
    bridged[np.argmax(index[kept] > 0.5)] = True
    _, lost = course_of(positions[kept], index[kept], bridged)
    assert lost[: PLACES // 4 - 1].max() == 0.0
    assert lost[PLACES // 4 + 1 : PLACES // 2 - 1].min() == pytest.approx(1.0)


def test_bends_tell_boundaries_of_courses_never_trained_on_better_than_the_template():
    time_s = np.arange(1500) * 0.25
    plain, bent = [], []
    for seed in range(12):
        positions, index, inner = laid(seed)
        true = np.searchsorted(inner, index, side="right") + 1
        said = bend_likelihood(positions, index, np.zeros(len(index), dtype=bool))
        assert said.shape == (5, GRID)
        for bends, results in ((None, plain), (said, bent)):
            decoded = decode_segments(time_s, index, np.full(len(index), 0.003), TEMPLATE, bends=bends)
            results.append(float((decoded.segments == true).mean()))
    assert np.mean(bent) > np.mean(plain) + 0.02


def test_bends_that_contradict_all_else_are_doubted():
    time_s, index = np.arange(1500) * 0.25, np.linspace(0.0, 1.0, 1500)
    grid = np.linspace(0.0, 1.0, GRID)
    wrong = -0.5 * ((grid - np.array([0.6, 0.7, 0.8, 0.9, 0.97])[:, None]) / 0.01) ** 2
    std = np.full(len(index), 0.003)
    plain = decode_segments(time_s, index, std, TEMPLATE)
    doubted = decode_segments(time_s, index, std, TEMPLATE, bends=np.maximum(wrong, -8.0))
    assert np.abs(doubted.boundaries - plain.boundaries).max() < 0.02


def test_varied_courses_differ_from_patient_to_patient():
    keys = [varied_course(np.random.default_rng(seed)) for seed in range(20)]
    assert all(len(course) == 6 for course in keys)
    assert len({len(course[4]) for course in keys}) >= 3, "several kinds of sigmoid"
    inner = np.array([laid(seed)[2] for seed in range(20)])
    assert (np.diff(inner, axis=1) > 0).all()
    assert inner.std(axis=0).max() > 0.02
