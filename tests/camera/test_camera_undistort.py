"""Straight pictures: straight lines stay straight, what the lens never saw is masked, sizes agree."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from haustra.camera import Camera, load_camera
from haustra.camera.undistort import Pinhole, Undistorter
from haustra.cli.commands import app
from haustra.core.errors import HaustraError


def painted(camera: Camera) -> np.ndarray:
    """A picture whose brightness is a smooth function of the direction x/z, y/z."""
    pixels = np.stack(np.meshgrid(np.arange(camera.width), np.arange(camera.height)), axis=-1)
    return scene(np.nan_to_num(camera.unproject(pixels), nan=-1.0))


def scene(rays: np.ndarray) -> np.ndarray:
    z = np.maximum(rays[..., 2], 0.2)
    value = 128 + 50 * np.sin(3 * rays[..., 0] / z) + 50 * np.cos(4 * rays[..., 1] / z)
    return np.repeat(value[..., None], 3, axis=2).astype(np.uint8)


@pytest.mark.parametrize("name", ["mirocam", "olympus-cf-hq190l"])
def test_the_pinhole_sees_the_scene_in_the_right_directions(name: str) -> None:
    camera = load_camera(name)
    undistorter = Undistorter(camera, 128, 80.0)
    wanted = scene(undistorter.pinhole.rays()).astype(int)
    straight = undistorter(painted(camera)).astype(int)
    assert np.abs(straight - wanted)[undistorter.mask].mean() < 1.5


def test_another_resolution_of_the_same_picture_gives_the_same() -> None:
    camera = load_camera("olympus-cf-hq190l")
    undistorter = Undistorter(camera, 96)
    small = painted(camera.resized(675, 540))
    gap = np.abs(undistorter(painted(camera)).astype(int) - undistorter(small).astype(int))
    assert gap[undistorter.mask].mean() < 1.5
    table = undistorter._table((675, 540))
    assert undistorter._table((675, 540)) is table


def test_pixels_the_lens_never_saw_are_masked_and_black() -> None:
    narrow = Camera(100, 100, (49.5, 49.5), (100.0,))
    undistorter = Undistorter(narrow, 60, 120.0)
    share = np.tan(np.radians(26.565)) / np.tan(np.radians(60))
    assert undistorter.mask.mean() == pytest.approx(share**2, abs=0.02)
    straight = undistorter(np.full((100, 100, 3), 200, np.uint8))
    assert (straight[undistorter.mask] == 200).all()
    assert (straight[~undistorter.mask] == 0).all()
    half = np.zeros((100, 100), bool)
    half[:, 50:] = True
    assert undistorter.undistort_mask(half).sum() == pytest.approx(undistorter.mask.sum() / 2, rel=0.1)


def test_K_is_the_matrix_of_the_rays() -> None:
    pinhole = Pinhole(40, 30, 90.0)
    rays = pinhole.rays() @ pinhole.K.T
    np.testing.assert_allclose(rays[7, 11], [11, 7, 1], atol=1e-12)
    assert pinhole.focal == pytest.approx(20.0)
    with pytest.raises(HaustraError, match="degrees"):
        Pinhole(40, 30, 180.0)


def test_the_input_picture_stays_as_it_is() -> None:
    camera = load_camera("pillcam")
    image = painted(camera)
    before = image.copy()
    Undistorter(camera, 64, 150.0)(image)
    np.testing.assert_array_equal(image, before)


def test_the_command_writes_pictures_and_says_that_it_guesses(tmp_path: Path) -> None:
    picture, out = tmp_path / "a.png", tmp_path / "out"
    cv2.imwrite(str(picture), painted(load_camera("generic", (320, 256))))
    result = CliRunner().invoke(app, ["undistort", str(picture), "-o", str(out), "--size", "64"])
    assert result.exit_code == 0, result.output
    assert "generic" in result.stderr
    assert cv2.imread(str(out / "a.png")).shape == (64, 64, 3)
    pinhole = json.loads((out / "pinhole.json").read_text())
    np.testing.assert_allclose(pinhole["K"], Pinhole(64, 64, 90.0).K)
    assert cv2.imread(str(out / "mask.png"), cv2.IMREAD_GRAYSCALE).shape == (64, 64)


def test_the_command_says_how_exact_a_converted_camera_is(tmp_path: Path) -> None:
    picture, lens = tmp_path / "a.png", tmp_path / "lens.json"
    cv2.imwrite(str(picture), np.full((256, 320, 3), 90, np.uint8))
    K = [[200, 0, 159.5], [0, 200, 127.5], [0, 0, 1]]
    lens.write_text(json.dumps({"model": "fisheye", "K": K, "D": [0.02, -0.01, 0, 0], "width": 320, "height": 256}))
    result = CliRunner().invoke(app, ["undistort", str(picture), "--camera", str(lens), "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "was converted, at most" in result.stderr


def test_the_command_undistorts_a_video(tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    camera = load_camera("generic", (160, 128))
    video, out = tmp_path / "v.mp4", tmp_path / "out"
    with av.open(str(video), "w") as container:
        stream = container.add_stream("libx264", rate=15)
        stream.width, stream.height, stream.pix_fmt = 160, 128, "yuv420p"
        for number in range(12):
            image = np.clip(painted(camera).astype(int) + 4 * number, 0, 255).astype(np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        container.mux(stream.encode())
    result = CliRunner().invoke(
        app, ["undistort", str(video), "--camera", "generic", "-o", str(out), "--json", "--size", "65"]
    )
    assert result.exit_code == 0, result.output
    with av.open(json.loads(result.stdout)["written"][0]) as container:
        frames = list(container.decode(video=0))
    times = [frame.time for frame in frames]
    pinhole = json.loads((out / "pinhole.json").read_text())  # H.264 has even sides: K is of what was written
    assert (frames[0].width, frames[0].height) == (pinhole["width"], pinhole["height"]) == (64, 64)
    assert cv2.imread(str(out / "mask.png"), cv2.IMREAD_GRAYSCALE).shape == (64, 64)
    assert len(times) == 12
    np.testing.assert_allclose(np.diff(times), 1 / 15, atol=0.002)
