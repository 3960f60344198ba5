"""Calibration from corners whose truth is known, and from the real capsule pictures."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import haustra.camera.calibrate as calibrate_module
from haustra.camera import Camera, load_camera, read_camera
from haustra.camera.board import Board, find_corners
from haustra.camera.calibrate import _choose, _first_fit, calibrate
from haustra.camera.closed_form import Fit, closed_form_fit
from haustra.camera.refine import _jacobian, _Layout
from haustra.cli.commands import app
from haustra.core.errors import HaustraError

BOARD = Board(8, 6, 5.0)


def fitted(corners: np.ndarray, board: np.ndarray, size: tuple[int, int], degree: int | None = None) -> Fit:
    """The fit alone, from corners that are already known."""
    return _choose(_first_fit(corners, board, size, degree), corners, board, degree)[0]


def boards_before(camera: Camera, count: int = 12, seed: int = 0) -> Fit:
    """Poses of a board that together fill the frame, as the manual asks: some near its edge."""
    rng = np.random.default_rng(seed)
    R, t = [], []
    middle = BOARD.points_mm.mean(axis=0)
    while len(R) < count:
        turn = Rotation.from_euler("xyz", rng.uniform([-35, -35, -180], [35, 35, 180]), degrees=True)
        side = rng.uniform(0, 2 * np.pi)
        aim = np.array([np.cos(side), np.sin(side), 0.0]) * rng.uniform(0.0, 3.0) + [0, 0, 1]
        R_c_b = turn.as_matrix()
        t_c_b = aim / np.linalg.norm(aim) * rng.uniform(15, 30) - R_c_b[:, :2] @ middle
        pixels = Fit(camera, R_c_b[None], t_c_b[None]).project(BOARD.points_mm)[0]
        if ((pixels > 2) & (pixels < np.array(camera.size) - 3)).all():
            R.append(R_c_b), t.append(t_c_b)
    return Fit(camera, np.stack(R), np.stack(t))


def careful_boards(camera: Camera, board: Board, seed: int) -> Fit:
    """Twelve boards as the manual asks: over the whole frame, tilted 20 to 45 degrees, each as large as fits there."""
    rng, tries = np.random.default_rng(seed), 300
    middle = board.points_mm.mean(axis=0)
    R, t = [], []
    for cell in np.stack(np.meshgrid([0, 1, 2, 3], [0, 1, 2]), axis=-1).reshape(-1, 2):
        aim = camera.unproject((cell + rng.uniform(0.1, 0.9, (tries, 2))) / [4, 3] * camera.size)
        axis = np.column_stack([-aim[:, 1], aim[:, 0], np.zeros(tries)])
        facing = Rotation.from_rotvec(axis * (np.arccos(aim[:, 2]) / np.hypot(*axis.T[:2]))[:, None])
        side, tilt = rng.uniform(0, 2 * np.pi, tries), np.radians(rng.uniform(20, 45, tries))
        tilted = Rotation.from_rotvec(np.column_stack([np.cos(side), np.sin(side), 0 * side]) * tilt[:, None])
        R_c_b = (facing * tilted * Rotation.from_euler("z", rng.uniform(0, 2 * np.pi, (tries, 1)))).as_matrix()
        t_c_b = aim * rng.uniform(15, 50, (tries, 1)) - R_c_b[:, :, :2] @ middle
        pixels = Fit(camera, R_c_b, t_c_b).project(board.points_mm)
        seen = ((pixels > 2) & (pixels < np.array(camera.size) - 3)).all(axis=(1, 2))
        best = np.argmax(np.where(seen, np.ptp(pixels, axis=1).prod(axis=1), 0.0))
        assert seen[best]
        R.append(R_c_b[best]), t.append(t_c_b[best])
    return Fit(camera, np.stack(R), np.stack(t))


def field_error(truth: Camera, found: Camera) -> float:
    """Mean distance over the frame between a pixel and where the camera found puts its true ray."""
    pixels = np.stack(np.meshgrid(*(np.linspace(0, n - 1, 41) for n in truth.size)), axis=-1)
    rays = truth.unproject(pixels)
    gap = np.linalg.norm(found.project(rays) - pixels, axis=-1)[~np.isnan(rays).any(axis=-1)]
    assert np.isnan(gap).mean() < 0.02
    return float(np.nanmean(gap))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("lens", ["olympus-cf-hq190l", "mirocam", "pillcam"])
def test_a_known_lens_is_recovered_from_noisy_corners(lens: str, seed: int) -> None:
    truth, board = without_turn(load_camera(lens)), Board(11, 8, 3.5)
    corners = careful_boards(truth, board, seed).project(board.points_mm)
    corners = corners + np.random.default_rng(seed + 100).normal(0, 0.1, corners.shape)
    fit = fitted(corners, board.points_mm, truth.size, 4)
    assert fit.errors(corners, board.points_mm).mean() < 0.13
    assert field_error(truth, fit.camera) < 0.1


def test_the_degree_and_square_pixels_are_chosen_by_what_the_corners_ask() -> None:
    lens = load_camera("pillcam")
    stretched = Camera(*lens.size, lens.center, lens.coefficients, ((1.01, 0.004), (0.0, 1.0)))
    for truth in (lens, stretched):
        corners = careful_boards(truth, BOARD, 2).project(BOARD.points_mm)
        corners = corners + np.random.default_rng(2).normal(0, 0.1, corners.shape)
        found = fitted(corners, BOARD.points_mm, truth.size).camera
        assert len(found.coefficients) == len(truth.coefficients)
        if truth is lens:
            assert found.stretch == lens.stretch
        else:
            np.testing.assert_allclose(found.stretch, stretched.stretch, atol=2e-3)


def without_turn(camera: Camera) -> Camera:
    """The same camera turned about its axis so that e = 0, the convention of the calibration."""
    matrix = np.array(camera.stretch)
    angle = np.arctan2(matrix[1, 0], matrix[1, 1])
    turned = matrix @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    from haustra.camera.importers import from_numbers

    return from_numbers(camera.center, camera.coefficients, turned, camera.size)


def test_the_closed_form_alone_is_near_with_exact_corners() -> None:
    truth = load_camera("pillcam")
    corners = boards_before(truth).project(BOARD.points_mm)
    start = closed_form_fit(corners, BOARD.points_mm, truth.size)
    assert start.errors(corners, BOARD.points_mm).mean() < 0.5
    assert start.camera.center == pytest.approx(truth.center, abs=2.0)


def test_the_jacobian_is_the_derivative() -> None:
    fit = boards_before(load_camera("mirocam"), 2)
    layout = _Layout(fit.camera.size, 4, 2)
    x = layout.vector(fit)
    exact = _jacobian(layout, x, BOARD.points_mm)
    for column in range(x.size):
        step = np.zeros_like(x)
        step[column] = 1e-6 * max(1.0, abs(x[column]))
        moved = [layout.fit(x + sign * step).project(BOARD.points_mm).ravel() for sign in (1, -1)]
        numeric = (moved[0] - moved[1]) / (2 * step[column])
        np.testing.assert_allclose(exact[:, column], numeric, atol=1e-4 * max(1.0, np.abs(numeric).max()))


def render(fit: Fit, view: int, *, mirrored: bool = False) -> np.ndarray:
    """The board as the camera sees it, black on white, four samples a pixel side."""
    camera, samples = fit.camera, 3
    big = camera.resized(camera.width * samples, camera.height * samples)
    pixels = np.stack(np.meshgrid(np.arange(big.width), np.arange(big.height)), axis=-1)
    rays = np.nan_to_num(big.unproject(pixels))
    to_board = np.linalg.inv(np.column_stack([fit.R_c_b[view][:, :2], fit.t_c_b[view]]))
    flat = rays @ to_board.T
    hit = flat[..., 2] > 1e-6
    at = flat[..., :2] / np.where(hit, flat[..., 2], 1.0)[..., None] / BOARD.square_mm
    inside = hit & (at > -1).all(-1) & (at[..., 0] < BOARD.columns) & (at[..., 1] < BOARD.rows)
    black = inside & (np.floor(at).sum(-1) % 2 == 0)
    image = cv2.resize(np.where(black, 30, 220).astype(np.uint8), camera.size, interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(image[:, ::-1]) if mirrored else image


def test_corners_are_found_and_turn_as_the_picture_does() -> None:
    fit = boards_before(load_camera("mirocam"), 3, seed=3)
    exact = fit.project(BOARD.points_mm)
    for mirrored in (False, True):
        found = find_corners(render(fit, 0, mirrored=mirrored), BOARD)
        assert found is not None
        wanted = exact[0] * [-1, 1] + [fit.camera.width - 1, 0] if mirrored else exact[0]
        nearest = np.linalg.norm(found[:, None] - wanted, axis=2).min(axis=1)
        assert nearest.mean() < 0.15
        grid = found.reshape(BOARD.rows, BOARD.columns, 2)
        x, y = grid[0, 1] - grid[0, 0], grid[1, 0] - grid[0, 0]
        assert x[0] * y[1] - x[1] * y[0] > 0


def test_the_command_names_what_it_rejects(tmp_path: Path) -> None:
    fit = boards_before(load_camera("mirocam"), 4, seed=3)
    pictures = []
    for view in range(4):
        pictures.append(tmp_path / f"board{view}.png")
        cv2.imwrite(str(pictures[-1]), render(fit, view))
    blank, other = tmp_path / "blank.png", tmp_path / "other.png"
    cv2.imwrite(str(blank), np.full((320, 320), 90, np.uint8))
    cv2.imwrite(str(other), np.zeros((32, 40), np.uint8))
    (tmp_path / "text.png").write_text("no picture")
    bad = [blank, other, tmp_path / "text.png"]
    output = tmp_path / "camera.json"
    arguments = ["calibrate", *map(str, pictures + bad), "--board", "8x6", "--square", "5", "-o", str(output)]
    result = CliRunner().invoke(app, [*arguments, "--degree", "4", "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert set(report["rejected"]) == set(map(str, bad))
    assert set(report["per_image"]) == set(map(str, pictures))
    assert report["mean_error_px"] < 0.2
    assert read_camera(output) == Camera(320, 320, *_fields(report["camera"]))
    assert cv2.imread(str(output.with_suffix(".png"))) is not None


@pytest.mark.parametrize(("given", "hint"), [((9, 7), "squares were counted"), ((6, 9), "but one with 8x6: give")])
def test_a_wrong_number_of_corners_is_named(
    given: tuple[int, int], hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without looking for such a board in every way there is, which takes minutes."""
    fit, pictures = boards_before(load_camera("mirocam"), 4, seed=3), []
    for view in range(4):
        pictures.append(tmp_path / f"{view}.png")
        cv2.imwrite(str(pictures[-1]), render(fit, view))
    monkeypatch.setattr(calibrate_module, "find_corners", lambda *_: pytest.fail("looked for in vain"))
    with pytest.raises(HaustraError, match="but one with 8x6") as refused:
        calibrate(pictures, Board(*given, 5.0))
    assert hint in str(refused.value)
    assert str(refused.value).endswith("give --board 8x6")


def _fields(camera: dict) -> tuple:
    return tuple(camera["center"]), tuple(camera["coefficients"]), tuple(map(tuple, camera["stretch"]))


def test_too_few_pictures_and_bad_boards_are_refused(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((64, 64), np.uint8))
    with pytest.raises(HaustraError, match="at least 3"):
        calibrate([tmp_path / "a.png"], BOARD)
    for text in ("7", "7x2", "axb"):
        with pytest.raises(HaustraError):
            Board.parse(text, 2.0)
    with pytest.raises(HaustraError, match="positive"):
        Board.parse("7x6", 0.0)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "shape", "limit_px"), [("mirocam", "7x6", 0.474), ("pillcam1", "8x6", 0.224)])
def test_real_capsules_are_calibrated_at_least_as_well_as_by_matlab(
    name: str, shape: str, limit_px: float, shared_data: Path
) -> None:
    folder = shared_data / "calibration" / name
    pictures = sorted(path for path in folder.iterdir() if path.suffix in {".jpg", ".png", ".bmp"})
    result = calibrate(pictures, Board.parse(shape, 2.0))
    assert result.rejected == {}
    assert len(result.pictures) == 10
    assert result.mean_error_px <= limit_px
