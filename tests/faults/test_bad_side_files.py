"""Hostile and broken side files: one line, exit code 2, nothing written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from haustra.anatomy.findings_file import read_findings
from haustra.camera.import_file import import_camera
from haustra.cohort.entries import find_entries
from haustra.core.errors import HaustraError
from haustra.demo import DEMO
from haustra.path.trajectory_files import read_trajectory

DEEP = 100_000


def haustra(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "haustra", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deep.yml", "%YAML:1.0\n---\na: " + "[" * DEEP),
        ("deep.yaml", "%YAML:1.0\n---\na:\n" + "".join(" " * k + "-\n" for k in range(2000))),
        ("deep.xml", "<?xml version='1.0'?><opencv_storage>" + "<a>" * DEEP),
        ("deep.json", "[" * DEEP),
    ],
)
def test_deeply_nested_calibrations_are_refused_in_one_line(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    out = tmp_path / "out"
    ended = haustra("locate", str(DEMO / "video.mp4"), "--camera", str(tmp_path / name), "--out", str(out))
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)
    assert name in ended.stderr
    assert "internal error" not in ended.stderr
    assert not out.exists()


def test_a_mat_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "camera.mat").write_bytes(b"MATLAB 5.0 MAT-file" + bytes(range(256)) * 4)
    with pytest.raises(HaustraError, match=r"camera\.mat"):
        import_camera(tmp_path / "camera.mat")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")
def test_a_pipe_is_no_recording_and_no_side_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(HaustraError, match="is not a file"):
        import_camera(tmp_path / "pipe.json")
    ended = haustra("locate", str(tmp_path / "pipe.json"), "--out", str(tmp_path / "out"))
    assert ended.returncode == 2
    assert "neither a file nor a folder" in ended.stderr


@pytest.mark.parametrize("value", ["1e154", "-1e200", "1e300"])
def test_poses_beyond_any_colon_are_refused_with_their_line(value: str, tmp_path: Path) -> None:
    (tmp_path / "path.tum").write_text(f"0 0 0 0 0 0 0 1\n1 {value} 0 0 0 0 0 1\n")
    with pytest.raises(HaustraError, match="line 2"):
        read_trajectory(tmp_path / "path.tum")


def test_clocks_in_nanoseconds_are_read(tmp_path: Path) -> None:
    (tmp_path / "path.tum").write_text("1700000000000000000 0 0 0 0 0 0 1\n1700000000066666667 1 0 0 0 0 0 1\n")
    assert len(read_trajectory(tmp_path / "path.tum")[0]) == 2


@pytest.mark.parametrize(("row", "said"), [("10,polyp,inf", "inf"), ("10,polyp,nan", "nan"), ("10,,1", "label")])
def test_findings_name_the_line_that_is_wrong(row: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text(f"time_s,label,score\n5,polyp,1\n{row}\n")
    with pytest.raises(HaustraError, match=rf"line 3: .*{said}"):
        read_findings(tmp_path / "f.csv")


@pytest.mark.parametrize("column", ["video", "camera", "annotations"])
def test_a_table_opens_object_stores_alone(column: str, tmp_path: Path) -> None:
    row = {"video": "a.mp4", column: "http://127.0.0.1:9/a.json"}
    table = tmp_path / "table.csv"
    table.write_text(f"{','.join(row)}\n{','.join(row.values())}\n")
    with pytest.raises(HaustraError, match=r"http:// .*--allow-scheme http"):
        find_entries([str(table)], str(tmp_path / "out"))
    (entry,) = (
        find_entries([str(table)], str(tmp_path / "out"), allow_schemes=["http"]) if column != "video" else [None]
    )
    assert entry is None or entry.id == "a"


def test_so_does_a_haustra_toml(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"")
    (tmp_path / "haustra.toml").write_text('camera = "http://127.0.0.1:9/camera.json"\n')
    with pytest.raises(HaustraError, match="--allow-scheme http"):
        find_entries([str(tmp_path / "a.mp4")], str(tmp_path / "out"))
