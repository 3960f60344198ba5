"""Sound folders of every dataset, with their ground truth, and how they are read: what the fuzzer damages."""

from __future__ import annotations

import sys
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from fuzz.side_files import CALIBU, Reader, _workbook, write

sys.path.append(str(Path(__file__).parents[2] / "lab" / "datasets"))
from made_datasets import picture, walk, write_picture, write_poses, write_video

from haustra.core.poses import to_translation_quaternion

T = walk(6, 3)


def _read(name: str | None, folder: Path) -> None:
    """Opened, and everything that a recording has looked at."""
    from haustra.lab.datasets import open_dataset

    for one in open_dataset(folder, name)[1]:
        one.rows(15.0)
        for frame in islice(one.frames(), 4):
            for each in (one.depth_mm, one.flow):
                if each is not None:
                    each(frame.row)


def _simulated(folder: Path) -> None:
    from haustra.camera import Camera, write_camera
    from haustra.lab.simulate.ground_truth import Truth, truth_table

    write_video(folder / "video.mp4", 6)
    write_camera(folder / "camera.json", Camera(40, 32, (19.5, 15.5), (20.0,)))
    rows = [Truth(n, n / 15, T[n], 10.0 * n, n / 5, "sigmoid", "withdrawal", "", n == 4) for n in range(6)]
    truth_table(rows).write_parquet(folder / "truth.parquet")
    (folder / "scopeguide.csv").write_text("time_s,length_cm\n0,90\n")
    write_picture(folder / "depth" / "000002.png", np.full((32, 40), 99, np.uint16))
    write_picture(folder / "flow" / "000002.png", np.full((32, 40, 3), 1, np.uint16))


def _foreign(folder: Path) -> None:
    from haustra.camera import Camera, write_camera

    write_video(folder / "video.mp4", 6)
    write_camera(folder / "camera.json", Camera(40, 32, (19.5, 15.5), (20.0,)))
    (folder / "times.json").write_text("{}")
    names = [f"m{i}{j}" for i in range(4) for j in range(4)]
    lines = [",".join(["time_s", *names, "location_index", "segment", "informative", "forceps"])]
    for n in range(6):
        lines.append(",".join([str(n / 15), *map(str, T[n].ravel()), str(n / 5), "rectum", "true", "false"]))
    (folder / "truth.csv").write_text("\n".join(lines) + "\n")


def _c3vd(version: int, folder: Path) -> None:
    home = folder / ("cecum_t1_a" if version == 1 else "c1_cecum_t1_v1")
    pictures = home if version == 1 else home / "rgb"
    for n in range(3):
        write_picture(pictures / (f"{n:04d}_color.png" if version == 1 else f"{n:04d}.png"), picture(n))
        depth = home if version == 1 else home / "depth"
        write_picture(depth / f"{n:04d}_depth.tiff", np.full((32, 40), 999, np.uint16))
    write_poses(home / "pose.txt", T[:3], column_major=version == 1)


def _endoslam(folder: Path) -> None:
    home = folder / "Cameras" / "HighCam" / "Colon-IV" / "TumorfreeTrajectory_2"
    t, q = to_translation_quaternion(T)
    rows = [["ImageFrame", "trans_x", "trans_y", "trans_z", "quot_x", "quot_y", "quot_z", "quot_w"]]
    for n in range(4):
        write_picture(home / "Frames" / f"frame_{n:06d}.jpg", picture(n))
        rows.append([n, *t[n].tolist(), *q[n].tolist()])
    (home / "Poses").mkdir()
    _workbook("pose.xlsx", rows, home / "Poses")


def _unity(folder: Path) -> None:
    home = folder / "UnityCam" / "Colon"
    t, q = to_translation_quaternion(T)
    lines = ["tX,tY,tZ,rX,rY,rZ,rW,time(s)"]
    for n in range(4):
        write_picture(home / "Frames" / f"image_{n:04d}.png", picture(n))
        lines.append(",".join(map(str, [*t[n], *q[n], n / 10])))
    (home / "Poses").mkdir()
    (home / "Poses" / "colon.csv").write_text("\n".join(lines) + "\n")


def _simcol(folder: Path) -> None:
    home = folder / "SyntheticColon_I"
    t, q = to_translation_quaternion(T)
    for n in range(3):
        write_picture(home / "Frames_S1" / f"FrameBuffer_{n:04d}.png", picture(n, (60, 60)))
        write_picture(home / "Frames_S1" / f"Depth_{n:04d}.png", np.full((60, 60), 999, np.uint16))
    (home / "SavedPosition_S1.txt").write_text("".join(" ".join(map(str, row)) + "\n" for row in t))
    (home / "SavedRotationQuaternion_S1.txt").write_text("".join(" ".join(map(str, row)) + "\n" for row in q))
    (home / "cam.txt").write_text("200.0 0 30.0 0 201.0 31.0 0 0 1\n")


def _real_colon(folder: Path) -> None:
    for n in range(4):
        write_picture(folder / "001-001_frames" / f"001-001_{n}.jpg", picture(n))
    (folder / "video_info.csv").write_text("unique_video_name,fps\n001-001,25\n")
    labels = "".join(f"001-001_{n}.jpg,{label}\n" for n, label in enumerate(["outside", "ceacum", "rectum", "n.a."]))
    (folder / "001-001_labels.csv").write_text("frame_filename,GT\n" + labels)


def _endomapper(folder: Path) -> None:
    write_video(folder / "Seq_001.mov", 6)
    (folder / "calib.xml").write_text(CALIBU.replace("320", "40"))
    (folder / "Anatomical_regions_Seq_001.csv").write_text("num;frame;region\n1;2;rectum\n2;4;esplenic\n")


def _polypgen(folder: Path) -> None:
    for n in range(4):
        write_picture(folder / "seq2" / f"{n:04d}.jpg", picture(n))


def _withdrawals(folder: Path) -> object:
    from haustra.lab.datasets.cas_colon import read_withdrawals

    return [one.segments_at(np.arange(0.0, 400.0)) for one in read_withdrawals(folder / "withdrawals.csv")]


def _truth(folder: Path) -> object:
    from haustra.lab.evaluate.score_result import read_truth

    return read_truth(folder).rows_at(np.arange(0, 1, 0.1))


CAS_COLON = (
    "VideoID,Terminal_Ileum,Cecum,Ascending_Colon,Hepatic_Flexure,Transverse_Colon,Splenic_Flexure,Descending_Colon,"
    "Sigmoid_Colon,Rectum,Anal_Canal,Equipment,TotalFrames\n"
    "1,0:00-0:09,0:10-0:48,0:49-1:22,1:23-1:39,1:40-2:26,2:27-2:45,2:46-4:15,4:16-4:56,4:57-5:45,5:46-5:54,X,21240\n"
)

READERS: dict[str, Reader] = {
    "simulated": Reader(_simulated, partial(_read, "simulated"), share=0.6),
    "simulated truth": Reader(_simulated, _truth, ("truth.parquet",)),
    "foreign": Reader(_foreign, partial(_read, "foreign"), ("*.csv", "*.json")),
    "c3vd": Reader(partial(_c3vd, 1), partial(_read, None), share=0.6),
    "c3vdv2": Reader(partial(_c3vd, 2), partial(_read, None), share=0.3),
    "c3vd poses": Reader(partial(_c3vd, 1), partial(_read, "c3vd"), ("pose.txt",), share=0.6),
    "endoslam": Reader(_endoslam, partial(_read, None), ("*.xlsx",), share=0.5),
    "unity": Reader(_unity, partial(_read, None), ("*.csv",), share=0.6),
    "simcol3d": Reader(_simcol, partial(_read, None), ("*.txt",), share=0.6),
    "real-colon": Reader(_real_colon, partial(_read, None), ("*.csv",), share=0.6),
    "endomapper": Reader(_endomapper, partial(_read, "endomapper"), ("*.csv", "*.xml"), share=0.3),
    "polypgen": Reader(_polypgen, partial(_read, None), share=0.2),
    "cas-colon": Reader(write("withdrawals.csv", CAS_COLON), _withdrawals),
}
