"""`locate --scopeguide`: the location of the inserted length stands beside ours, in table, report and comparison."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import haustra
from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.lab.evaluate.score_result import RecordingTruth, score_frames
from haustra.results.table import SCOPEGUIDE_COLUMN


def track(folder: Path, rows: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "scopeguide.csv").write_text(f"time_s,length_cm\n{rows}")
    return folder / "scopeguide.csv"


def test_the_inserted_length_becomes_a_column_and_decides_nothing(clip: Path, tmp_path: Path) -> None:
    options = {"withdrawal_start": 0, "from_place": 0.0, "to_place": 1.0, "quality": "none", "overlay": False}
    plain = haustra.locate(clip, out=tmp_path / "plain", **options)
    guide = track(tmp_path, "0,80\n0.7,60\n2,20\n")
    guided = haustra.locate(clip, out=tmp_path / "guided", scopeguide=guide, **options)
    assert SCOPEGUIDE_COLUMN not in plain.frames.columns
    assert guided.frames.drop(SCOPEGUIDE_COLUMN).equals(plain.frames)
    index = guided.frames[SCOPEGUIDE_COLUMN].to_numpy()
    assert index[0] == 0.0
    assert index[-1] == 1.0
    assert (np.diff(index) > 0).all()
    assert '"scopeguide_index":[' in guided.report.read_text()
    assert '"scopeguide_index":[' not in plain.report.read_text()
    other = track(tmp_path, "0,80\n1,70\n2,20\n")
    again = haustra.locate(clip, out=tmp_path / "guided", scopeguide=other, **options)
    assert not again.frames.equals(guided.frames), "another track is another result"


def test_a_track_of_another_time_is_refused(clip: Path, tmp_path: Path) -> None:
    guide = track(tmp_path, "100,80\n200,20\n")
    with pytest.raises(HaustraError, match="times do not fit"):
        haustra.locate(clip, out=tmp_path / "out", withdrawal_start=0, quality="none", overlay=False, scopeguide=guide)


def test_compare_has_its_error_too(clip: Path, tmp_path: Path) -> None:
    guide = track(tmp_path, "0,80\n2,20\n")
    arguments = ["locate", str(clip), "--withdrawal-start", "0", "--from", "0", "--to", "1", "--quality", "none"]
    arguments += ["--no-overlay", "--scopeguide", str(guide), "--out", str(tmp_path / "out"), "--quiet"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    result = haustra.open(tmp_path / "out")
    time_s = result.frames["time_s"].to_numpy()
    truth = RecordingTruth(time_s, index=(time_s - time_s[0]) / (time_s[-1] - time_s[0]))
    scores = score_frames(result.frames, truth, result.template)
    assert scores.location_scopeguide is not None
    assert scores.location is not None
    assert scores.location_scopeguide.location_mae == pytest.approx(0.0, abs=1e-6)
    assert scores.location.location_mae > 0
