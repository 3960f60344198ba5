"""A person corrects a result: kept to the frame, in every output; versions, refusals, interruptions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import haustra
from haustra.anatomy.annotated_times import reviewed_times
from haustra.anatomy.build import fit_template
from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS
from haustra.correctable import open_correctable
from haustra.results.annotations import FORMAT, Annotations, NotedFinding, Sighting, to_json
from haustra.results.folder import OUTPUTS, version_written
from haustra.results.schema import summary_schema
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
    before = [f"p_{name}" for name in SEGMENTS[:number]]  # none of them is possible any more
    return [
        frames.filter(segment=segment)["time_s"][0],
        table.filter(segment=segment)["time_s"][0],
        pl.read_csv(folder / "segments.csv").filter(segment=segment)["start_s"][0],
        next(row["entered_s"] for row in summary["boundaries"] if row["segment"] == segment),
        next(row["t"] for row in page["boundaries"] if row["segment"] == segment),
        next(run["start"] for run in page["runs"] if run["segment"] == number),
        frames.filter(pl.sum_horizontal(before) == 0)["time_s"][0],
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


def test_the_rest_follows_without_video(result: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("av.open", lambda *_, **__: pytest.fail("a video is opened"))
    (result / "overlay.mp4").unlink()
    opened = open_correctable(result)
    own, moved = (opened.corrected(said(times_s=times)).summary["boundaries"] for times in ({}, SET))
    entered = [{row["segment"]: row["entered_s"] for row in rows} for rows in (own, moved)]
    assert {name: entered[1][name] for name in SET} == pytest.approx(SET, abs=0.034)
    assert entered[0]["descending"] != entered[1]["descending"]


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


def test_an_end_that_nobody_set_gives_way_to_a_boundary(result: Path, located: haustra.Localization) -> None:
    assert located.summary["withdrawal"]["end_s"] < 59.0
    corrected = haustra.apply_corrections(result, said(times_s={"rectum": 59.0}))
    assert corrected.summary["withdrawal"]["end_s"] == pytest.approx(59.0, abs=0.034)
    assert entered_everywhere(result, "rectum") == pytest.approx([59.0] * 7, abs=0.034)
    with pytest.raises(HaustraError, match="01:10 was not read"):
        haustra.apply_corrections(result, said(times_s={"rectum": 70.0}))


def test_a_version_has_the_times_of_frames(result: Path) -> None:
    corrected = haustra.apply_corrections(result, said(times_s={"transverse": 20.42, "rectum": 50.0}))
    times = history(result)[-1].annotations.times_s
    assert times == {"transverse": pytest.approx(20.4, abs=1e-6), "rectum": pytest.approx(50.0, abs=1e-6)}
    assert set(times.values()) <= set(corrected.frames["time_s"].to_list())


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


def test_who_reads_while_another_saves_sees_one_version(
    result: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The table of the new version lies there, the summary does not yet: it comes while the reader waits."""
    before = (result / "summary.json").read_bytes()
    haustra.apply_corrections(result, said(times_s={"rectum": 50.0}), by="A")
    late = {name: (result / name).read_bytes() for name in ("summary.json", "manifest.json")}
    (result / "summary.json").write_bytes(before)
    (result / "manifest.json").unlink()

    def save(_: float) -> None:
        for name, data in late.items():
            (result / name).write_bytes(data)

    monkeypatch.setattr("haustra.localization.time.sleep", save)
    opened = haustra.open(result)
    entered = {row["segment"]: row["entered_s"] for row in opened.summary["boundaries"]}
    assert entered["rectum"] == opened.frames.filter(segment="rectum")["time_s"][0] == pytest.approx(50.0, abs=0.034)
    assert "two versions" not in caplog.text
    (result / "manifest.json").unlink()
    monkeypatch.setattr("haustra.localization.time.sleep", lambda _: None)
    haustra.open(result)
    assert "was not written to its end: what it shows may be of two versions" in caplog.text


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
    assert corrected.summary["cecum"] == {"seen_s": 1.5, "probability": 1.0, "set_by": "A"}
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


def test_a_template_is_built_of_what_readers_left(result: Path) -> None:
    haustra.apply_corrections(result, said(times_s=SET))
    with pytest.raises(HaustraError, match="nobody set descending, sigmoid: set them, or mark the rec"):
        fit_template([result, result])
    corrected = haustra.apply_corrections(result, said(times_s=SET, reviewed=True))
    template = fit_template([result, result]).template
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


def test_corrections_made_in_elan_and_in_a_spreadsheet(result: Path) -> None:
    """Two readers one after the other, each in a program of their own; each changes one border and nothing else."""
    entered = next(row["entered_s"] for row in haustra.open(result).summary["boundaries"] if row["segment"] == "rectum")
    document = haustra.export(result, "elan")
    text = document.read_text(encoding="utf-8")
    moved = text.replace(f'TIME_VALUE="{round(1000 * entered)}"', 'TIME_VALUE="51000"')
    document.write_text(moved, encoding="utf-8")
    haustra.apply_corrections(result, document, by="A")
    with pytest.raises(StaleVersionError):
        haustra.apply_corrections(result, document, by="B")
    table = haustra.export(result, "csv")
    assert f"{entered:.6f}" not in table.read_text()
    rows = [row.split(",") for row in table.read_text().splitlines()]
    next(row for row in rows if row[:2] == ["segment", "ascending"])[2] = "0:04"
    table.write_text("\n".join(";".join(row) for row in rows))
    haustra.apply_corrections(result, table, by="B")
    assert [(one.by, one.annotations.times_s) for one in history(result)] == [
        ("A", {"rectum": 51.0}),
        ("B", {"ascending": 4.0, "rectum": 51.0}),
    ]
    for name, time_s in {"rectum": 51.0, "ascending": 4.0}.items():
        assert entered_everywhere(result, name) == pytest.approx([time_s] * 7, abs=0.034)


def test_what_changes_nothing_makes_no_version(result: Path, tmp_path: Path) -> None:
    """An export that was changed and not saved, and a file without a time."""
    for to in ("elan", "csv"):
        with pytest.raises(HaustraError, match="was the change saved"):
            haustra.apply_corrections(result, haustra.export(result, to, tmp_path))
    (tmp_path / "none.json").write_text("{}")
    with pytest.raises(HaustraError, match="holds no times"):
        haustra.apply_corrections(result, tmp_path / "none.json")
    assert history(result) == []


def test_from_the_command_line(result: Path, tmp_path: Path) -> None:
    file = tmp_path / "annotations.json"
    file.write_bytes(to_json(said(times_s=SET, by="Dr. A")))
    ran = CliRunner().invoke(app, ["apply", str(result), str(file)])
    assert ran.exit_code == 0, ran.output
    assert "version     1" in ran.output
    assert "set by Dr. A" in ran.output
    printed = CliRunner().invoke(app, ["apply", str(result), str(file), "--json"])
    assert json.loads(printed.stdout)["version"]["number"] == 2


def test_findings_stay_through_map_apply_and_locate(result: Path, demo: Path, tmp_path: Path) -> None:
    """Given with locate, replaced by map, joined by what a reader notes: on the page, in the table and the summary."""
    table = tmp_path / "f.csv"
    table.write_text("time;label;score;paris\n0:20;polyp, 4 mm;2,5;0-Is\n0:43;ulcer;;\n")
    options: dict[str, Any] = {"camera": demo / "camera.json", "withdrawal_start": 0, "out": result, "overlay": False}
    before = haustra.open(result).frames
    located = haustra.locate(demo / "video.mp4", **options, findings=table)
    assert located.frames.equals(before), "findings decide no place"
    assert located.summary["findings"] == {"count": 2, "biopsies": 1, "outside": 0}
    rows = pl.read_csv(result / "findings.csv")
    assert rows.select("label", "kind", "biopsied", "by", "paris").rows() == [
        ("polyp, 4 mm", "polyp", False, "given", "0-Is"),
        ("ulcer", "ulcer", True, "given", None),
    ]
    assert [one["label"] for one in page_data(result)["findings"]] == ["polyp, 4 mm", "ulcer"]

    corrected = haustra.apply_corrections(result, said(findings=(NotedFinding("erosion", 30.0, 3.0),)), by="B")
    assert corrected.summary["findings"]["count"] == 3
    assert pl.read_csv(result / "findings.csv")["by"].to_list() == ["given", "B", "given"]

    table.write_text("time,label\n10,adenoma\n9:00,polyp\n")
    ran = CliRunner().invoke(app, ["map", str(result), "--findings", str(table), "-o", str(tmp_path / "map")])
    assert ran.exit_code == 0, ran.output
    shown = pl.read_csv(result / "findings.csv").select("label", "by").rows()
    assert shown == [("adenoma", "given"), ("erosion", "B"), ("biopsy", "detected"), ("polyp", "given")]
    assert [one["label"] for one in page_data(result)["findings"]] == ["adenoma", "biopsy", "polyp"]
    assert haustra.open(result).summary["findings"] == {"count": 3, "biopsies": 1, "outside": 1}
    assert json.loads((result / "summary.json").read_text())["version"]["number"] == 1
    assert version_written(result) == 1
    assert haustra.open(result).frames.equals(before)


def test_map_without_a_review_leaves_no_version(result: Path, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("time,label\n10,adenoma\n")
    ran = CliRunner().invoke(
        app, ["map", str(result), "--findings", str(tmp_path / "f.csv"), "-o", str(tmp_path / "m")]
    )
    assert ran.exit_code == 0, ran.output
    assert version_written(result) == 0
    assert not (result / "versions").exists()
    assert page_data(result)["findings"][0]["label"] == "adenoma"


def test_a_wrong_table_of_findings_stops_before_anything_is_read(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("haustra.pipeline.open_recording", lambda *_, **__: pytest.fail("the recording is opened"))
    (tmp_path / "f.csv").write_text("time,label\n10,adenoma\n12,\n")
    with pytest.raises(HaustraError, match=r"f\.csv, line 3: the label is empty"):
        haustra.locate(demo / "video.mp4", findings=tmp_path / "f.csv", out=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_every_summary_follows_its_schema_and_every_key_is_in_it(result: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    told = summary_schema()
    haustra.apply_corrections(result, said(times_s=SET, sightings=(Sighting("cecum", 1.5),), reviewed=True), by="A")
    for folder in (result, result / "versions" / "original"):
        summary = json.loads((folder / "summary.json").read_text())
        assert summary["schema_version"] == 1
        jsonschema.validate(summary, told)
        described = told["$defs"]
        assert set(summary) <= set(described["Summary"]["properties"])
        assert set(summary["withdrawal"]) <= set(described["WithdrawalSummary"]["properties"])
        assert set(summary["recording"]) <= set(described["RecordingSummary"]["properties"])
