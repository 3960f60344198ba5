"""docs/how-to/does-it-work.md, command by command, on simulated recordings that stand for those of a group."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import polars as pl
import pytest
from typer.testing import CliRunner

from haustra.camera.self_calibration import estimate
from haustra.checking import stretches
from haustra.cli.commands import app
from haustra.demo import DEMO
from haustra.lab.training.motion import adaptation, trainer
from haustra.lab.training.motion.config import CONFIGS

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "does-it-work.md").read_text()
COMMANDS = [shlex.split(line) for line in re.findall(r"^    (haustra .*)$", PAGE, re.MULTILINE)]
(TABLE,) = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
SECONDS, RATE = 14, 15
TIMES = ("cecum", "ascending", "transverse", "descending", "sigmoid", "rectum", "stop")


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three recordings of one scope with their seven times, and the table of the page."""
    (tmp_path / "recordings").mkdir()
    for number in (1, 2, 3):
        recording = tmp_path / "recordings" / f"0{number}.mp4"
        write_part(recording, first=number * 150)
        times_s = {name: 0.5 + k * (SECONDS - 1.0) / (len(TIMES) - 1) for k, name in enumerate(TIMES)}
        recording.with_suffix(".json").write_text(json.dumps(times_s))
    (tmp_path / "study.csv").write_text(TABLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_part(target: Path, first: int) -> None:
    """Some seconds of the bundled recording from this frame on."""
    with av.open(str(DEMO / "video.mp4")) as given, av.open(str(target), "w") as made:
        stream = made.add_stream("libx264", rate=RATE, options={"crf": "20", "g": "10"})
        stream.width = stream.height = 320
        for number, frame in enumerate(given.decode(video=0)):
            if first <= number < first + SECONDS * RATE:
                frame.pts, frame.time_base = number - first, Fraction(1, RATE)
                made.mux(stream.encode(frame))
        made.mux(stream.encode(None))


@pytest.mark.slow
def test_the_page_leads_a_group_from_the_check_to_its_own_template(
    group: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command in its order. Small settings; the residual falls, so that there is a network to go on with."""
    monkeypatch.setattr(stretches, "STRETCHES", 4)
    monkeypatch.setattr(estimate, "BURSTS", 25)
    monkeypatch.setattr(trainer, "VALIDATION_PAIRS", 4)
    monkeypatch.setitem(CONFIGS, "adapt", replace(CONFIGS["adapt"], steps=1, batch=1, validate_every=1))
    monkeypatch.setattr(adaptation, "far_ratio", lambda _, motion: 1.5 if motion is None else 1.2)
    said = []
    for command in COMMANDS:
        ran = CliRunner().invoke(app, command[1:])
        assert ran.exit_code == 0, f"{shlex.join(command)}: {ran.output} {ran.exception}"
        said.append(ran.output)
    assert "verdict" in said[0]
    results = [
        group / study / "recordings" / f"0{number}" for study in ("study", "study-adapted") for number in (1, 2, 3)
    ]
    for folder in results:
        assert json.loads((folder / "summary.json").read_text())["lens"]["source"] == "given"
        # The adapted network states deviations as the shipped one does, and the location rests on them.
        assert pl.read_parquet(folder / "frames.parquet")["location_std"].is_not_null().any()
    assert (group / "study" / "evaluation.json").is_file()
    assert (group / "mine.json").is_file()
    assert (group / "01-haustra" / "report.html").is_file()
