"""A person corrects a result: kept to the frame, in every output; versions, refusals, interruptions."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import haustra
from haustra.anatomy.annotations import reviewed_times
from haustra.anatomy.build import build_template_from
from haustra.cli import app
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS
from haustra.correctable import open_correctable
from haustra.results.annotations import FORMAT, Annotations, NotedFinding, Sighting, to_json
from haustra.results.folder import OUTPUTS, version_written
from haustra.results.versions import StaleVersionError, history

SET = {"ascending": 4.0, "transverse": 20.4, "rectum": 50.0}


@pytest.fixture
def result(located: haustra.Localization, tmp_path: Path) -> Path:
    return shutil.copytree(located.folder, tmp_path / "result")


def said(**more: Any) -> Annotations:
    return Annotations(FORMAT, **more)


def page_data(folder: Path) -> dict[str, Any]:
    text = (folder / "report.html").read_text(encoding="utf-8")
    return json.loads(text.partition('id="data">')[2].partition("</script>")[0])


def entered_everywhere(folder: Path, segment: str) -> list[float]:
    """When a segment is entered, as each output has it."""
    frames, table = pl.read_parquet(folder / "frames.parquet"), pl.read_csv(folder / "frames.csv")
    summary, page = json.loads((folder / "summary.json").read_text()), page_data(folder)
    number = SEGMENTS.index(segment)
    return [
        frames.filter(segment=segment)["time_s"][0],
        table.filter(segment=segment)["time_s"][0],
        pl.read_csv(folder / "segments.csv").filter(segment=segment)["start_s"][0],
        next(row["entered_s"] for row in summary["boundaries"] if row["segment"] == segment),
        next(row["t"] for row in page["borders"] if row["segment"] == segment),
        next(run["start"] for run in page["runs"] if run["segment"] == number),
        frames.filter(pl.col(f"p_{segment}") == 1)["time_s"][0],
    ]


def test_what_is_set_is_the_same_second_in_every_output(result: Path, located: haustra.Localization) -> None:
    corrected = haustra.apply_corrections(result, said(times_s=SET, by="Dr. A"))
    for name, time_s in SET.items():
        assert entered_everywhere(result, name) == pytest.approx([time_s] * 7, abs=0.034), "to the frame"
        assert np.ptp(entered_everywhere(result, name)) < 1e-3, "and one and the same frame"
    by = {row["segment"]: row["set_by"] for row in corrected.summary["boundaries"]}
    assert {name: who for name, who in by.items() if who != "decoder"} == dict.fromkeys(SET, "Dr. A")
    intervals = pl.read_csv(result / "segments.csv")
    assert intervals.filter(segment="transverse")["entered_by"][0] == "Dr. A"
    times = {row["segment"]: row["entered_s"] for row in located.summary["boundaries"]}
    moved = {row["segment"]: row["entered_s"] for row in corrected.summary["boundaries"]}
    assert times["descending"] != moved["descending"], "the rest follows"
    assert haustra.open(result).frames.equals(corrected.frames)
    assert intervals["duration_s"].sum() == pytest.approx(corrected.summary["withdrawal"]["duration_s"], abs=1e-3)


def test_the_rest_follows_within_a_second_and_without_video(result: Path) -> None:
    (result / "overlay.mp4").unlink()
    opened = open_correctable(result)
    opened.corrected(said())
    began = time.perf_counter()
    opened.corrected(said(times_s=SET))
    assert time.perf_counter() - began < 5.0  # below one on an idle machine: benchmarks have figures, tests behaviour


def test_both_ends_are_kept_to_the_frame(result: Path) -> None:
    corrected = haustra.apply_corrections(result, said(times_s={"cecum": 3.0, "stop": 40.02}))
    time_s = corrected.frames["time_s"]
    assert (time_s[0], time_s[-1]) == pytest.approx((3.0, 40.0), abs=0.034)
    withdrawal = corrected.summary["withdrawal"]
    assert (withdrawal["start_s"], withdrawal["end_s"]) == (time_s[0], time_s[-1])
    assert withdrawal["start_source"] == "set by a person"
    assert (corrected.frames["location_index"][0], corrected.frames["location_index"][-1]) == pytest.approx(
        (0, 1), abs=0.1
    )
    with pytest.raises(HaustraError, match="01:10 was not read: this result was made from 00:00 to 01:00"):
        haustra.apply_corrections(result, said(times_s={"stop": 70.0}))
    assert len(history(result)) == 1


def test_versions_are_kept_and_the_original_stays(result: Path, located: haustra.Localization) -> None:
    before = {name: (result / name).read_bytes() for name in ("frames.parquet", "summary.json", "report.html")}
    haustra.apply_corrections(result, said(times_s={"rectum": 50.0}), by="A")
    haustra.apply_corrections(result, said(times_s={"rectum": 51.0, "ascending": 4.0}), by="B")
    assert [(one.by, one.changes) for one in history(result)] == [
        ("A", ("rectum entered 00:50",)),
        ("B", ("ascending entered 00:04", "rectum entered 00:51 (was 00:50)")),
    ]
    assert {name: (result / "versions" / "original" / name).read_bytes() for name in before} == before
    again = haustra.apply_corrections(result, said())
    assert again.frames.equals(located.frames), "with nothing set it is Haustra's own again"
    assert json.loads((result / "manifest.json").read_text())["version"] == version_written(result) == 3


def test_locate_keeps_and_puts_back_corrections(result: Path, demo: Path) -> None:
    haustra.apply_corrections(result, said(times_s={"rectum": 50.0}), by="A")
    options: dict[str, Any] = {"camera": demo / "camera.json", "withdrawal_start": 0, "out": result, "threads": 2}
    untouched = (result / "manifest.json").stat().st_mtime_ns
    same = haustra.locate(demo / "video.mp4", **options)
    assert (result / "manifest.json").stat().st_mtime_ns == untouched, "finished: nothing to do"
    other = haustra.locate(demo / "video.mp4", **options, template="paper-set3", overlay=False)
    for found in (same, other):
        assert found.summary["version"]["by"] == "A"
        assert found.frames.filter(segment="rectum")["time_s"][0] == pytest.approx(50.0, abs=0.034)
    kept = json.loads((result / "versions" / "original" / "summary.json").read_text())
    assert kept["run"]["template"]["name"] == "paper-set3"
    assert "version" not in kept


@pytest.mark.parametrize("after", ["frames.csv", "segments.csv", "report.html", "summary.json"])
def test_a_save_that_is_cut_short_loses_nothing(
    result: Path, demo: Path, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed in the middle of writing: the version is there, and the next one to open the folder finishes it."""
    replace = Path.replace

    def dies(self: Path, target: Path) -> Path:
        done = replace(self, target)
        if Path(target).name == after:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(Path, "replace", dies)
    with pytest.raises(KeyboardInterrupt):
        haustra.apply_corrections(result, said(times_s=SET), by="A")
    monkeypatch.undo()
    assert version_written(result) is None
    assert [one.annotations.times_s for one in history(result)] == [SET]
    again = haustra.locate(demo / "video.mp4", camera=demo / "camera.json", withdrawal_start=0, out=result, threads=2)
    assert version_written(result) == 1
    assert again.frames.filter(segment="transverse")["time_s"][0] == pytest.approx(20.4, abs=0.034)
    assert all((result / name).is_file() for name in OUTPUTS)


def test_what_does_not_fit_is_refused_and_nothing_is_saved(result: Path) -> None:
    with pytest.raises(HaustraError, match="another recording"):
        haustra.apply_corrections(result, said(recording="ab" * 32))
    haustra.apply_corrections(result, said(times_s={"rectum": 50.0}, version=0), by="A")
    with pytest.raises(StaleVersionError, match="version 1 was saved by A"):
        haustra.apply_corrections(result, said(times_s={"rectum": 51.0}, version=0), by="B")
    assert len(history(result)) == 1
    haustra.apply_corrections(result, said(times_s={"rectum": 51.0}, version=0), by="B", on_top=True)
    assert len(history(result)) == 2
    (result / "observations.npz").unlink()
    with pytest.raises(HaustraError, match="missing or damaged: run haustra locate again"):
        haustra.apply_corrections(result, said())


def test_findings_and_landmarks_reach_the_page_and_the_summary(result: Path) -> None:
    noted = said(sightings=(Sighting("cecum", 1.5),), findings=(NotedFinding("polyp", 20.0, 4.0, "flat"),))
    corrected = haustra.apply_corrections(result, noted, by="A")
    assert corrected.summary["cecum"] == {"seen_s": 1.5, "probability": 1.0}
    review = page_data(result)["review"]
    assert review["annotations"]["findings"] == [{"kind": "polyp", "time_s": 20.0, "size_mm": 4.0, "note": "flat"}]
    assert (review["version"], review["history"][0]["by"]) == (1, "A")


def test_times_alone_leave_the_rest_as_it_is(result: Path, tmp_path: Path) -> None:
    haustra.apply_corrections(result, said(times_s={"rectum": 50.0}, findings=(NotedFinding("polyp", 20.0),)))
    plain = tmp_path / "times.json"
    plain.write_text('{"hepatic": "0:12"}')
    haustra.apply_corrections(result, plain)
    newest = history(result)[-1].annotations
    assert (newest.times_s, len(newest.findings)) == ({"transverse": 12.0}, 1)


def test_a_template_is_built_of_what_readers_left(result: Path, tmp_path: Path) -> None:
    haustra.apply_corrections(result, said(times_s=SET))
    with pytest.raises(HaustraError, match="nobody set descending, sigmoid: set them, or mark the rec"):
        build_template_from([result, result], [], tmp_path / "t.json", "t")
    corrected = haustra.apply_corrections(result, said(times_s=SET, reviewed=True))
    template = build_template_from([result, result], [], tmp_path / "t.json", "t")
    entered = corrected.frames.filter(segment="transverse")["location_index"][0]
    assert template.boundaries[2] == pytest.approx(entered, abs=1e-6)
    assert reviewed_times(result)[[1, 2, 5]] == pytest.approx(list(SET.values()), abs=0.034)


def test_a_landmark_that_was_given_stays_unless_it_is_contradicted(result: Path, demo: Path) -> None:
    options: dict[str, Any] = {"camera": demo / "camera.json", "withdrawal_start": 0, "out": result, "overlay": False}
    haustra.locate(demo / "video.mp4", **options, landmarks=["hepatic=0:12", "rectum=0:52"])
    corrected = haustra.apply_corrections(result, said(times_s={"sigmoid": 53.0}), by="A")
    by = {row["segment"]: (row["set_by"], row["entered_s"]) for row in corrected.summary["boundaries"]}
    assert by["transverse"] == ("given", pytest.approx(12.0, abs=0.034))
    assert by["sigmoid"] == ("A", pytest.approx(53.0, abs=0.034))
    assert by["rectum"][0] == "decoder"


def test_from_the_command_line(result: Path, tmp_path: Path) -> None:
    file = tmp_path / "annotations.json"
    file.write_bytes(to_json(said(times_s=SET, by="Dr. A")))
    ran = CliRunner().invoke(app, ["apply", str(result), str(file)])
    assert ran.exit_code == 0, ran.output
    assert "version     1" in ran.output
    assert "set by Dr. A" in ran.output
    printed = CliRunner().invoke(app, ["apply", str(result), str(file), "--json"])
    assert json.loads(printed.stdout)["version"]["number"] == 2
