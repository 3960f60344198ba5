import numpy as np
import torch

from haustra.training.bends.courses import draw
from haustra.training.bends.trainer import examples, score, train
from haustra.training.bends.wrong_paths import make_wrong


def test_level_zero_leaves_the_course_and_level_one_loses_turns_in_gaps():
    rng = np.random.default_rng(0)
    courses, inner = draw(rng, "usual", 20)
    as_it_is = make_wrong(rng, courses, inner, level=0.0)
    np.testing.assert_allclose(as_it_is.boundaries, inner, atol=0.01)
    assert as_it_is.lost.max() == 0.0
    true = courses - courses[:, :1]
    ends = true[:, -1] / np.linalg.norm(np.diff(true, axis=1), axis=2).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.linalg.norm(as_it_is.points[:, -1], axis=1), np.linalg.norm(ends, axis=1), atol=0.01)
    wrong = make_wrong(rng, courses, inner, level=1.0)
    assert 0.15 < wrong.lost.mean() < 0.6
    assert np.abs(wrong.boundaries - inner).mean() > 0.01


def test_training_learns_where_boundaries_lie():
    torch.set_num_threads(1)
    data = examples(np.random.default_rng(0), "usual", 400)
    held_out = examples(np.random.default_rng(1), "usual", 100, 0.0)
    middle = np.abs(held_out[1] - data[1].mean(axis=0)).mean()
    assert score(train(data, 0, epochs=25), held_out) < 0.75 * middle
