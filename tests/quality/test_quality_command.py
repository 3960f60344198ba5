"""`haustra quality` on a recording and on pictures, through the real command with the shipped model."""

from __future__ import annotations

import csv
import json

import av
import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.core.errors import HaustraError

RATE = 10


def tissue(seed, size=160):
    """Something with folds and vessels enough to have detail; only that it is a picture matters here."""
    rng = np.random.default_rng(seed)
    coarse = cv2.resize(rng.normal(0, 1, (9, 9, 3)).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
    fine = rng.normal(0, 6, (size, size, 3))
    return np.clip(np.array([170, 95, 85]) + 30 * coarse + fine, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    """Three seconds: tissue, ten black frames, ten frozen ones."""
    path = tmp_path_factory.mktemp("video") / "r.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=RATE)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = 160, 160, "yuv420p", 4_000_000
        for number in range(30):
            image = tissue(number)
            if 10 <= number < 20:
                image = np.zeros_like(image)
            for packet in stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["quality", *map(str, arguments)])


def test_a_recording_gives_one_row_per_sample_and_black_needs_no_network(video, tmp_path):
    result = run(video, "--rate", RATE, "-o", tmp_path / "q.csv", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["samples"] == 30
    assert report["dropped"]["black"] >= 9
    rows = list(csv.DictReader((tmp_path / "q.csv").open()))
    assert list(rows[0]) == ["time_s", "p_noninformative", "p_forceps", "kept", "reason"]
    assert len(rows) == 30
    black = [row for row in rows if row["reason"] == "black"]
    assert all(row["p_forceps"] == "" and row["kept"] == "0" for row in black)
    assert float(rows[15]["time_s"]) == pytest.approx(1.5, abs=0.01)
    assert report["rows"][15]["reason"] == "black"


def test_thresholds_move_the_decision(video):
    strict = json.loads(run(video, "--rate", RATE, "--noninformative", 0, "--json").stdout)
    assert strict["kept"] == 0
    lenient = json.loads(run(video, "--rate", RATE, "--noninformative", 1, "--forceps", 1, "--json").stdout)
    assert lenient["kept"] >= 19
    assert lenient["thresholds"] == {"noninformative": 1.0, "forceps": 1.0}


def test_pictures_are_judged_each_by_itself(tmp_path):
    for number in range(2):
        cv2.imwrite(str(tmp_path / f"{number}.png"), tissue(number))
    cv2.imwrite(str(tmp_path / "black.png"), np.zeros((50, 60, 3), np.uint8))
    result = run(tmp_path / "0.png", tmp_path / "black.png", tmp_path / "0.png", "--json")
    report = json.loads(result.stdout)
    assert [row["picture"] for row in report["rows"]][1] == str(tmp_path / "black.png")
    assert report["rows"][1]["reason"] == "black"
    # The same picture twice in a row is no frozen recording.
    assert report["rows"][0]["p_forceps"] == report["rows"][2]["p_forceps"]
    assert report["rows"][2]["reason"] != "frozen"
    readable = run(tmp_path / "0.png", tmp_path / "black.png")
    assert "black" in readable.stdout
    assert "of 2 kept" in readable.stdout


def test_wrong_sources_are_told_in_one_line(video, tmp_path):
    (tmp_path / "bad.png").write_text("no picture")
    for sources, message in (
        ([video, video], "give one recording"),
        ([tmp_path / "none.png"], "no such file"),
        ([tmp_path / "bad.png"], "not a picture"),
    ):
        result = run(*sources)
        assert isinstance(result.exception, HaustraError)
        assert message in str(result.exception)
