import numpy as np
import torch

from haustra.lab.training.bends import wrong_paths
from haustra.lab.training.bends.trainer import examples, score, train
from haustra.lab.training.bends.training_courses import draw
from haustra.lab.training.bends.wrong_paths import make_wrong


def test_level_zero_leaves_the_course_and_level_one_loses_turns_in_gaps():
    rng = np.random.default_rng(0)
    courses, inner = draw(rng, "usual", 20)
    as_it_is = make_wrong(rng, courses, inner, level=0.0)
    np.testing.assert_allclose(as_it_is.boundaries, inner, atol=0.01)
    assert as_it_is.unsure.max() == 0.0
    true = courses - courses[:, :1]
    ends = true[:, -1] / np.linalg.norm(np.diff(true, axis=1), axis=2).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.linalg.norm(as_it_is.points[:, -1], axis=1), np.linalg.norm(ends, axis=1), atol=0.01)
    wrong = make_wrong(rng, courses, inner, level=1.0)
    assert np.abs(wrong.boundaries - inner).mean() > 0.01
    told = np.sqrt((wrong.unsure**2).sum(axis=1))
    assert np.radians(60) < told.mean() < np.radians(300), "as in located recordings"


def test_what_is_told_of_a_gap_goes_with_how_far_off_its_turn_is(monkeypatch):
    """At the right scale, so that places are compared with themselves."""
    monkeypatch.setattr(wrong_paths, "_wrong_scale", lambda _rng, _boundaries, _levels, gap: np.zeros(gap.shape))
    rng = np.random.default_rng(1)
    courses, inner = draw(rng, "usual", 150)
    wrong, true = (make_wrong(rng, courses, inner, level) for level in (1.0, 0.0))
    step = [np.diff(paths.points, axis=1) for paths in (wrong, true)]
    unit = [part / np.linalg.norm(part, axis=2, keepdims=True) for part in step]
    apart = [np.degrees(np.arccos(np.clip((u[:, :-3] * u[:, 3:]).sum(axis=2), -1, 1))) for u in unit]
    off = np.abs(apart[0] - apart[1])
    told = wrong.unsure[:, 1:-2] + wrong.unsure[:, 2:-1]
    sure, unsure = off[told < 0.05].mean(), off[told > 0.6].mean()
    assert unsure > 1.5 * sure


def test_training_learns_where_boundaries_lie():
    torch.set_num_threads(1)
    data = examples(np.random.default_rng(0), "usual", 400)
    held_out = examples(np.random.default_rng(1), "usual", 100, 0.0)
    middle = np.abs(held_out[1] - data[1].mean(axis=0)).mean()
    assert score(train(data, 0, epochs=25), held_out) < 0.75 * middle
