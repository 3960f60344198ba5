"""Copies of recordings with another look."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.interlaced_copies import write
from benchmarks.other_looks import LOOKS, copies

from haustra.video import open_recording


def picture() -> np.ndarray:
    ramp = np.tile(np.linspace(40, 200, 64).astype(np.uint8), (64, 1))
    return np.stack([ramp, ramp // 2, ramp // 3], axis=2)


@pytest.mark.parametrize("name", LOOKS)
def test_a_look_changes_what_it_says(name: str) -> None:
    image = picture()
    found = LOOKS[name].change(image, np.random.default_rng(1))
    assert found.shape == image.shape
    assert found.dtype == np.uint8
    brighter = float(found.mean()) - float(image.mean())
    assert {"darker": brighter < -10, "brighter": brighter > 10}.get(name, abs(brighter) < 2)
    assert (name in ("as-it-is", "few-bits")) == np.array_equal(found, image)


def test_copies_take_along_what_lies_beside_and_are_written_once(tmp_path: Path) -> None:
    source = tmp_path / "data" / "a"
    source.mkdir(parents=True)
    write(source / "video.mp4", [picture()] * 6)
    (source / "truth.csv").write_text("time_s\n")
    out = copies(tmp_path / "data", "darker", tmp_path / "out")
    assert sorted(file.name for file in (out / "a").iterdir()) == ["truth.csv", "video.mp4"]
    frames = [frame.image for frame in open_recording(out / "a" / "video.mp4").frames()]
    assert len(frames) == 6
    assert frames[0].mean() < picture().mean() - 5
    written = (out / "a" / "video.mp4").stat().st_mtime_ns
    copies(tmp_path / "data", "darker", tmp_path / "out")
    assert (out / "a" / "video.mp4").stat().st_mtime_ns == written
