"""EndoSLAM: `quot_x` by name, joined on ImageFrame, metres; the paper's six videos; the rendered colon."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from made_datasets import number_of, picture, walk, write_picture

from haustra.core.errors import HaustraError
from haustra.core.poses import to_translation_quaternion
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.endoslam import paper_videos, read_xlsx_poses, recordings

openpyxl = pytest.importorskip("openpyxl")
T = walk(6, 3)  # mm
COLUMNS = ["ImageFrame", "Pose_Index", "trans_x", "trans_y", "trans_z", "quot_x", "quot_y", "quot_z", "quot_w"]


def trajectory(folder: Path, frames: list[int], posed: list[int]) -> Path:
    """Fewer rows than frames, a leading column without a name, metres."""
    for n in frames:
        write_picture(folder / "Frames" / f"frame_{n:06d}.jpg", picture(n))
    (folder / "Poses").mkdir()
    t, q = to_translation_quaternion(T)
    book = openpyxl.Workbook()
    book.active.append([None, *COLUMNS])
    for index, n in enumerate(posed):
        book.active.append([index, n, 7 * index, *(t[n] / 1000).tolist(), *q[n].tolist()])
    book.active.append([9, 99, 1, None, None, None, None, None, None, None])
    book.save(folder / "Poses" / f"pose_{folder.name}.xlsx")
    return folder


def test_poses_are_joined_on_the_number_of_the_frame(tmp_path: Path) -> None:
    trajectory(tmp_path / "Cameras" / "HighCam" / "Colon-IV" / "TumorfreeTrajectory_2", [1, 2, 3, 4, 5], [5, 2, 3])
    dataset, (one,) = open_dataset(tmp_path)
    assert dataset.name == "endoslam"
    assert one.name == "HighCam/Colon-IV/TumorfreeTrajectory_2"
    assert one.time_s == pytest.approx(np.arange(5) / 20)
    known = np.isfinite(one.T_w_c).all(axis=(1, 2))
    assert known.tolist() == [False, True, True, False, True]
    assert one.T_w_c[known] == pytest.approx(T[[2, 3, 5]], abs=1e-6)
    frames = list(one.frames())
    assert [number_of(frame.image) for frame in frames] == [1, 2, 3, 4, 5]
    assert frames[0].T_w_c is None
    assert one.camera is None


def test_the_papers_six_videos_by_name(tmp_path: Path) -> None:
    for camera in ("HighCam", "LowCam"):
        for organ, number in (("Colon-IV", 2), ("SmallIntestine-IV", 1), ("Stomach-II", 4), ("Colon-I", 2)):
            trajectory(tmp_path / "Cameras" / camera / organ / f"TumorfreeTrajectory_{number}", [1, 2], [1, 2])
    trajectory(tmp_path / "Cameras" / "HighCam" / "Colon-IV" / "TumorousTrajectory_2", [1, 2], [1, 2])
    found = paper_videos(recordings(tmp_path))
    assert list(found) == [
        f"{camera} {title}"
        for camera in ("HighCam", "LowCam")
        for title in ("Colon-IV Trajectory-2", "Small Intestine-IV Trajectory-1", "Stomach-II Trajectory-4")
    ]
    assert found["HighCam Colon-IV Trajectory-2"].name == "HighCam/Colon-IV/TumorfreeTrajectory_2"


def test_capsules_have_their_calibration(tmp_path: Path) -> None:
    folder = tmp_path / "MiroCam" / "Colon-I" / "TumorfreeTrajectory_1"
    trajectory(folder, [1, 2], [1])
    (one,) = recordings(folder)
    assert one.name == "MiroCam/Colon-I/TumorfreeTrajectory_1"
    assert one.camera is not None
    assert one.camera.size == (40, 32)


def test_the_rendered_colon_is_left_handed_and_its_last_row_partial(tmp_path: Path) -> None:
    folder = tmp_path / "UnityCam" / "Colon"
    for n in range(5):
        write_picture(folder / "Frames" / f"image_{n:04d}.png", picture(n))
    (folder / "Poses").mkdir(parents=True)
    flip = np.diag([1.0, -1.0, 1.0, 1.0])
    t, q = to_translation_quaternion(flip @ T[:4] @ flip)
    rows = [",".join(map(str, (*t[i], *q[i], 10 + i / 10))) for i in range(4)]
    header = "tX,tY,tZ,rX,rY,rZ,rW,time(s)"
    (folder / "Poses" / "colon_position_rotation.csv").write_text("\n".join([header, *rows, "1.0,2.0,"]))
    (one,) = recordings(tmp_path / "UnityCam")
    assert len(one) == 4
    assert one.T_w_c == pytest.approx(T[:4], abs=1e-6)
    assert one.time_s == pytest.approx([0, 0.1, 0.2, 0.3])
    assert one.length_unit == "unity"
    assert one.notes == ()
    same = [",".join(map(str, (*t[i], 0, 0, 0, 1, i))) for i in range(4)]
    (folder / "Poses" / "colon_position_rotation.csv").write_text("\n".join([header, *same]))
    assert "rotations" in recordings(tmp_path)[0].notes[0]


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match=r"not EndoSLAM: expected Cameras/HighCam.*found an empty folder"):
        recordings(tmp_path)
    folder = trajectory(tmp_path / "LowCam" / "Colon-I" / "TumorfreeTrajectory_1", [1, 2], [3])
    with pytest.raises(HaustraError, match="no ImageFrame is the number of a picture"):
        recordings(tmp_path)
    (folder / "Poses" / "pose_TumorfreeTrajectory_1.xlsx").unlink()
    with pytest.raises(HaustraError, match=r"expected one .xlsx of poses, found an empty folder"):
        open_dataset(tmp_path)
    book = openpyxl.Workbook()
    book.active.append(["ImageFrame", "x"])
    book.save(folder / "Poses" / "a.xlsx")
    with pytest.raises(HaustraError, match=r"no column trans_x, .*quot_w: found ImageFrame, x"):
        read_xlsx_poses(folder / "Poses" / "a.xlsx")
    with zipfile.ZipFile(folder / "Poses" / "a.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
    with pytest.raises(HaustraError, match="declares a document type in xl/workbook"):
        read_xlsx_poses(folder / "Poses" / "a.xlsx")
    (folder / "Poses" / "a.xlsx").write_bytes(b"not a zip")
    with pytest.raises(HaustraError, match="not a readable"):
        read_xlsx_poses(folder / "Poses" / "a.xlsx")
