"""SimCol3D: left-handed centimetres become right-handed millimetres; cam.txt wins over the constants."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_datasets import number_of, picture, walk, write_picture

from haustra.core.errors import HaustraError
from haustra.core.poses import to_translation_quaternion
from haustra.lab.datasets.simcol3d import recordings

T = walk(3, 5)  # ours: mm, right-handed


def replica(folder: Path) -> Path:
    colon = folder / "SyntheticColon_I"
    for n in range(3):
        write_picture(colon / "Frames_S1" / f"FrameBuffer_{n:04d}.png", picture(n, (475, 475)))
        write_picture(colon / "Frames_S1" / f"Depth_{n:04d}.png", np.full((475, 475), 256 * 255 // 2, np.uint16))
    flip = np.diag([1.0, -1.0, 1.0, 1.0])
    t, q = to_translation_quaternion(flip @ T @ flip)
    (colon / "SavedPosition_S1.txt").write_text("".join(" ".join(map(str, row / 10)) + "\n" for row in t))
    (colon / "SavedRotationQuaternion_S1.txt").write_text("".join(" ".join(map(str, row)) + "\n" for row in q))
    return colon


def test_poses_depth_and_camera(tmp_path: Path) -> None:
    colon = replica(tmp_path)
    (one,) = recordings(tmp_path)
    assert one.name == "SyntheticColon_I/Frames_S1"
    assert one.T_w_c == pytest.approx(T, abs=1e-6)
    assert np.linalg.det(one.T_w_c[:, :3, :3]) == pytest.approx(np.ones(3))
    assert one.depth_mm(1)[9, 9] == pytest.approx(100, abs=0.01)
    assert [number_of(frame.image) for frame in one.frames(np.array([2, 0]))] == [2, 0]
    ray = np.array([0.3, -0.2, 1.0])
    assert one.camera.project(ray) == pytest.approx([227.6 * 1.3, 237.5 * 0.8], abs=0.2)
    (colon / "cam.txt").write_text("200.0 0 230.0 0 201.0 231.0 0 0 1\n")
    assert recordings(colon)[0].camera.project(ray) == pytest.approx([290.0, 190.8], abs=0.2)


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="not SimCol3D: expected SyntheticColon_I/Frames_S1/"):
        recordings(tmp_path)
    colon = replica(tmp_path)
    (colon / "SavedPosition_S1.txt").write_text("1 2\n")
    with pytest.raises(HaustraError, match=r"SavedPosition_S1.txt is not a table with 3 numbers"):
        recordings(tmp_path)
    (colon / "SavedPosition_S1.txt").unlink()
    with pytest.raises(HaustraError, match=r"no such file: .*SavedPosition_S1.txt"):
        recordings(tmp_path)
