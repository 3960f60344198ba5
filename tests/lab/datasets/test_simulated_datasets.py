"""Our own folders and those of another simulator; the catalogue and its command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from made_datasets import number_of, walk, write_picture, write_video
from typer.testing import CliRunner

from haustra.camera import Camera, write_camera
from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.lab.datasets import DATASETS, open_dataset
from haustra.lab.datasets.simulated import foreign_recordings, recordings
from haustra.lab.simulate import maps
from haustra.lab.simulate.ground_truth import Truth, truth_table

T = walk(8, 7)


def ours(folder: Path) -> Path:
    write_video(folder / "video.mp4", 8)
    write_camera(folder / "camera.json", Camera(40, 32, (19.5, 15.5), (20.0,)))
    phases = ["insertion", *["withdrawal"] * 6, "after"]
    rows = [
        Truth(n, n / 15, T[n], 10.0 * n, n / 7, "sigmoid", phases[n], "blur" if n == 3 else "", n == 4)
        for n in range(8)
    ]
    truth_table(rows).write_parquet(folder / "truth.parquet")
    (folder / "scopeguide.csv").write_text("time_s,length_cm\n0,90\n")
    flow = np.zeros((32, 40, 3), np.uint16)
    flow[..., 0], flow[..., 1], flow[..., 2] = maps.FLOW_ZERO + 64 * 3, maps.FLOW_ZERO - 32, maps.SEEN
    flow[0, 0, 2] = maps.HIDDEN
    write_picture(folder / "flow" / "000002.png", flow)
    write_picture(folder / "depth" / "000002.png", np.full((32, 40), round(12.5 * maps.DEPTH_SCALE), np.uint16))
    return folder


def test_a_cohort_of_ours(tmp_path: Path) -> None:
    ours(tmp_path / "set1" / "test" / "01")
    ours(tmp_path / ".half-done")
    dataset, (one,) = open_dataset(tmp_path)
    assert (dataset.name, one.name) == ("simulated", "set1/test/01")
    assert one.T_w_c == pytest.approx(T, abs=1e-9)
    assert one.usable.tolist() == [False, True, True, False, False, True, True, False]
    assert one.segment.tolist() == [0, *[5] * 6, 0]
    assert np.isnan(one.location[[0, 7]]).all()
    assert one.location[3] == pytest.approx(3 / 7)
    frames = list(one.frames(np.array([1, 5])))
    assert [number_of(frame.image) for frame in frames] == [1, 5]
    assert frames[1].T_w_c == pytest.approx(T[5])
    assert one.depth_mm(2)[4, 4] == pytest.approx(12.5)
    assert one.depth_mm(3) is None
    flow = one.flow(2)
    assert (flow.to, flow.valid[0, 0], flow.valid[1, 1]) == (3, False, True)
    assert flow.flow[1, 1] == pytest.approx([3, -0.5])
    assert one.scopeguide is not None


def foreign(folder: Path) -> Path:
    write_video(folder / "video.mp4", 8)
    write_camera(folder / "camera.json", Camera(40, 32, (19.5, 15.5), (20.0,)))
    (folder / "times.json").write_text(json.dumps({"times_s": [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]}))
    columns = {f"m{i}{j}": T[:, i, j] for i in range(4) for j in range(4)}
    place = [None, *np.linspace(0, 1, 6).tolist(), None]
    names = [None, *["cecum"] * 6, None]
    rest = {"location_index": place, "segment": names, "informative": [1] * 7 + [0], "reason": [""] * 8}
    head = {"frame": range(8), "time_s": np.round(np.arange(8) / 15, 4)}
    pl.DataFrame({**head, **columns, **rest, "forceps": [0, 0, 1, *[0] * 5]}).write_csv(folder / "truth.csv")
    return folder


def test_a_folder_of_another_simulator(tmp_path: Path) -> None:
    foreign(tmp_path / "a")
    dataset, (one,) = open_dataset(tmp_path)
    assert (dataset.name, one.name) == ("foreign", "a")
    assert one.T_w_c == pytest.approx(T, abs=1e-9)
    assert one.usable.tolist() == [False, True, False, True, True, True, True, False]
    assert one.segment.tolist() == [0, *[1] * 6, 0]
    assert [number_of(frame.image) for frame in one.frames()] == list(range(8))


def test_the_foreign_colons_at_hand(shared_data: Path) -> None:
    a, b, *more = foreign_recordings(shared_data / "foreign-colons")
    assert [recording.name for recording in (a, b, *more)] == sorted("abcdefgh"[: 2 + len(more)])
    assert len(a) == 3600
    assert a.camera.size == (640, 512)
    assert np.linalg.det(a.T_w_c[:, :3, :3]) == pytest.approx(np.ones(3600), abs=1e-4)
    assert np.nanmax(a.location) == pytest.approx(1, abs=0.01)
    assert 0.2 < a.usable.mean() < 0.95


def test_which_dataset_is_it(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").touch()
    with pytest.raises(HaustraError, match=r"not a known dataset: expected one of the layouts.*found readme.txt"):
        open_dataset(tmp_path)
    with pytest.raises(HaustraError, match=r"expected video.mp4 and truth.parquet"):
        recordings(tmp_path)
    with pytest.raises(HaustraError, match="no dataset 'kitti': choose one of simulated, foreign"):
        open_dataset(tmp_path, "kitti")
    with pytest.raises(HaustraError, match="no pictures"):
        open_dataset(tmp_path, "cas-colon")


def test_the_command_lists_them_all_and_looks_into_a_folder(tmp_path: Path) -> None:
    listed = json.loads(CliRunner().invoke(app, ["datasets", "--json"]).stdout)
    assert list(listed) == [entry.name for entry in DATASETS]
    assert all(entry["where"] and entry["terms"] and entry["layout"] for entry in listed.values())
    ours(tmp_path / "one")
    found = json.loads(CliRunner().invoke(app, ["datasets", str(tmp_path), "--json"]).stdout)
    assert found["recordings"][0] == {
        "name": "one", "frames": 8, "seconds": 0.467, "camera": True, "poses": True, "segments": True, "notes": [],
    }  # fmt: skip
    assert "one: 8 frames, camera, poses, segments" in CliRunner().invoke(app, ["datasets", str(tmp_path)]).stdout
