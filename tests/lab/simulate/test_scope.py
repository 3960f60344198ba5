"""The scope: lenses like real ones, pictures as on real screens, and a sensor that depends on seed and frame alone."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.lab.simulate import Scope, Sensor, make_scope

SCOPES = [make_scope(seed, 256, 256) for seed in range(40)]


def light_of(scope: Scope, level: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(1)
    return (level * rng.uniform(0.2, 1.0, (scope.height, scope.width, 3))).astype(np.float32)


def test_field_of_view_is_that_of_real_scopes_and_keeps_depth_positive() -> None:
    for scope in SCOPES:
        rows, cols = np.nonzero(scope.mask)
        rays = scope.camera.unproject(np.stack([cols, rows], axis=-1))
        half = np.degrees(np.arccos(rays[:, 2].min()))
        assert 64.0 < half < 86.0


def test_every_picture_pixel_has_a_ray_that_projects_back() -> None:
    for scope in SCOPES[:10]:
        rows, cols = np.nonzero(scope.mask)
        pixels = np.stack([cols, rows], axis=-1).astype(float)
        np.testing.assert_allclose(scope.camera.project(scope.camera.unproject(pixels)), pixels, atol=1e-6)


def test_all_mask_shapes_texts_and_insets_occur() -> None:
    assert {scope.shape for scope in SCOPES} == {"octagon", "round", "square"}
    assert {scope.text for scope in SCOPES} == {scope.inset for scope in SCOPES} == {True, False}


@pytest.mark.parametrize(("width", "height"), [(256, 256), (1350, 1080), (1920, 1080), (320, 180)])
def test_picture_lies_in_the_frame_at_every_size(width: int, height: int) -> None:
    for seed in range(5):
        scope = make_scope(seed, width, height)
        x, y, w, h = scope.box
        assert scope.mask.shape == (height, width)
        assert min(x, y) >= 0
        assert x + w <= width
        assert y + h <= height
        assert h > 0.75 * min(height, width)
        assert scope.mask[y : y + h, x : x + w].mean() > 0.6
        assert not scope.mask.sum() - scope.mask[y : y + h, x : x + w].sum()


def test_wide_frames_have_black_bars() -> None:
    scope = make_scope(1, 1920, 1080)
    assert not scope.mask[:, :60].any()


def test_same_instrument_at_two_sizes_looks_the_same_way() -> None:
    small, large = make_scope(7, 256, 256), make_scope(7, 512, 512)
    assert small.shape == large.shape
    ray = small.camera.unproject(np.array([200.0, 90.0]))
    again = large.camera.unproject(np.array([400.5, 180.5]))
    assert np.degrees(np.arccos(np.clip(ray @ again, -1, 1))) < 1.0


def test_noise_depends_on_seed_and_frame_alone() -> None:
    scope = SCOPES[0]
    light = light_of(scope)
    one = Sensor(scope, 5).develop(light, frame=17)
    np.testing.assert_array_equal(one, Sensor(scope, 5).develop(light, frame=17))
    assert (one != Sensor(scope, 5).develop(light, frame=18)).any()
    assert (one != Sensor(scope, 6).develop(light, frame=17)).any()


def test_exposure_follows_the_light_with_a_lag() -> None:
    scope = SCOPES[1]
    sensor = Sensor(scope, 1)
    inside = scope.mask
    for frame in range(3):
        before = sensor.develop(light_of(scope), frame=frame)[inside].mean()
    jump = sensor.develop(light_of(scope, 0.1), frame=3)[inside].mean()
    for frame in range(4, 120):
        after = sensor.develop(light_of(scope, 0.1), frame=frame)[inside].mean()
    assert jump < 0.7 * before
    assert after == pytest.approx(before, rel=0.05)


def test_exposure_bias_brightens_and_darkens() -> None:
    scope = SCOPES[2]
    means = [Sensor(scope, 1).develop(light_of(scope), frame=0, exposure_bias=b).mean() for b in (-3.0, 0.0, 3.0)]
    assert means[0] < 0.6 * means[1] < means[2]


def test_motion_blur_smears_along_its_kernel() -> None:
    scope = SCOPES[3]
    light = light_of(scope)
    sharp = Sensor(scope, 1).develop(light, frame=0).astype(float)
    smeared = Sensor(scope, 1).develop(light, frame=0, blur=np.full((1, 15), 1 / 15)).astype(float)
    x, y, w, h = scope.box
    middle = (slice(y + h // 3, y + 2 * h // 3), slice(x + w // 3, x + 2 * w // 3))
    assert np.abs(np.diff(smeared[middle], axis=1)).mean() < 0.5 * np.abs(np.diff(sharp[middle], axis=1)).mean()


def test_surround_is_black_apart_from_text() -> None:
    for scope in SCOPES[:10]:
        frame = Sensor(scope, 1).develop(light_of(scope), frame=0)
        assert np.median(frame[~scope.mask]) < 20
