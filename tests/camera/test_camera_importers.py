"""Calibrations of other programs say the same as their own projection formulas."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from haustra.camera import load_camera
from haustra.camera.import_file import import_camera
from haustra.core.errors import HaustraError

K = np.array([[420.0, 0.0, 322.0], [0.0, 415.0, 238.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize(("folder", "name"), [("mirocam", "MiroCam"), ("pillcam1", "PillCam1")])
def test_matlab_objects_read_to_the_reference_numbers(folder: str, name: str, shared_data: Path) -> None:
    source = shared_data / "calibration" / folder
    reference = json.loads((source / "reference.json").read_text())
    camera = import_camera(source / f"{name}_cameraParams_fisheye.mat").camera
    a0, *higher = reference["MappingCoefficients"][0]
    assert camera.coefficients == (a0, 0.0, *higher)
    assert camera.center == tuple(value - 1 for value in reference["DistortionCenter"][0])
    assert camera.stretch == tuple(map(tuple, reference["StretchMatrix"]))
    assert [camera.height, camera.width] == reference["ImageSize"][0]
    assert camera == load_camera(folder.rstrip("1"))


def test_matlab_reprojections_are_ours(shared_data: Path) -> None:
    """MATLAB's own reprojected corners (detected + error, 1-based) from its poses come out of our projection."""
    source = shared_data / "calibration" / "mirocam"
    reference = json.loads((source / "reference.json").read_text())
    camera = load_camera(source / "MiroCam_cameraParams_fisheye.mat")
    board = np.column_stack([reference["WorldPoints"], np.zeros(len(reference["WorldPoints"]))])
    wanted = np.array(reference["detected_corners_px"]) + np.array(reference["ReprojectionErrors"]) - 1
    for view in range(10):
        R = cv2.Rodrigues(np.array(reference["RotationVectors"][view]))[0]
        pixels = camera.project(board @ R.T + reference["TranslationVectors"][view])
        assert np.abs(pixels - wanted[:, :, view]).max() < 1e-3


def test_ocamcalib_axes_and_sign(tmp_path: Path) -> None:
    polynomial = [-260.0, 0.0, 8e-4, -5e-7, 2e-9]
    (row, column), (c, d, e) = (230.0, 330.0), (0.998, 0.002, -0.003)
    path = tmp_path / "calib_results.txt"
    path.write_text(
        f"#polynomial\n\n5 {' '.join(map(str, polynomial))}\n\n#inverse\n\n2 1.0 2.0\n\n"
        f"#center\n\n{row} {column}\n\n#affine\n\n{c} {d} {e}\n\n#size\n\n480 640\n"
    )
    camera = import_camera(path).camera
    assert camera.size == (640, 480)
    pixel = np.array([400.0, 100.0])
    # cam2world of the toolbox: x along rows, y along columns, z backwards.
    x, y = np.linalg.solve([[c, d], [e, 1.0]], [pixel[1] - row, pixel[0] - column])
    z = np.polyval(polynomial[::-1], np.hypot(x, y))
    ray = np.array([y, x, -z])
    np.testing.assert_allclose(camera.unproject(pixel), ray / np.linalg.norm(ray), atol=1e-12)


def test_py_ocamcalib_needs_the_picture_size(tmp_path: Path) -> None:
    content = {
        "taylor_coefficient": [337.7, 0.0, -1.2e-3, 1.4e-6, -3e-9],
        "distortion_center": [543.9, 377.6],
        "stretch_matrix": [[1.003, 1e-4], [2e-4, 1.0]],
    }
    path = tmp_path / "fisheye.json"
    path.write_text(json.dumps(content))
    with pytest.raises(HaustraError, match="how large"):
        import_camera(path)
    camera = load_camera(path, (1080, 760))
    assert camera.size == (1080, 760)
    assert camera.coefficients == tuple(content["taylor_coefficient"])


def points(widest_deg: float) -> np.ndarray:
    rng = np.random.default_rng(0)
    angle, turn = np.radians(rng.uniform(0, widest_deg, 200)), rng.uniform(0, 2 * np.pi, 200)
    side = np.sin(angle)
    return np.stack([side * np.cos(turn), side * np.sin(turn), np.cos(angle)], axis=1)


def test_opencv_pinhole_from_yaml_and_json(tmp_path: Path) -> None:
    D = np.array([-0.25, 0.08, 0.0, 0.0, -0.01])
    yaml, text = tmp_path / "camera.yml", tmp_path / "camera.json"
    storage = cv2.FileStorage(str(yaml), cv2.FILE_STORAGE_WRITE)
    storage.write("image_width", 640), storage.write("image_height", 480)
    storage.write("camera_matrix", K), storage.write("distortion_coefficients", D)
    storage.release()
    text.write_text(json.dumps({"K": K.tolist(), "D": D.tolist(), "width": 640, "height": 480}))
    rays = points(35)
    wanted = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), K, D)[0].reshape(-1, 2)
    inside = ((wanted > 0) & (wanted < [639, 479])).all(axis=1)
    for path in (yaml, text):
        result = import_camera(path)
        assert result.residual_px < 0.01
        assert np.abs(result.camera.project(rays[inside]) - wanted[inside]).max() < 0.01


def test_tangential_distortion_is_reported_as_residual(tmp_path: Path) -> None:
    path = tmp_path / "camera.json"
    path.write_text(json.dumps({"K": K.tolist(), "D": [-0.25, 0.08, 2e-3, 0.0, 0.0], "width": 640, "height": 480}))
    assert import_camera(path).residual_px > 0.3


def test_opencv_fisheye_and_endomapper_agree_with_cv2(tmp_path: Path) -> None:
    k = [-0.1396589, -0.0003139987, 0.001505504, -0.0001316715]
    fx, fy, cx, cy = 717.6911, 718.0214, 734.7278, 552.0724
    path = tmp_path / "Endoscope_01_geometrical.xml"
    path.write_text(
        '<rig><camera><camera_model name="" index="0" serialno="0" type="calibu_fu_fv_u0_v0_kb4" version="0">'
        "<width> 1440 </width><height> 1080 </height>"
        f"<params> [ {fx}; {fy}; {cx}; {cy}; {'; '.join(map(str, k))} ] </params></camera_model></camera></rig>"
    )
    result = import_camera(path)
    assert result.residual_px < 0.6
    rays = points(70)
    matrix = np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])
    wanted = cv2.fisheye.projectPoints(rays[:, None], np.zeros(3), np.zeros(3), matrix, np.array(k))[0].reshape(-1, 2)
    inside = ((wanted > 0) & (wanted < [1439, 1079])).all(axis=1)
    gap = np.linalg.norm(result.camera.project(rays[inside]) - wanted[inside], axis=1)
    assert gap.mean() < 0.1
    text = tmp_path / "fisheye.json"
    text.write_text(json.dumps({"model": "fisheye", "K": matrix.tolist(), "D": k, "width": 1440, "height": 1080}))
    assert import_camera(text).camera == result.camera


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.xml", "a.yml", "a.mat", "a.csv"])
def test_other_files_are_one_clear_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("hello 1 2 3")
    with pytest.raises(HaustraError, match=name) as caught:
        import_camera(tmp_path / name)
    assert "\n" not in str(caught.value)
