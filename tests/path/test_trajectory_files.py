"""TUM and KITTI files: the same poses come back, evo reads them too, and a wrong line is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from evo.tools import file_interface
from scipy.spatial.transform import Rotation

from haustra.core.errors import HaustraError
from haustra.path.trajectory_files import read_trajectory, write_kitti, write_tum


def poses(n: int = 20) -> np.ndarray:
    rng = np.random.default_rng(3)
    T = np.tile(np.eye(4), (n, 1, 1))
    T[:, :3, :3] = Rotation.random(n, random_state=rng).as_matrix()
    T[:, :3, 3] = rng.normal(0, 300, (n, 3))
    return T


def test_poses_come_back_and_evo_reads_the_same(tmp_path: Path) -> None:
    T, times = poses(), np.arange(20) / 15
    write_tum(tmp_path / "a.tum", times, T)
    write_kitti(tmp_path / "a.kitti", T)
    time_s, T_tum = read_trajectory(tmp_path / "a.tum")
    _, T_kitti = read_trajectory(tmp_path / "a.kitti")
    assert np.abs(T_tum - T).max() < 1e-5
    assert np.abs(T_kitti - T).max() < 1e-5
    assert np.abs(time_s - times).max() < 1e-8
    by_evo = file_interface.read_tum_trajectory_file(str(tmp_path / "a.tum"))
    assert np.abs(np.array(by_evo.poses_se3) - T_tum).max() < 1e-6
    by_evo_kitti = file_interface.read_kitti_poses_file(str(tmp_path / "a.kitti"))
    assert np.abs(np.array(by_evo_kitti.poses_se3) - T_kitti).max() < 1e-9


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tum", "0 0 0 0 0 0 0 1\n1 0 0 0 0 0 1\n", "line 2: 7 numbers found, 8"),
        ("a.tum", "# t x y z\n0 0 0 0 0 0 0 1\n\n1 a 0 0 0 0 0 1\n", "line 4: not a number"),
        ("a.tum", "1 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n", "line 2: the time 1 does not come after"),
        ("a.tum", "1 0 0 0 0 0 0 0\n", "line 1: the quaternion has the length 0"),
        ("a.kitti", "1 0 0 0 0 1 0 0 0 0 2 0\n", "line 1: the first 3 x 3"),
        ("a.tum", "# nothing\n", "holds no pose"),
        ("a.csv", "", "must end with .tum or .kitti"),
    ],
)
def test_a_wrong_file_is_one_line_that_says_where(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(HaustraError, match=message):
        read_trajectory(tmp_path / name)


def test_poses_that_a_tracker_lost_are_read_as_missing(tmp_path: Path) -> None:
    (tmp_path / "a.tum").write_text("0 0 0 0 0 0 0 1\n1 nan nan nan nan nan nan nan\n2 1 0 0 0 0 0 1\n")
    time_s, T = read_trajectory(tmp_path / "a.tum")
    assert time_s.tolist() == [0, 1, 2]
    assert np.isnan(T[1]).all()
    assert np.isfinite(T[[0, 2]]).all()
