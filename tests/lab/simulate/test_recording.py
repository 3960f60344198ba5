"""A recording on disk: complete, consistent with itself, and the same every time."""

from __future__ import annotations

import json
from pathlib import Path

import av
import cv2
import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import haustra
from haustra.camera.jsonfile import read_camera
from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.core.poses import from_translation_quaternion, invert
from haustra.core.vocabulary import SEGMENTS
from haustra.lab.simulate.ground_truth import MOMENTS
from haustra.lab.simulate.maps import DEPTH_SCALE, FLOW_SCALE, FLOW_ZERO, SEEN
from haustra.lab.simulate.simulated_recording import Settings, simulate_withdrawal, write_recording

SETTINGS = Settings(seed=5, seconds=6.0, width=128, height=96, insertion_s=3.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("recording") / "one"
    write_recording(out, SETTINGS, maps=("depth", "flow", "specular"))
    return out


def test_all_files_are_there(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    files = {"video.mp4", "camera.json", "truth.parquet", "annotations.json", "scopeguide.csv", "contact_sheet.png"}
    assert names == files | {"recording.json", "maps.json", "depth", "flow", "specular"}
    assert [path.name for path in folder.parent.iterdir()] == ["one"]
    assert read_camera(folder / "camera.json").size == (128, 96)
    assert cv2.imread(str(folder / "contact_sheet.png")).shape[1] == 1600


def test_truth_has_a_row_per_frame_with_its_time(folder: Path) -> None:
    truth = pl.read_parquet(folder / "truth.parquet")
    with av.open(str(folder / "video.mp4")) as container:
        times = [frame.time for frame in container.decode(video=0)]
    assert len(times) == len(truth) == 135
    assert np.abs(truth["time_s"].to_numpy() - np.array(times)).max() < 1e-3
    assert truth["informative"].to_list() == [reason == "" for reason in truth["reason"]]
    assert set(truth["segment"]) <= set(SEGMENTS)
    outside = truth.filter(pl.col("phase").is_in(["before", "after"]))
    assert set(outside["reason"]) == {"outside"}


def test_seven_times_agree_with_the_truth(folder: Path) -> None:
    times = json.loads((folder / "annotations.json").read_text())
    assert tuple(times) == MOMENTS
    assert list(times.values()) == sorted(times.values())
    truth = pl.read_parquet(folder / "truth.parquet")
    for name in SEGMENTS:
        assert truth.filter(pl.col("time_s") == times[name])["segment"].item() == name
    at = dict(zip(truth["time_s"].to_list(), truth["location_index"].to_list(), strict=True))
    assert at[times["cecum"]] == pytest.approx(0.0, abs=1e-9)
    assert at[times["stop"]] == pytest.approx(1.0, abs=1e-9)


def test_depth_and_flow_belong_to_the_poses(folder: Path) -> None:
    """Unproject the depth file of a frame, move it by the poses of the table: it lands where the flow file says."""
    truth, camera = pl.read_parquet(folder / "truth.parquet"), read_camera(folder / "camera.json")
    T = from_translation_quaternion(truth["tx", "ty", "tz"].to_numpy(), truth["qx", "qy", "qz", "qw"].to_numpy())
    checked = 0
    for frame in range(50, 110, 12):
        depth = cv2.imread(str(folder / f"depth/{frame:06d}.png"), cv2.IMREAD_UNCHANGED) / DEPTH_SCALE
        packed = cv2.imread(str(folder / f"flow/{frame:06d}.png"), cv2.IMREAD_UNCHANGED)
        flow = (packed[..., [2, 1]].astype(np.float64) - FLOW_ZERO) / FLOW_SCALE
        good = (packed[..., 0] == SEEN) & (depth > 0)
        y, x = np.nonzero(good)
        pixels = np.stack([x, y], axis=-1).astype(np.float64)
        rays = camera.unproject(pixels)
        points = rays * (depth[y, x] / rays[:, 2])[:, None]
        T_next_now = invert(T[frame + 1]) @ T[frame]
        moved = camera.project(points @ T_next_now[:3, :3].T + T_next_now[:3, 3])
        assert np.median(np.abs(moved - pixels - flow[good])) < 0.05 if len(x) else True
        checked += len(x)
    assert checked > 1000


def test_same_seed_same_bytes(folder: Path, tmp_path: Path) -> None:
    write_recording(tmp_path / "again", SETTINGS)
    for name in ("video.mp4", "camera.json", "annotations.json", "scopeguide.csv", "contact_sheet.png"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes(), name
    assert pl.read_parquet(tmp_path / "again/truth.parquet").equals(pl.read_parquet(folder / "truth.parquet"))


def test_iterator_gives_the_frames_of_the_video(folder: Path) -> None:
    with av.open(str(folder / "video.mp4")) as container:
        stored = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)][:20]
    options = {"width": 128, "height": 96, "insertion_s": 3.0}
    for (picture, truth), decoded in zip(simulate_withdrawal(5, 6.0, **options), stored, strict=False):
        assert picture.shape == (96, 128, 3)
        assert truth.T_w_c.shape == (4, 4)
        assert np.abs(picture.astype(int) - decoded).mean() < 12


def test_wall_motion_changes_pixels_not_poses() -> None:
    options = {"width": 64, "height": 64}
    still = next(iter(simulate_withdrawal(5, 4.0, **options)))
    moving = next(iter(simulate_withdrawal(5, 4.0, **options, wall_motion=True)))
    assert np.array_equal(still[1].T_w_c, moving[1].T_w_c)
    assert not np.array_equal(still[0], moving[0])


def test_nothing_is_overwritten_and_nothing_half_stays(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="exists already"):
        write_recording(folder, SETTINGS)

    def stop(_done: float, note: str = "") -> None:
        raise KeyboardInterrupt(note)

    with pytest.raises(KeyboardInterrupt):
        write_recording(tmp_path / "new", SETTINGS, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_command_makes_a_recording(tmp_path: Path) -> None:
    command = ["simulate", "withdrawal", "--seed", "2", "--seconds", "2", "--size", "64x64", "--json"]
    result = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "made")])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["frames"] == 30
    for size in ("64", "64x63", "axb"):
        bad = CliRunner().invoke(app, ["simulate", "withdrawal", "--size", size, "--out", str(tmp_path / "bad")])
        assert isinstance(bad.exception, HaustraError)
    assert not (tmp_path / "bad").exists()


def test_bundled_demo_is_whole_and_small() -> None:
    demo = Path(haustra.__file__).parent / "data" / "demo"
    assert sum(path.stat().st_size for path in demo.iterdir()) < 8e6
    made = json.loads((demo / "recording.json").read_text())
    assert len(pl.read_parquet(demo / "truth.parquet")) == made["frames"] == 900
    assert read_camera(demo / "camera.json").size == (made["width"], made["height"])
    with av.open(str(demo / "video.mp4")) as container:
        assert sum(1 for _ in container.demux(video=0)) - 1 == made["frames"]
