"""The lens from the recording: synthetic tracks with a known lens, outlines of pictures, and the bundled recording."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import haustra
from haustra.camera.model import Camera
from haustra.camera.presets import camera_for_picture, load_camera, picture_camera
from haustra.camera.rim import Rim, picture_rim
from haustra.camera.self_calibration.estimate import lens_from_recordings
from haustra.camera.self_calibration.lens import PRIOR_MEAN, angles, as_camera
from haustra.camera.self_calibration.solve import solve_lens
from haustra.camera.self_calibration.tracks import TrackedPair
from haustra.video import Box, Picture, find_picture, open_recording

DEMO = Path(haustra.__file__).parent / "data" / "demo"
RIM = Rim(240.0, 236.0, 230.0)


def made_pairs(camera: Camera, count: int, noise_px: float, outliers: float, seed: int) -> list[TrackedPair]:
    """Points of a tube around the camera, seen before and after a small motion."""
    rng = np.random.default_rng(seed)
    pairs = []
    for k in range(count):
        around, ahead = rng.uniform(0, 2 * np.pi, 200), rng.uniform(2.0, 60.0, 200)
        wall = rng.normal(20.0, 3.0, 200)
        points = np.column_stack([wall * np.cos(around), wall * np.sin(around), ahead])
        R = Rotation.from_rotvec(rng.normal(0.0, 0.08, 3)).as_matrix()
        t = np.array([*rng.normal(0.0, 1.0, 2), rng.normal(3.0, 1.0)])
        a, b = camera.project(points), camera.project(points @ R.T + t)
        b = b + rng.normal(0.0, noise_px, b.shape)
        slipped = rng.random(len(b)) < outliers
        b[slipped] += rng.normal(0.0, 15.0, (slipped.sum(), 2))
        held = np.isfinite(a).all(axis=1) & np.isfinite(b).all(axis=1)
        pairs.append(TrackedPair(float(k), a[held], b[held]))
    return pairs


@pytest.mark.parametrize(("rim_deg", "shape"), [(66.0, (0.1, 0.05, 0.02)), (84.0, (0.0, 0.1, 0.1))])
def test_a_known_lens_is_found_again(rim_deg: float, shape: tuple[float, float, float]) -> None:
    lens = np.array([np.radians(rim_deg), *shape, 0.02, -0.03])
    found = solve_lens(made_pairs(as_camera(lens, RIM, 480, 470), 60, 0.2, 0.1, seed=1), RIM)
    rho = np.linspace(0.1, 1.0, 10)
    off_deg = np.degrees(np.abs(angles(found.lens, rho) - angles(lens, rho)))
    assert off_deg.max() < 0.5
    assert np.abs(found.lens[4:] - lens[4:]).max() < 0.005


def test_more_pairs_make_the_lens_surer() -> None:
    camera = as_camera(PRIOR_MEAN, RIM, 480, 470)
    few, many = (solve_lens(made_pairs(camera, count, 0.3, 0.0, seed=2), RIM) for count in (10, 80))
    assert many.covariance[0, 0] < 0.5 * few.covariance[0, 0]


def test_the_scaramuzza_polynomial_has_the_angles_of_the_lens() -> None:
    camera = as_camera(PRIOR_MEAN, RIM, 480, 470)
    rho = np.linspace(0.05, 1.0, 20)
    assert np.degrees(np.abs(camera.angle(rho * RIM.radius) - angles(PRIOR_MEAN, rho))).max() < 0.05


def disc(width: int, height: int, x: float, y: float, radius: float) -> np.ndarray:
    rows, columns = np.mgrid[:height, :width]
    return np.hypot(columns - x, rows - y) <= radius


def test_a_round_picture_keeps_its_rim_under_an_inset_and_a_banner() -> None:
    mask = disc(400, 400, 200, 200, 190)
    mask[300:, 280:] = False  # inset
    mask[340:] = False  # banner
    rim = picture_rim(mask)
    assert (rim.x, rim.y, rim.radius) == pytest.approx((200, 200, 190), abs=2.0)


def test_the_rim_of_an_octagon_reaches_its_corners() -> None:
    mask = np.zeros((300, 400), np.uint8)
    cv2.fillConvexPoly(
        mask, np.array([[60, 0], [340, 0], [399, 60], [399, 240], [340, 299], [60, 299], [0, 240], [0, 60]]), 1
    )
    rim = picture_rim(mask > 0)
    assert rim.radius == pytest.approx(np.hypot(199.5, 89.5), rel=0.03)


def test_the_generic_lens_sees_an_ordinary_angle_at_the_rim_of_any_picture() -> None:
    for mask in (disc(320, 320, 160, 160, 155), np.ones((240, 320), np.bool_)):
        height, width = mask.shape
        picture = Picture(Box(0, 0, width, height), mask, width, height)
        rim = picture_rim(mask)
        angle = picture_camera("generic", picture).angle(np.array(rim.radius))
        assert np.degrees(angle) == pytest.approx(75.0, abs=0.5)


@pytest.mark.parametrize("cut", [np.s_[250:], np.s_[:40], np.s_[210:, 300:]])
def test_a_banner_or_an_inset_does_not_move_the_rim_of_an_octagon(cut: tuple[slice, ...]) -> None:
    filled = np.zeros((300, 400), np.uint8)
    corners = [[80, 0], [319, 0], [399, 80], [399, 219], [319, 299], [80, 299], [0, 219], [0, 80]]
    cv2.fillConvexPoly(filled, np.array(corners), 1)
    whole, mask = picture_rim(filled > 0), filled > 0
    mask[cut] = False
    rim = picture_rim(mask)
    assert (rim.x, rim.y) == pytest.approx((whole.x, whole.y), abs=1.0)
    assert rim.radius == pytest.approx(whole.radius, rel=0.02)


def test_the_lens_of_the_bundled_recording_is_found_within_its_deviation() -> None:
    recording = open_recording(DEMO / "video.mp4")
    picture = find_picture(recording)
    found, generic = lens_from_recordings([(recording, picture)]), picture_camera("generic", picture)
    true = camera_for_picture(load_camera(DEMO / "camera.json"), (recording.width, recording.height), picture.box)
    at = picture_rim(picture.mask).radius * np.array([0.5, 1.0])
    off, typical_off = (np.degrees(np.abs(camera.angle(at) - true.angle(at))) for camera in (found.camera, generic))
    assert found.estimated
    assert off[0] < 2 * found.half_std_deg < 6.0
    assert off[1] < 2 * found.rim_std_deg
    assert off[0] < typical_off[0]


def test_a_still_recording_says_nothing_about_its_lens(tmp_path: Path) -> None:
    picture = np.random.default_rng(0).integers(60, 200, (120, 160, 3), np.uint8)
    for k in range(30):
        cv2.imwrite(str(tmp_path / f"{k:03d}.png"), picture)
    recording = open_recording(tmp_path, fps=15)
    found = lens_from_recordings([(recording, find_picture(recording))])
    assert not found.estimated
    assert found.rim_std_deg == pytest.approx(9.0, abs=0.1)
