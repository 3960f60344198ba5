"""The families of courses that the reader of bends learns from."""

import numpy as np
import pytest

from haustra.lab.training.bends import training_courses
from haustra.lab.training.bends.slung import slung_courses
from haustra.lab.training.bends.stations import stationed_course
from haustra.lab.training.bends.training_courses import POINTS, draw

FAMILIES = ("usual", "varied", "loose", "stationed", "slung", "blended", "laid")


@pytest.mark.parametrize("family", FAMILIES)
def test_courses_have_even_steps_and_boundaries_in_order(family: str):
    points, inner = draw(np.random.default_rng(3), family, 12)
    assert points.shape == (12, POINTS, 3)
    assert inner.shape == (12, 5)
    step = np.linalg.norm(np.diff(points, axis=1), axis=2)
    assert (step.std(axis=1) < 0.15 * step.mean(axis=1)).all()
    assert (np.diff(inner, axis=1) >= 0).all()
    assert (inner[:, 0] > 0).all()
    assert (inner[:, 4] < 1).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_every_seed_draws_its_own_courses_and_the_same_again(family: str):
    one, again, other = (draw(np.random.default_rng(seed), family, 3)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert np.abs(one - other).max() > 0.01


def at(points: np.ndarray, arc: np.ndarray, where: float) -> np.ndarray:
    return np.array([np.interp(where, arc, column) for column in points.T])


def test_flexures_lie_high_on_their_sides_and_the_end_low():
    rng = np.random.default_rng(0)
    for arc, points, marks in [*(stationed_course(rng) for _ in range(15)), *slung_courses(rng, 15)]:
        hepatic, splenic, end = (at(points, arc, marks[k]) for k in (2, 3, 6))
        assert hepatic[0] < splenic[0]
        assert min(hepatic[1], splenic[1]) > end[1] + 50


def test_a_chain_keeps_the_lengths_of_its_segments_and_hangs_where_it_is_free():
    rng = np.random.default_rng(5)
    drawn = slung_courses(rng, 40)
    share = np.stack([np.diff(marks) / (marks[6] - marks[0]) for _, _, marks in drawn])
    assert share.mean(axis=0) == pytest.approx([0.05, 0.15, 0.26, 0.2, 0.25, 0.09], abs=0.05)
    sag, long = [], []
    for arc, points, marks in drawn:
        low, high = (at(points, arc, marks[k])[1] for k in (2, 3))
        sag.append(min(low, high) - points[(arc > marks[2]) & (arc < marks[3]), 1].min())
        long.append(marks[3] - marks[2])
    assert np.corrcoef(sag, long)[0, 1] > 0.3, "what is too long for its span sags"


def test_a_blend_lies_between_two_courses_of_other_families(monkeypatch: pytest.MonkeyPatch):
    asked = []
    real = training_courses.draw

    def seen(rng: np.random.Generator, family: str, count: int, without: str | None = None):
        asked.append(family)
        return real(rng, family, count, without)

    monkeypatch.setattr(training_courses, "draw", seen)
    real(np.random.default_rng(0), "blended", 10, "slung")
    assert set(asked) == {"varied", "loose", "stationed"}
    rng = np.random.default_rng(1)
    (a, i), (b, j) = real(rng, "varied", 1), real(rng, "stationed", 1)
    for share, near, far in ((0.001, i[0], j[0]), (0.999, j[0], i[0])):
        _, inner = training_courses._blend(share, (a[0], i[0]), (b[0], j[0]))
        assert np.abs(inner - near).max() < 0.01
        assert np.abs(inner - far).max() > 0.02
