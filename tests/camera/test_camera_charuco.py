"""ChArUco boards, rendered through a known lens; most of them reach beyond the picture."""

from __future__ import annotations

import json
import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from test_camera_calibrate import field_error
from typer.testing import CliRunner

from haustra.camera import Camera, load_camera, read_camera
from haustra.camera.calibrate import calibrate
from haustra.camera.charuco import CharucoBoard
from haustra.camera.closed_form import Fit
from haustra.cli.commands import app
from haustra.core.errors import HaustraError

BOARD = CharucoBoard(8, 6, 5.0, "4x4_50", 3.75)
PIXELS_A_MM = 8


def texture(*, legacy: bool = False) -> np.ndarray:
    markers = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    board = cv2.aruco.CharucoBoard((9, 7), 5.0, 3.75, markers)
    board.setLegacyPattern(legacy)
    return board.generateImage((9 * 5 * PIXELS_A_MM, 7 * 5 * PIXELS_A_MM))


def views(camera: Camera, count: int, seed: int) -> Fit:
    """Boards about as large as the picture, aimed at all of it: their ends lie outside."""
    rng = np.random.default_rng(seed)
    turn = Rotation.from_euler("xyz", rng.uniform([-30, -30, -20], [30, 30, 20], (count, 3)), degrees=True)
    side = np.arange(count) * 2.4
    aim = np.stack([np.cos(side), np.sin(side), np.full(count, 1.5)], axis=1) * rng.uniform(10, 14, (count, 1))
    R_c_b = turn.as_matrix()
    return Fit(camera, R_c_b, aim - R_c_b[:, :, :2] @ BOARD.points_mm.mean(axis=0))


def render(fit: Fit, view: int, board: np.ndarray) -> np.ndarray:
    camera, samples = fit.camera, 2
    big = camera.resized(camera.width * samples, camera.height * samples)
    rays = np.nan_to_num(big.unproject(np.stack(np.meshgrid(np.arange(big.width), np.arange(big.height)), axis=-1)))
    flat = rays @ np.linalg.inv(np.column_stack([fit.R_c_b[view][:, :2], fit.t_c_b[view]])).T
    hit = flat[..., 2] > 1e-6
    at = (flat[..., :2] / np.where(hit, flat[..., 2], 1.0)[..., None] + BOARD.square_mm) * PIXELS_A_MM - 0.5
    at = np.where(hit[..., None], at, -1e4).astype(np.float32)
    seen = cv2.remap(board, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderValue=200)
    return cv2.resize(seen, camera.size, interpolation=cv2.INTER_AREA)


@pytest.mark.parametrize("legacy", [False, True])
def test_corners_are_where_they_are_and_the_rest_is_unknown(legacy: bool) -> None:
    fit = views(load_camera("olympus-cf-hq190l").resized(675, 540), 3, seed=1)
    exact = fit.project(BOARD.points_mm)
    for view in range(3):
        found = BOARD.find(render(fit, view, texture(legacy=legacy)))
        known = np.isfinite(found[:, 0])
        assert 12 <= known.sum() < len(found)
        assert np.linalg.norm(found - exact[view], axis=1)[known].mean() < 0.3


def test_a_lens_is_found_from_boards_that_are_cut_off(tmp_path: Path) -> None:
    truth = load_camera("olympus-cf-hq190l").resized(675, 540)
    fit, pictures = views(truth, 8, seed=2), []
    for view in range(8):
        pictures.append(tmp_path / f"{view}.png")
        cv2.imwrite(str(pictures[-1]), render(fit, view, texture()))
    output = tmp_path / "camera.json"
    options = ["--board", "8x6", "--square", "5", "--charuco", "DICT_4X4_50", "--marker", "3.75", "-o", str(output)]
    ended = CliRunner().invoke(app, ["calibrate", *map(str, pictures), *options, "--degree", "4", "--json"])
    assert ended.exit_code == 0, ended.exception
    said = json.loads(ended.stdout)
    assert said["mean_error_px"] < 0.3
    assert field_error(truth, read_camera(output)) < 1.0
    assert (tmp_path / "camera.png").is_file()


@pytest.mark.parametrize(
    ("columns", "rows", "said"), [(9, 7, "one with 8x6 (squares were"), (6, 8, "one with 8x6: give --board 8x6")]
)
def test_a_wrong_size_is_named(columns: int, rows: int, said: str, tmp_path: Path) -> None:
    fit = views(load_camera("olympus-cf-hq190l").resized(675, 540), 2, seed=1)
    files = [tmp_path / f"{view}.png" for view in range(2)]
    for view, file in enumerate(files):
        cv2.imwrite(str(file), render(fit, view, texture()))
    with pytest.raises(HaustraError, match=re.escape(said)):
        calibrate(files, CharucoBoard(columns, rows, 5.0, "4x4_50", 3.75))


def test_what_is_no_such_board_is_named(tmp_path: Path) -> None:
    fit = views(load_camera("olympus-cf-hq190l").resized(675, 540), 1, seed=1)
    cv2.imwrite(str(tmp_path / "a.png"), render(fit, 0, texture()))
    with pytest.raises(HaustraError, match=r"a\.png: 0 corners of a ChArUco board with 8x6 inner corners and 6x6_250"):
        calibrate([tmp_path / "a.png"], CharucoBoard(8, 6, 5.0, "6x6_250", 3.75))
    with pytest.raises(HaustraError, match="choose from 4x4_50"):
        CharucoBoard(8, 6, 5.0, "9x9", 3.0)
    with pytest.raises(HaustraError, match="smaller than the square"):
        CharucoBoard(8, 6, 5.0, "4x4_50", 6.0)
    refused = CliRunner().invoke(app, ["calibrate", "a.png", "--board", "8x6", "--square", "5", "--marker", "3"])
    assert "give both --charuco and --marker" in str(refused.exception)
