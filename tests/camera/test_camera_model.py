"""The camera maths: projections undo each other, crops and sizes agree, inputs stay as they are."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from haustra.camera import PRESETS, Camera, camera_for_picture, camera_from_dict, camera_to_dict, load_camera
from haustra.core.errors import HaustraError


@st.composite
def cameras(draw: st.DrawFn) -> Camera:
    width, height = draw(st.integers(64, 2000)), draw(st.integers(64, 2000))
    half = math.hypot(width, height) / 2
    a0 = draw(st.floats(0.5, 2.0)) * half
    higher = [draw(st.floats(-0.5, 0.2)) * half ** (1 - i) for i in (2, 3, 4)]
    center = (width * draw(st.floats(0.4, 0.6)), height * draw(st.floats(0.4, 0.6)))
    c, d, e = draw(st.floats(0.9, 1.1)), draw(st.floats(-0.02, 0.02)), draw(st.floats(-0.02, 0.02))
    return Camera(width, height, center, (a0, 0.0, *higher), ((c, d), (e, 1.0)))


def frame_pixels(camera: Camera, count: int | None = None) -> np.ndarray:
    xs, ys = (np.arange(n) if count is None else np.linspace(0, n - 1, count) for n in camera.size)
    return np.stack(np.meshgrid(xs, ys), axis=-1).astype(np.float64)


@pytest.mark.parametrize("name", PRESETS)
def test_project_returns_every_pixel_of_a_preset(name: str) -> None:
    camera = load_camera(name)
    pixels = frame_pixels(camera)
    assert np.abs(camera.project(camera.unproject(pixels) * 3.7) - pixels).max() < 1e-9


@given(cameras())
def test_project_undoes_unproject_inside_the_usable_radius(camera: Camera) -> None:
    pixels = frame_pixels(camera, 23)
    rays = camera.unproject(pixels)
    usable = ~np.isnan(rays[..., 0])
    angle = np.arctan2(np.hypot(rays[..., 0], rays[..., 1]), rays[..., 2])
    calm = usable & (angle < 0.98 * camera.max_angle)  # at the turning point itself the inverse has no precision
    assert calm.any()
    np.testing.assert_allclose(np.linalg.norm(rays[usable], axis=-1), 1.0, atol=1e-12)
    assert np.abs(camera.project(rays[calm]) - pixels[calm]).max() < 1e-7


@given(cameras(), st.floats(0.2, 3.0), st.floats(0.2, 3.0))
def test_a_resized_camera_sees_the_same_rays(camera: Camera, sx: float, sy: float) -> None:
    width, height = max(8, round(camera.width * sx)), max(8, round(camera.height * sy))
    pixels = frame_pixels(camera, 9)
    moved = (pixels + 0.5) * [width / camera.width, height / camera.height] - 0.5
    np.testing.assert_allclose(camera.resized(width, height).unproject(moved), camera.unproject(pixels), atol=1e-9)


@given(cameras(), st.integers(-20, 30), st.integers(-20, 30))
def test_a_cropped_camera_sees_the_same_rays(camera: Camera, x: int, y: int) -> None:
    part = camera.cropped(x, y, camera.width // 2, camera.height // 2)
    pixels = frame_pixels(part, 9)
    both = camera.unproject(pixels + np.array([x, y]))
    known = ~np.isnan(both[..., 0])
    np.testing.assert_allclose(part.unproject(pixels)[known], both[known], atol=1e-12)


def test_crop_then_resize_is_resize_then_crop() -> None:
    camera = load_camera("olympus-cf-hq190l")
    a = camera.cropped(100, 40, 800, 600).resized(400, 300)
    b = camera.resized(675, 540).cropped(50, 20, 400, 300)
    np.testing.assert_allclose(a.center, b.center, atol=1e-9)
    np.testing.assert_allclose(a.coefficients, b.coefficients, rtol=1e-12)


def test_inputs_stay_as_they_are() -> None:
    camera = load_camera("pillcam")
    pixels, points = np.array([[3.0, 4.0], [100.0, 90.0]]), np.array([[0.0, 0.0, 1.0], [0.0, 0.1, -1.0]])
    before = pixels.copy(), points.copy()
    camera.unproject(pixels), camera.project(points)
    np.testing.assert_array_equal(pixels, before[0])
    np.testing.assert_array_equal(points, before[1])


def test_axis_shapes_and_limits() -> None:
    camera = load_camera("mirocam")
    np.testing.assert_allclose(camera.project(np.array([0.0, 0.0, 5.0])), camera.center)
    assert camera.project(np.full((2, 4, 3), 0.5)).shape == (2, 4, 2)
    assert np.isnan(camera.project(np.array([0.0, 0.0, -1.0]))).all()
    beyond = np.array([np.sin(camera.max_angle + 1e-3), 0.0, np.cos(camera.max_angle + 1e-3)])
    assert np.isnan(camera.project(beyond)).all()
    assert np.isnan(camera.unproject(np.array([2000.0, 0.0]))).all()


def test_olympus_corners_look_past_90_degrees() -> None:
    assert math.degrees(load_camera("olympus-cf-hq190l").max_angle) == pytest.approx(97.7, abs=0.3)


def test_generic_follows_the_picture() -> None:
    small, large = load_camera("generic", (320, 256)), load_camera("generic", (1280, 1024))
    np.testing.assert_allclose(large.resized(320, 256).coefficients, small.coefficients, rtol=1e-9)


def test_a_calibration_is_for_the_frame_or_for_the_picture_in_it() -> None:
    whole, box = Camera(1920, 1080, (1200.0, 540.0), (700.0,)), (570, 0, 1350, 1080)
    np.testing.assert_allclose(camera_for_picture(whole, (1920, 1080), box).center, (630.0, 540.0))
    of_picture = camera_for_picture(load_camera("olympus-cf-hq190l"), (960, 540), (285, 0, 675, 540))
    assert of_picture == load_camera("olympus-cf-hq190l").resized(675, 540)
    with pytest.raises(HaustraError, match="320x320"):
        camera_for_picture(load_camera("mirocam"), (1920, 1080), box)


def test_camera_json_keeps_every_digit() -> None:
    for name in PRESETS:
        assert camera_from_dict(camera_to_dict(load_camera(name))) == load_camera(name)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", "pinhole"),
        ("width", 0),
        ("height", 3.5),
        ("center", [1.0]),
        ("center", [float("nan"), 1.0]),
        ("coefficients", "135"),
        ("coefficients", [-3.0]),
        ("coefficients", [3.0, 1.0]),
        ("stretch", [[1, 0], [0, 2]]),
        ("stretch", [1, 0, 0, 1]),
        ("width", None),
    ],
)
def test_a_bad_field_is_named(field: str, value: object) -> None:
    content = camera_to_dict(load_camera("mirocam")) | {field: value}
    with pytest.raises(HaustraError, match=f"'{field}'"):
        camera_from_dict(content)


def test_a_missing_field_and_an_unknown_preset_are_named() -> None:
    content = camera_to_dict(load_camera("mirocam"))
    del content["center"]
    with pytest.raises(HaustraError, match="'center'"):
        camera_from_dict(content)
    with pytest.raises(HaustraError, match="olympus-cf-hq190l"):
        load_camera("olympus")
