"""Adaptation to a group's own recordings: what it takes, what it keeps, when it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.cli.listed_recordings import listed_recordings
from haustra.core.errors import HaustraError
from haustra.demo import DEMO
from haustra.lab.training.motion import adaptation, trainer
from haustra.lab.training.motion.config import CONFIGS, MotionConfig
from haustra.lab.training.motion.kept_heads import has_heads
from haustra.lab.training.motion.own_recordings import OwnRecording, own_recordings
from haustra.lab.training.motion.pairs import PairSet, split_validation
from haustra.lab.training.motion.trainer import train_motion
from haustra.motion import MotionEstimator

TINY = replace(CONFIGS["adapt"], steps=3, batch=2, validate_every=3)


@pytest.fixture(autouse=True)
def _few_validation_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "VALIDATION_PAIRS", 4)


def adapted(pairs: PairSet, out: Path, config: MotionConfig) -> MotionEstimator:
    train_motion(*split_validation(pairs.shards), out, config, quiet=True)
    return MotionEstimator(out / "motion.onnx")


def test_an_adapted_network_keeps_its_unit_and_its_deviations(pairs: PairSet, tmp_path: Path) -> None:
    arrays = pairs.read(np.arange(len(pairs)))
    frames = arrays.frames * arrays.masks[..., None]
    shipped, own = (
        estimator.measure(frames[:, 0], frames[:, 1], arrays.flow[:, 0])
        for estimator in (MotionEstimator(), adapted(pairs, tmp_path, TINY))
    )
    lengths = [np.median(np.linalg.norm(found.motion[:, :3], axis=1)) for found in (shipped, own)]
    assert lengths[1] == pytest.approx(lengths[0], rel=0.2)
    wider = np.median(own.std, axis=0) / np.median(shipped.std, axis=0)
    assert np.isfinite(own.std).all()
    assert wider.min() > 0.8  # never less sure than it was, but for the pairs that were looked at


def test_deviations_grow_where_both_directions_agree_less(pairs: PairSet, tmp_path: Path) -> None:
    """A rate that spoils the network: what it states afterwards must say so."""
    gentle, rough = (
        adapted(pairs, tmp_path / name, replace(TINY, learning_rate=rate, cosine=False, warmup=0))
        for name, rate in (("gentle", 1e-6), ("rough", 5e-3))
    )
    arrays = pairs.read(np.arange(len(pairs)))
    frames = arrays.frames * arrays.masks[..., None]
    std = [np.median(one.measure(frames[:, 0], frames[:, 1], arrays.flow[:, 0]).std) for one in (gentle, rough)]
    assert std[1] > 1.3 * std[0]


def test_only_a_start_with_deviations_can_keep_them(pairs: PairSet, tmp_path: Path) -> None:
    assert has_heads("shipped")
    assert not has_heads(None)
    adapted(pairs, tmp_path / "bare", replace(TINY, uncertainty=False))
    assert not has_heads(tmp_path / "bare" / "motion.onnx")
    own = adapted(pairs, tmp_path / "own", replace(TINY, start=str(tmp_path / "bare" / "motion.onnx")))
    frames = pairs.read(np.arange(1)).frames
    assert np.isnan(own.measure(frames[:, 0], frames[:, 1]).std).all()


def write_pictures(folder: Path, count: int = 40) -> Path:
    """The first frames of the bundled recording as numbered pictures."""
    folder.mkdir(parents=True)
    film = cv2.VideoCapture(str(DEMO / "video.mp4"))
    for number in range(count):
        cv2.imwrite(str(folder / f"{number}.png"), film.read()[1])
    return folder


def found_in(data: Path, **given: object) -> list[OwnRecording]:
    return own_recordings(listed_recordings(data, data.parent / "out", given) or [], data)


def test_it_takes_what_locate_takes_and_tables_of_a_cohort(tmp_path: Path) -> None:
    pictures = write_pictures(tmp_path / "frames" / "second", 2)
    write_pictures(tmp_path / "frames" / "first", 2)
    video, table = DEMO / "video.mp4", tmp_path / "table.csv"
    table.write_text(f"id,video,fps,withdrawal_start\none,{video},,0:05\ntwo,{pictures},15,\n")
    found = found_in(table)
    assert [(own.name, own.between_s, own.options.fps) for own in found] == [
        ("one", (5.0, None), None),
        ("two", (0.0, None), 15),
    ]
    assert [own.name for own in found_in(tmp_path / "frames", fps=15)] == ["first", "second"]
    assert [own.paths for own in found_in(pictures, fps=15)] == [(pictures,)]
    assert [own.paths for own in found_in(video)] == [(video,)]
    with pytest.raises(HaustraError, match="no such file"):
        found_in(tmp_path / "none")


def test_ready_pairs_are_no_recordings(pairs_folder: Path) -> None:
    assert listed_recordings(pairs_folder, pairs_folder / "out", {}) is None


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Callable[[float, float], None]:
    """Instead of the check: the residual of the shipped network, and of the adapted one."""

    def found(before: float, after: float) -> None:
        monkeypatch.setattr(adaptation, "far_ratio", lambda _, motion: before if motion is None else after)

    return found


def test_the_command_adapts_to_a_folder_of_pictures_and_refuses_what_is_no_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged: Callable[[float, float], None]
) -> None:
    monkeypatch.setitem(CONFIGS, "adapt", replace(TINY, steps=1, batch=1, validate_every=1))
    pictures, out = write_pictures(tmp_path / "pictures"), tmp_path / "out"
    command = ["train", "motion", str(pictures), "--config", "adapt", "--fps", "15", "--camera", "generic"]
    judged(1.4, 1.2)
    ran = CliRunner().invoke(app, [*command, "--out", str(out), "--json"])
    assert ran.exit_code == 0, ran.output
    figures = json.loads(ran.stdout)
    assert (figures["far_residual_shipped"], figures["far_residual_adapted"]) == (1.4, 1.2)
    assert (out / "motion.onnx").is_file()
    for after in (1.4, 1.5, float("nan")):
        judged(1.4, after)
        ran = CliRunner().invoke(app, [*command, "--out", str(out), "--json"])
        assert isinstance(ran.exception, HaustraError)
        assert "nothing was exported" in str(ran.exception)
        assert not (out / "motion.onnx").exists()


def test_the_cost_is_said_beforehand() -> None:
    assert adaptation.cost(10, CONFIGS["adapt"], threads=2).startswith("10 recordings: about")
