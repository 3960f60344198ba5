"""Which frames the network is asked about when the frames of a recording follow one another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haustra.quality import Thresholds, classify_sparsely

THRESHOLDS = Thresholds(0.5, 0.5)


class Asked:
    """Knows all probabilities, and remembers which were wanted."""

    def __init__(self, noninformative: list[float], forceps: list[float] | None = None) -> None:
        self.probabilities = np.array([noninformative, forceps or [0.0] * len(noninformative)], np.float32)
        self.positions: list[int] = []

    def __call__(self, positions: NDArray[np.intp]) -> NDArray[np.float32]:
        self.positions += positions.tolist()
        return self.probabilities[:, positions]

    def run(self, step_s: float = 1 / 15) -> NDArray[np.float32]:
        return classify_sparsely(np.arange(self.probabilities.shape[1]) * step_s, self, THRESHOLDS)


def test_a_quiet_stretch_is_asked_about_every_second_frame() -> None:
    asked = Asked([0.01] * 9)
    np.testing.assert_allclose(asked.run(), asked.probabilities)
    assert sorted(asked.positions) == [0, 2, 4, 6, 8]


def test_an_end_without_a_neighbour_is_asked_about() -> None:
    asked = Asked([0.99] * 4)
    asked.run()
    assert sorted(asked.positions) == [0, 2, 3]


def test_where_neighbours_differ_or_are_not_clear_every_frame_is_asked_about() -> None:
    for values in ([0.01, 0.7, 0.99], [0.3, 0.7, 0.3], [0.7, 0.2, 0.7]):
        asked = Asked(values)
        np.testing.assert_array_equal(asked.run(), asked.probabilities)
        assert sorted(asked.positions) == [0, 1, 2]


def test_beside_forceps_every_frame_is_asked_about() -> None:
    asked = Asked([0.01] * 5, [0.0, 0.8, 0.9, 0.9, 0.0])
    np.testing.assert_array_equal(asked.run(), asked.probabilities)


def test_frames_far_apart_say_nothing_about_each_other() -> None:
    asked = Asked([0.01] * 5)
    asked.run(step_s=0.2)
    assert sorted(asked.positions) == [0, 1, 2, 3, 4]


def test_a_frame_in_between_has_the_mean_of_its_neighbours() -> None:
    asked = Asked([0.02, 0.9, 0.04])
    np.testing.assert_allclose(asked.run()[0], [0.02, 0.03, 0.04], atol=1e-6)


def test_none_and_one() -> None:
    assert Asked([]).run().shape == (2, 0)
    np.testing.assert_allclose(Asked([0.4]).run()[0], [0.4])
