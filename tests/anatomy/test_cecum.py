import cv2
import numpy as np
import pytest

from haustra.anatomy.cecum import AT_MOST, GRID, SIDE, Sightings, cecum_likelihood, cecum_sightings, middle_of
from haustra.chunks import Thumbnail


def thumbnail(time_s: float, seed: int) -> Thumbnail:
    picture = np.random.default_rng(seed).integers(0, 255, (96, 128, 3), dtype=np.uint8)
    return Thumbnail(time_s, cv2.imencode(".jpg", picture)[1].tobytes())


def test_whatever_lies_near_the_border_is_never_looked_at():
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 255, (240, 300, 3), dtype=np.uint8)
    other = rng.integers(0, 255, (240, 300, 3), dtype=np.uint8)
    other[40:200, 70:230] = picture[40:200, 70:230]
    assert middle_of(picture).shape == (3, SIDE, SIDE)
    np.testing.assert_array_equal(middle_of(picture), middle_of(other))


def test_brightness_and_colour_make_no_difference():
    picture = np.random.default_rng(1).integers(60, 160, (200, 200, 3)).astype(np.uint8)
    redder = picture.copy()
    redder[..., 0] += 40
    np.testing.assert_allclose(middle_of(redder), middle_of(picture), atol=3.0)  # one grey level


def test_a_picture_of_each_moment_is_asked_and_no_more_than_needed():
    shown = cecum_sightings([thumbnail(k, k) for k in range(30)])
    assert shown.time_s.tolist() == list(range(30))
    assert shown.between(5.0, 24.0).time_s.tolist() == list(range(5, 25))
    np.testing.assert_array_equal(shown.between(5.0, 24.0).probability, shown.probability[5:25])
    assert ((shown.probability >= 0) & (shown.probability <= 1)).all()
    many = [thumbnail(k, 0) for k in range(2 * AT_MOST)]
    assert len(cecum_sightings(many).time_s) == AT_MOST
    assert len(cecum_sightings([]).time_s) == 0


def test_the_clearest_sighting_is_early_and_sure_enough():
    sightings = Sightings(np.array([3.0, 10.0, 90.0]), np.array([0.6, 0.93, 0.97]))
    assert sightings.best(until_s=40.0) == (10.0, 0.93)
    assert sightings.best(until_s=5.0) == (3.0, 0.6)
    assert Sightings(np.array([3.0]), np.array([0.4])).best(40.0) is None
    assert Sightings(np.empty(0), np.empty(0)).best(40.0) is None


@pytest.mark.parametrize(("inside", "outside"), [(0.95, 0.05), (0.3, 0.02)])
def test_the_cecum_ends_where_pictures_cease_to_stand_out(inside: float, outside: float):
    time_s = np.arange(0.0, 100.0)
    index = time_s / 99
    sightings = Sightings(time_s, np.where(index < 0.1, inside, outside))
    says = cecum_likelihood(sightings, time_s, index)
    assert says is not None
    assert np.linspace(0, 1, GRID)[says.argmax()] == pytest.approx(0.1, abs=0.02)
    assert (says[60] < -1.0) == (inside > 0.5), "where nothing is surely a cecum, standing out means little"
    assert cecum_likelihood(Sightings(time_s[:3], np.full(3, 0.9)), time_s, index) is None


def test_a_start_near_pictures_of_the_cecum_is_supported():
    sightings = Sightings(np.array([100.0, 104.0, 110.0, 400.0]), np.array([0.95, 0.9, 0.45, 0.8]))
    starts = np.array([60.0, 103.0, 250.0, 400.0])
    says = sightings.support(starts)
    assert says.argmax() == 1
    assert says[0] > says[2]
    assert says[3] > says[2], "one picture elsewhere counts, but less than two"
    gone = np.exp(-0.5 * ((103.0 - np.array([100.0, 104.0, 400.0])) / 30) ** 2)
    assert says[1] == pytest.approx(0.3 * np.log(0.2 + 0.8 * gone) @ np.array([0.9, 0.8, 0.6]))


@pytest.mark.parametrize("probability", [np.full(20, 0.49), np.empty(0)])
def test_no_picture_that_looks_like_the_cecum_says_nothing_about_the_start(probability: np.ndarray):
    sightings = Sightings(np.arange(float(len(probability))), probability)
    assert sightings.support(np.array([0.0, 7.0, 19.0])).tolist() == [0.0, 0.0, 0.0]
