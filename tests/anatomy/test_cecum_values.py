"""What a picture of the cecum is worth, by value; the network is replaced by one that answers by brightness."""

from __future__ import annotations

from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from haustra.anatomy import cecum
from haustra.anatomy.cecum import AT_MOST, FEWEST, GRID, SIDE, Sightings, cecum_likelihood, cecum_sightings, middle_of
from haustra.chunks import Thumbnail


def test_the_middle_is_a_square_with_one_mean_and_one_contrast() -> None:
    rng = np.random.default_rng(0)
    picture = cv2.GaussianBlur(rng.integers(0, 255, (200, 300, 3), dtype=np.uint8), (0, 0), 6)
    square = picture[40:160, 90:210].astype(np.float64)  # 0.6 of the shorter side, in the middle
    small = np.asarray(cv2.resize(picture[40:160, 90:210], (SIDE, SIDE), interpolation=cv2.INTER_AREA), np.float64)
    assert square.shape == (120, 120, 3)
    small -= small.mean(axis=(0, 1))
    wanted = np.clip(128 + 45 * small / (small.std() + 1e-3), 0, 255).transpose(2, 0, 1)
    np.testing.assert_allclose(middle_of(picture), wanted, atol=0.01)
    assert SIDE == 128
    assert middle_of(np.zeros((1, 9, 3), np.uint8)).shape == (3, SIDE, SIDE)


def test_pictures_are_asked_in_batches_and_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def run(batch: np.ndarray) -> list[np.ndarray]:
        asked.append(len(batch))
        return [np.linspace(0, 1, len(batch))[:, None]]

    monkeypatch.setattr(cecum, "_model", lambda: SimpleNamespace(run=run))
    jpeg = cv2.imencode(".jpg", np.zeros((32, 32, 3), np.uint8))[1].tobytes()
    found = cecum_sightings([Thumbnail(float(k), jpeg) for k in range(10, 50)])
    assert asked == [16, 16, 8]
    assert found.time_s.tolist() == list(range(10, 50))
    assert found.probability == pytest.approx([*np.linspace(0, 1, 16), *np.linspace(0, 1, 16), *np.linspace(0, 1, 8)])
    many = cecum_sightings([Thumbnail(float(k), jpeg) for k in range(3 * AT_MOST)])
    assert many.time_s.tolist() == np.linspace(0, 3 * AT_MOST - 1, AT_MOST).astype(int).tolist()


def test_the_likelihood_of_where_the_cecum_ends() -> None:
    """Each picture before the end counts by how far its odds stand out, by at most 1 for and 0.3 against."""
    rng = np.random.default_rng(1)
    probability = np.concatenate([[0.0, 1.0], rng.random(28)])
    times = np.sort(rng.uniform(0, 100, 30))
    time_s = np.arange(0, 101.0)
    index = (time_s / 100) ** 1.5
    index[40:45] = np.nan
    found = cecum_likelihood(Sightings(times, probability), time_s, index)
    assert found is not None
    chance = np.clip(probability, 1e-4, 1 - 1e-4)
    odds = np.log(chance) - np.log(1 - chance)
    known = np.isfinite(index)
    at = np.interp(times, time_s[known], index[known])
    wanted = []
    for place in np.linspace(0, 1, GRID):
        says = [min(max(o - np.median(odds) - 1.0, -0.3), 1.0) for o, x in zip(odds, at, strict=True) if x < place]
        wanted.append(0.3 * chance.max() ** 2 * sum(says))
    np.testing.assert_allclose(found, np.array(wanted) - max(wanted))


def test_few_pictures_or_no_place_say_nothing() -> None:
    time_s, index = np.arange(50.0), np.linspace(0, 1, 50)
    few, enough = (Sightings(np.arange(float(n)), np.full(n, 0.5)) for n in (FEWEST - 1, FEWEST))
    assert cecum_likelihood(few, time_s, index) is None
    assert cecum_likelihood(enough, time_s, index) is not None
    assert cecum_likelihood(enough, time_s, np.full(50, np.nan)) is None
    assert FEWEST == 10


def test_the_best_sighting_is_sure_enough_and_early_enough() -> None:
    sightings = Sightings(np.array([3.0, 10.0]), np.array([0.5, 0.9]))
    assert sightings.best(3.0) == (3.0, 0.5)
    assert sightings.best(10.0) == (10.0, 0.9)
    assert sightings.best(2.9) is None
    assert Sightings(np.array([3.0]), np.array([0.499])).best(10.0) is None
