"""The cecum classifier: what it sees of a picture, and which frames of a recording it scores."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from haustra.quality.cecum_classifier import (
    MOST_FRAMES,
    SIDE,
    CecumNetwork,
    CecumScores,
    central_square,
    open_cecum_network,
    score_cecum,
)
from haustra.results.observations import Observations


class Brightness:
    """Stands in for the ONNX model: the input's largest value, which no normalisation hides."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def run(self, pictures: np.ndarray) -> list[np.ndarray]:
        self.batches.append(len(pictures))
        return [pictures.max(axis=(1, 2, 3))[:, None] / 255]


def random_picture(seed: int, height: int = 96, width: int = 128) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)


def recording(pictures: list[np.ndarray]) -> Observations:
    """A frame a second from ten seconds on, each with a thumbnail, and one without after it."""
    jpegs = [cv2.imencode(".jpg", picture)[1].tobytes() for picture in pictures]
    return Observations(
        time_s=10.0 + np.arange(2 * len(jpegs)) / 2, thumbnail=tuple(part for jpeg in jpegs for part in (jpeg, b""))
    )


def scores(network: CecumNetwork, pictures: list[np.ndarray]) -> CecumScores:
    return CecumScores.of(score_cecum(network, recording(pictures)))


def test_nothing_near_the_border_reaches_the_network() -> None:
    picture, other = random_picture(0, 240, 300), random_picture(1, 240, 300)
    other[40:200, 70:230] = picture[40:200, 70:230]
    np.testing.assert_array_equal(central_square(picture), central_square(other))
    other[119, 149] = 255 - other[119, 149]
    assert (central_square(picture) != central_square(other)).any()


def test_brightness_contrast_and_tint_are_removed() -> None:
    picture = cv2.resize(random_picture(2, 8, 12) // 2 + 50, (300, 200), interpolation=cv2.INTER_LINEAR)
    seen = central_square(picture)
    for changed in (picture + 20, picture + np.array([25, 0, 10], np.uint8), picture // 2):
        np.testing.assert_allclose(central_square(changed.astype(np.uint8)), seen, atol=6.0)
    assert np.ptp(seen.mean(axis=(1, 2))) < 0.5, "channels share one mean"


def test_the_smallest_picture_fits() -> None:
    assert central_square(np.zeros((1, 9, 3), np.uint8)).shape == (3, SIDE, SIDE)


def test_scores_keep_the_order_of_the_thumbnails_across_batches() -> None:
    model = Brightness()
    flat, spotted = np.full((64, 64, 3), 90, np.uint8), np.full((64, 64, 3), 90, np.uint8)
    spotted[24:40, 24:40] = 200
    found = scores(CecumNetwork(model, Path("x")), [spotted if k % 3 else flat for k in range(40)])  # type: ignore[arg-type]
    assert len(model.batches) > 1
    assert sum(model.batches) == 40
    assert found.time_s.tolist() == [10.0 + k for k in range(40)]
    assert [value > 0.6 for value in found.probability] == [bool(k % 3) for k in range(40)]


def test_a_long_recording_is_scored_from_end_to_end_at_a_fixed_cost() -> None:
    picture = random_picture(3)
    network = CecumNetwork(Brightness(), Path("x"))  # type: ignore[arg-type]
    found = scores(network, [picture] * (3 * MOST_FRAMES))
    assert len(found.time_s) == MOST_FRAMES
    assert found.time_s[[0, -1]].tolist() == [10.0, 10.0 + 3 * MOST_FRAMES - 1]
    assert set(np.diff(found.time_s)) <= {2.0, 3.0, 4.0}
    assert len(scores(network, []).time_s) == 0


def test_the_shipped_network_gives_probabilities() -> None:
    found = scores(open_cecum_network(), [random_picture(k) for k in range(20)])
    assert ((found.probability >= 0) & (found.probability <= 1)).all()
    assert np.ptp(found.probability) > 0
