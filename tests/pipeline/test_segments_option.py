"""`--segments` and `--landmark`: what was seen is used again, only the names of the places change."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import haustra
from haustra.anatomy import SEGMENTS, load_template, segments_of
from haustra.anatomy.parameters import DecoderParameters
from haustra.core.errors import HaustraError
from haustra.results.table import PROBABILITY_COLUMNS


def test_the_decoder_names_the_likeliest_segment_and_keeps_to_a_landmark(
    located: haustra.Localization, demo: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(located.folder, tmp_path / "again")
    again = haustra.locate(
        demo / "video.mp4",
        camera=demo / "camera.json",
        withdrawal_start=0,
        out=folder,
        overlay=False,
        landmarks=["hepatic=0:12", "splenic=0:22"],
    )
    assert again.frames["location_index"].to_list() == located.frames["location_index"].to_list()
    likeliest = again.frames.select(PROBABILITY_COLUMNS).to_numpy().argmax(axis=1)
    other = np.flatnonzero(again.frames["segment"].to_numpy() != np.array(SEGMENTS)[likeliest])
    for visit in np.split(other, np.flatnonzero(np.diff(other) > 1) + 1):
        time_s = again.frames["time_s"].to_numpy()[visit]
        assert not len(time_s) or np.ptp(time_s) < DecoderParameters().shortest_visit_s, "only flicker is not named"
    entered = {row["segment"]: row for row in again.summary["boundaries"]}
    assert entered["transverse"]["entered_s"] == pytest.approx(12.0, abs=0.034), "kept to the frame"
    assert entered["descending"]["entered_s"] == pytest.approx(22.0, abs=0.034)
    assert entered["transverse"]["set_by"] == "given"
    assert entered["ascending"]["entered_s"] != located.summary["boundaries"][0]["entered_s"], "the rest follows"
    intervals = pl.read_csv(folder / "segments.csv")
    for name in ("transverse", "descending"):
        first = again.frames.filter(pl.col("segment") == name)["time_s"][0]
        assert intervals.filter(segment=name)["start_s"][0] == pytest.approx(first, abs=1e-6)
        assert entered[name]["entered_s"] == pytest.approx(first, abs=1e-3)
    assert again.summary["run"]["placing"]["segments"] == "decoder"
    assert "landmark" not in located.summary["boundaries"][0]["decided_by"]


def test_the_template_cuts_the_location_index(located: haustra.Localization, demo: Path, tmp_path: Path) -> None:
    again = haustra.locate(
        demo / "video.mp4",
        camera=demo / "camera.json",
        withdrawal_start=0,
        out=shutil.copytree(located.folder, tmp_path / "again"),
        overlay=False,
        segments="template",
    )
    wanted = segments_of(again.frames["location_index"].to_numpy(), load_template("paper-set2"))
    assert again.frames["segment"].to_list() == [SEGMENTS[k - 1] for k in wanted]
    assert {row["set_by"] for row in again.summary["boundaries"]} == {"template"}


def test_the_clock_names_segments_in_the_order_of_time(
    located: haustra.Localization, demo: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(located.folder, tmp_path / "again")
    again = haustra.locate(
        demo / "video.mp4", camera=demo / "camera.json", withdrawal_start=0, out=folder, overlay=False, segments="time"
    )
    number = np.array([SEGMENTS.index(name) for name in again.frames["segment"]])
    assert (np.diff(number) >= 0).all()
    assert set(number) == set(range(6))


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"segments": "guess"}, "not one of template, time, decoder"),
        ({"segments": "template", "landmarks": ["hepatic=0:12+-5"]}, "no landmark with a tolerance"),
        ({"segments": "decoder", "landmarks": ["hepatic=59:00"]}, "outside the withdrawal"),
    ],
)
def test_mistakes_are_one_line(
    located: haustra.Localization, demo: Path, tmp_path: Path, options: dict[str, object], word: str
) -> None:
    folder = shutil.copytree(located.folder, tmp_path / "again")
    with pytest.raises(HaustraError, match=word):
        haustra.locate(
            demo / "video.mp4", camera=demo / "camera.json", withdrawal_start=0, out=folder, overlay=False, **options
        )  # type: ignore[arg-type]
