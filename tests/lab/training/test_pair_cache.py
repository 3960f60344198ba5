"""The pair cache proves that it belongs to its recording, lens and flow; a lens is not squeezed onto the picture."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import av
import cv2
import numpy as np
import pytest

from haustra.camera import Camera, camera_for_picture, write_camera
from haustra.camera.presets import generic_camera
from haustra.core.errors import HaustraError
from haustra.lab.training.motion import prepare
from haustra.lab.training.motion.pairs import PairSet, PairShard, find_shards, is_finished
from haustra.lab.training.motion.prepare import PairOptions, prepare_pairs
from haustra.lab.training.motion.simulated_pairs import PairPlan, make_pairs
from haustra.motion.canonical_frames import CanonicalView
from haustra.video import find_picture, open_recording

FRAME, BOX = (480, 270), (71, 0, 338, 270)  # 1920x1080 with a box of 1350, in small


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Patterned tissue in the box of a wide frame, drifting sideways."""
    rng = np.random.default_rng(0)
    tissue = cv2.resize(rng.integers(60, 200, (40, 60, 3), np.uint8), (600, 300), interpolation=cv2.INTER_CUBIC)
    path = tmp_path_factory.mktemp("wide") / "case.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=15)
        stream.width, stream.height = FRAME
        for number in range(8):
            frame = np.zeros((FRAME[1], FRAME[0], 3), np.uint8)
            frame[:, BOX[0] : BOX[0] + BOX[2]] = tissue[: BOX[3], 3 * number : 3 * number + BOX[2]]
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())
    return path


@pytest.fixture
def _all_useful(monkeypatch: pytest.MonkeyPatch) -> None:
    def keep(recording: object, _: object) -> object:
        times = [frame.time_s for frame in recording.frames(rate_hz=15.0)]  # type: ignore[attr-defined]
        return SimpleNamespace(labels=times, kept=[True] * len(times))

    monkeypatch.setattr(prepare, "assess_recording", keep)


@pytest.mark.usefixtures("_all_useful")
def test_a_calibration_of_whole_frames_is_cropped_as_in_locate(video: Path, tmp_path: Path) -> None:
    lens = replace(generic_camera(*FRAME), center=(300.0, 140.0))
    write_camera(tmp_path / "lens.json", lens)
    (shard,) = prepare_pairs(video, tmp_path / "cache", PairOptions(64, str(tmp_path / "lens.json")), quiet=True)
    recording = open_recording(video)
    picture = find_picture(recording)
    view = CanonicalView(picture, lens, 64)
    assert view.camera.center[0] == pytest.approx(300.0 - picture.box.x, abs=0.5)
    assert view.camera == camera_for_picture(lens, FRAME, picture.box)
    np.testing.assert_array_equal(shard.mask[0], view.mask)
    squeezed = CanonicalView(picture, lens.resized(picture.box.width, picture.box.height), 64)
    assert abs(squeezed.camera.center[0] - view.camera.center[0]) > 15  # what it was


@pytest.mark.usefixtures("_all_useful")
def test_every_lens_flow_size_and_recording_has_its_own_pairs(video: Path, tmp_path: Path) -> None:
    cache, data = tmp_path / "cache", tmp_path / "data"
    data.mkdir()
    shutil.copy(video, data / "case.mp4")
    write_camera(tmp_path / "lens.json", generic_camera(*FRAME))
    lens = str(tmp_path / "lens.json")
    folders = set()

    def made(options: PairOptions) -> PairShard:
        (shard,) = prepare_pairs(data, cache, options, quiet=True)
        folders.add(shard.folder)
        return shard

    first = made(PairOptions(64, lens))
    assert first.folder == made(PairOptions(64, lens)).folder
    write_camera(tmp_path / "same.json", generic_camera(*FRAME).resized(*FRAME))
    assert made(PairOptions(64, str(tmp_path / "same.json"))).folder == first.folder  # content, not name
    write_camera(tmp_path / "lens.json", replace(generic_camera(*FRAME), center=(200.0, 130.0)))
    made(PairOptions(64, lens))
    assert made(PairOptions(64, lens, "farneback")).description["flow"] == "farneback"
    made(PairOptions(96, lens))
    with (data / "case.mp4").open("ab") as file:
        file.write(b"\0\0\0\x08free")  # the same frames in another file
    made(PairOptions(96, lens))
    assert len(folders) == 5
    assert (
        first.description["identity"]["recording"] != made(PairOptions(96, lens)).description["identity"]["recording"]
    )
    with pytest.raises(HaustraError, match="different sizes"):
        PairSet(find_shards(cache))


def test_ready_pairs_of_another_flow_or_size_are_refused(pairs_folder: Path, tmp_path: Path) -> None:
    assert prepare_pairs(pairs_folder, tmp_path, PairOptions(128))
    for options in (PairOptions(128, flow="lk"), PairOptions(256), PairOptions(128, "generic")):
        with pytest.raises(HaustraError, match=r"make them again|leave it out"):
            prepare_pairs(pairs_folder, tmp_path, options)


@pytest.mark.parametrize("damage", ["gone", "cut", "alone"])
def test_a_shard_that_is_not_whole_is_made_again(pairs_folder: Path, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "colon-00000"
    shutil.copytree(pairs_folder / "colon-00000", folder)
    identity = json.loads((folder / "shard.json").read_text())["identity"]
    assert is_finished(folder, identity)
    assert not is_finished(folder, {**identity, "seed": 4})
    flow = (folder / "flow.npy").read_bytes()
    for path in [folder / "flow.npy"] if damage != "alone" else folder.glob("*.npy"):
        path.unlink()
    if damage == "cut":
        (folder / "flow.npy").write_bytes(flow[: len(flow) // 2])
    assert not is_finished(folder, identity)
    with pytest.raises(HaustraError, match="missing or cut off"):
        find_shards(tmp_path)
    if damage == "cut":
        make_pairs(tmp_path, PairPlan(1, clips=4, seed=3), quiet=True)
        assert (folder / "flow.npy").read_bytes() == flow


def test_what_a_killed_program_left_is_no_shard(pairs_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(pairs_folder / "colon-00000", tmp_path / ".colon-00001-abc" / "colon-00001")
    assert find_shards(tmp_path) == []


def test_a_camera_of_another_shape_is_refused(video: Path, tmp_path: Path) -> None:
    write_camera(tmp_path / "square.json", Camera(300, 300, (149.5, 149.5), (120.0,)))
    with pytest.raises(HaustraError, match="shape of neither"):
        prepare_pairs(video, tmp_path / "cache", PairOptions(64, str(tmp_path / "square.json")), quiet=True)
