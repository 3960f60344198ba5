"""C3VD and C3VDv2: order of pose.txt told from its last row, depth and flow scales, old and new names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_datasets import number_of, picture, walk, write_picture, write_poses

from haustra.core.errors import HaustraError
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.c3vd import canonical_name, read_poses, recordings, recordings_v2

T = walk(3)


def flat(folder: Path, *, digits: int = 4) -> Path:
    """C3VD: pose.txt is column-major, whatever its site says."""
    for n in range(3):
        stem = f"{n:0{digits}d}"
        write_picture(folder / f"{stem}_color.png", picture(n, (54, 43)))
        depth = np.full((43, 54), 32768, np.uint16)
        depth[0, 0], depth[0, 1] = 0, 65535
        write_picture(folder / f"{stem}_depth.tiff", depth)
        if n:
            flow = np.zeros((43, 54, 3), np.uint16)
            flow[..., 0], flow[..., 1] = 65535 * 25 // 40, 65535 * 15 // 40  # x = 5, y = -5
            flow[0, 0, 0] = 65535
            write_picture(folder / f"{stem}_flow.tiff", flow)
    write_poses(folder / "pose.txt", T, column_major=True)
    return folder


def test_c3vd_column_major_depth_and_flow(tmp_path: Path) -> None:
    flat(tmp_path / "cecum_t1_a")
    (one,) = recordings(tmp_path)
    assert one.name == "c0_cecum_t1_v1"
    assert one.T_w_c == pytest.approx(T, abs=1e-6)
    assert [number_of(frame.image) for frame in one.frames()] == [0, 1, 2]
    assert one.camera is not None
    assert one.camera.size == (54, 43)
    depth = one.depth_mm(1)
    assert np.isnan(depth[0, :2]).all()
    assert depth[5, 5] == pytest.approx(50, abs=0.01)
    assert one.flow(0) is None
    flow = one.flow(2)
    assert flow.to == 1, "from current to previous"
    assert flow.flow[5, 5] == pytest.approx([5, -5], abs=0.01)
    assert not flow.valid[0, 0]
    assert flow.valid[5, 5]
    assert one.source is None, "depth maps lie among the pictures"


def test_older_copies_count_without_zeros_and_whole_videos_have_poses_only(tmp_path: Path) -> None:
    flat(tmp_path / "old" / "trans_t2_b", digits=1)
    (one,) = recordings(tmp_path / "old")
    assert one.flow(1) is not None
    for n in range(3):
        write_picture(tmp_path / "screening_t3" / f"{n:04d}.png", picture(n))
    write_poses(tmp_path / "screening_t3" / "pose.txt", T, column_major=True)
    (whole,) = recordings(tmp_path / "screening_t3")
    assert (whole.name, whole.whole_colon, whole.source) == ("c0_full_t3_v1", True, tmp_path / "screening_t3")
    assert whole.depth_mm(0) is None


@pytest.mark.parametrize("column_major", [True, False])
def test_c3vdv2_tells_the_order_from_the_last_row(tmp_path: Path, column_major: bool) -> None:
    folder = tmp_path / "c1_full_t1_v1"
    for n in range(3):
        write_picture(folder / "rgb" / f"{n:04d}.png", picture(n))
    write_picture(folder / "depth" / "0001_depth.tiff", np.full((32, 40), 6553, np.uint16))
    write_poses(folder / "pose.txt", T, column_major=column_major)
    (one,) = recordings_v2(tmp_path)
    assert one.T_w_c == pytest.approx(T, abs=1e-6)
    assert one.whole_colon
    assert one.source == folder / "rgb"
    assert one.depth_mm(1)[3, 3] == pytest.approx(10, abs=0.01)
    assert one.depth_mm(0) is None
    assert open_dataset(tmp_path)[0].name == "c3vdv2"


def test_names_of_both_releases() -> None:
    assert canonical_name("cecum_t1_a") == "c0_cecum_t1_v1"
    assert canonical_name("screening_t1") == "c0_full_t1_v1"
    assert canonical_name("c2_sigmoid1_t4_v3") == "c2_sigmoid1_t4_v3"


def test_wrong_folders_and_files_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(HaustraError, match=r"not C3VD: expected 0000_color.png and pose.txt.*found notes.txt"):
        recordings(tmp_path)
    with pytest.raises(HaustraError, match=r"expected rgb/ and pose.txt.*found notes.txt"):
        recordings_v2(tmp_path)
    (tmp_path / "pose.txt").write_text("1,2,3\n")
    with pytest.raises(HaustraError, match="3 numbers per line found, 16"):
        read_poses(tmp_path / "pose.txt")
    (tmp_path / "pose.txt").write_text(",".join("1" * 16) + "\n")
    with pytest.raises(HaustraError, match="neither the last row nor the last column"):
        read_poses(tmp_path / "pose.txt")
    folder = flat(tmp_path / "cecum_t1_a")
    write_poses(folder / "pose.txt", T[:2], column_major=True)
    with pytest.raises(HaustraError, match="picture 2 has no pose"):
        recordings(folder)
