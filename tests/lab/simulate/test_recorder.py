"""Recordings of a part of a withdrawal, and as recorders keep them: enlarged, interlaced, with few bits."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import polars as pl
import pytest

from haustra.camera.jsonfile import read_camera
from haustra.core.errors import HaustraError
from haustra.lab.datasets import open_dataset
from haustra.lab.simulate.recorder import Recorder, VideoWriter, weave_fields
from haustra.lab.simulate.simulated_recording import Settings, write_recording

SIZE = (96, 64)


def written(target: Path, pictures: list[np.ndarray], recorder: Recorder | None) -> list[np.ndarray]:
    """The pictures as they come out of the video."""
    with VideoWriter(target, 1, SIZE, 15.0, recorder) as video:
        for picture in pictures:
            video.add(picture)
    return decoded(target)


def decoded(target: Path) -> list[np.ndarray]:
    with av.open(str(target)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def flat(*levels: int) -> list[np.ndarray]:
    return [np.full((SIZE[1], SIZE[0], 3), level, np.uint8) for level in levels]


def test_every_second_line_is_of_the_next_frame_and_no_frame_is_lost(tmp_path: Path) -> None:
    given = flat(40, 120, 200)
    found = written(tmp_path / "a.mp4", given, Recorder(8.0, interlaced=True))
    assert len(found) == 3
    for k, (even, odd) in enumerate(((40, 120), (120, 200), (200, 200))):
        assert np.abs(found[k][0::2].astype(int) - even).mean() < 6
        assert np.abs(found[k][1::2].astype(int) - odd).mean() < 6
    assert (weave_fields(given[0], given[1])[1::2] == 120).all()
    assert (given[0] == 40).all(), "what was given stays as it was"


def test_pictures_are_enlarged_and_keep_their_shape(tmp_path: Path) -> None:
    found = written(tmp_path / "a.mp4", flat(90), Recorder(0.3, lines=128))
    assert found[0].shape == (128, 192, 3)
    with pytest.raises(HaustraError, match="even number from 64"):
        Recorder(0.3, lines=32).size(*SIZE)


def test_more_bits_are_more_bytes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    noise = [rng.integers(0, 255, (SIZE[1], SIZE[0], 3), np.uint8) for _ in range(30)]
    for bits in (0.2, 2.0):
        written(tmp_path / f"{bits}.mp4", noise, Recorder(bits))
    assert (tmp_path / "2.0.mp4").stat().st_size > 2 * (tmp_path / "0.2.mp4").stat().st_size


@pytest.fixture(scope="module")
def partial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("partial") / "one"
    settings = Settings(5, 8.0, *SIZE, part=(0.25, 0.75), recorder=Recorder(0.3, lines=128, interlaced=True))
    write_recording(out, settings)
    return out


def test_a_part_has_the_truth_of_its_own_frames(partial: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    write_recording(whole, Settings(5, 8.0, *SIZE))
    all_rows, rows = (pl.read_parquet(folder / "truth.parquet") for folder in (whole, partial))
    images = decoded(partial / "video.mp4")
    assert rows["frame"].to_list() == list(range(len(images)))
    assert rows["time_s"][0] == 0.0
    first = int(np.argmin(np.abs(all_rows["arc_mm"].to_numpy() - rows["arc_mm"][0])))
    same = all_rows.slice(first, len(rows))
    assert rows.drop("frame", "time_s").equals(same.drop("frame", "time_s"))
    assert 0 < rows["location_index"].min() < rows["location_index"].max() < 1
    assert {path.name for path in partial.iterdir()} == {
        "video.mp4", "camera.json", "truth.parquet", "contact_sheet.png", "recording.json"
    }  # fmt: skip


def test_the_camera_is_that_of_the_enlarged_pictures(partial: Path) -> None:
    camera = read_camera(partial / "camera.json")
    assert camera.size == decoded(partial / "video.mp4")[0].shape[1::-1] == (192, 128)
    (recording,) = open_dataset(partial, None)[1]
    assert recording.camera == camera
    assert recording.location is not None
    assert np.isfinite(recording.location).all()


def test_what_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="two shares"):
        write_recording(tmp_path / "a", Settings(5, 8.0, *SIZE, part=(0.7, 0.3)))
    with pytest.raises(HaustraError, match="whole procedure"):
        write_recording(tmp_path / "a", Settings(5, 8.0, *SIZE, part=(0.2, 0.3)), maps=("depth",))
    assert list(tmp_path.iterdir()) == []
