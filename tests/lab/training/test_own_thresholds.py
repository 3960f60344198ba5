"""Thresholds refitted to marked frames: shown first, written when accepted, left alone where little was marked."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.lab.training.quality import own_thresholds
from haustra.lab.training.quality.own_thresholds import FEWEST, refit_thresholds
from haustra.quality import QualityModel
from haustra.quality.quality_model import FrameProbabilities


@pytest.fixture
def marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Grey pictures of two recordings; the classifier is replaced by their brightness.

    The reader calls those from 60 on non-informative.
    """
    rng = np.random.default_rng(0)
    for number, brightness in enumerate(rng.permutation(np.arange(20, 120))):
        label = "informative" if brightness < 60 else "blur"
        folder = tmp_path / "marked" / label / f"case{number % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(folder / f"{number:03d}.png"), np.full((32, 32, 3), brightness, np.uint8))

    def brightness_of(_: QualityModel, pictures: np.ndarray) -> FrameProbabilities:
        mean = pictures.reshape(len(pictures), -1).mean(axis=1).astype(np.float32) / 120
        return FrameProbabilities(mean, np.zeros(len(pictures), np.float32))

    monkeypatch.setattr(QualityModel, "classify", brightness_of)
    return tmp_path / "marked"


def test_the_threshold_goes_where_the_reader_draws_the_line(marked: Path) -> None:
    found = refit_thresholds([marked])
    assert found.marked == 100
    assert found.after.noninformative == pytest.approx(59.5 / 120, abs=0.02)
    assert found.right_after > 0.99
    assert found.right_after > found.right_before or found.before == found.after
    assert found.left_out > 0.95
    assert found.after.forceps == found.before.forceps  # none was marked


def test_the_change_is_shown_before_it_is_accepted(marked: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.onnx"
    shown = CliRunner().invoke(app, ["train", "thresholds", str(marked)])
    assert shown.exit_code == 0, shown.output
    assert "nothing was written" in shown.output
    accepted = CliRunner().invoke(app, ["train", "thresholds", str(marked), "-o", str(out), "--json"])
    assert accepted.exit_code == 0, accepted.output
    told = json.loads(accepted.stdout)
    assert QualityModel(out).thresholds.noninformative == told["after"]["noninformative"]
    assert QualityModel().thresholds.noninformative == told["before"]["noninformative"]


def test_a_handful_of_frames_moves_nothing(marked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_thresholds, "FEWEST", 10 * FEWEST)
    found = refit_thresholds([marked])
    assert found.after == found.before


def test_no_marked_frame_is_told(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="label"):
        refit_thresholds([tmp_path])
