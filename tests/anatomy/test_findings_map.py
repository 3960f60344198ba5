"""`haustra place`, `haustra template build` and `haustra map` through the real command line."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from haustra.anatomy import SEGMENTS, load_template, segments_of
from haustra.anatomy.build import fit_template
from haustra.anatomy.colon_map import HEIGHT, WIDTH, Marker, colon_map_svg, point_at
from haustra.anatomy.finding_marks import marks_of
from haustra.anatomy.findings import Finding, detected_biopsies, place_findings, summarise_findings
from haustra.anatomy.findings_file import read_findings
from haustra.anatomy.frame_places import by_template, place_columns
from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.path.trajectory_files import write_tum
from haustra.results import versions
from haustra.results.annotations import FORMAT, Annotations, NotedFinding
from haustra.results.table import PROBABILITY_COLUMNS, frames_table, write_frames

TEMPLATE = load_template("paper-set2")


def frames(reasons: list[str] | None = None) -> pl.DataFrame:
    """A minute at even speed, two frames a second."""
    time_s = np.arange(0, 60.1, 0.5)
    columns = {
        "frame": np.arange(len(time_s)),
        "time_s": time_s,
        **place_columns(time_s / 60, 0 * time_s + 0.02, TEMPLATE),
    }
    return frames_table(columns | ({"reason": reasons} if reasons else {}))


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def straight(target: Path) -> None:
    T = np.tile(np.eye(4), (200, 1, 1))
    T[:, 0, 3] = np.linspace(0, 130, 200)
    write_tum(target, np.arange(200) / 10, T)


def test_place_writes_a_table_of_a_trajectory(tmp_path: Path) -> None:
    straight(tmp_path / "a.tum")
    summary = json.loads(run("place", tmp_path / "a.tum", "-o", tmp_path / "r", "--json"))
    table = pl.read_parquet(tmp_path / "r" / "frames.parquet")
    assert table["location_index"].to_numpy() == pytest.approx(np.linspace(0, 1, 200), abs=0.005)
    assert table["segment"][0] == "cecum"
    assert table["segment"][-1] == "rectum"
    assert pl.read_csv(tmp_path / "r" / "frames.csv").columns == table.columns
    assert json.loads((tmp_path / "r" / "summary.json").read_text()) == summary
    assert summary["template"]["name"] == "paper-set2"
    by_time = run("place", tmp_path / "a.tum", "-o", tmp_path / "t", "--template", "paper-set2-time")
    assert "21.7 %" in by_time or "21.5 %" in by_time


def test_a_template_is_built_from_results_and_used(tmp_path: Path) -> None:
    straight(tmp_path / "a.tum")
    times = {"cecum": 0, "ascending": 4, "transverse": 6, "descending": 8, "sigmoid": 10, "rectum": 12, "stop": 19.9}
    for name in ("r1", "r2"):
        run("place", tmp_path / "a.tum", "-o", tmp_path / name)
        (tmp_path / name / "annotations.json").write_text(json.dumps(times))
    built = json.loads(run("template", "build", tmp_path / "r1", tmp_path / "r2", "-o", tmp_path / "t.json", "--json"))
    assert built["mean"] == pytest.approx(np.array([4, 2, 2, 2, 2, 7.9]) / 19.9, abs=0.005)
    run("place", tmp_path / "a.tum", "-o", tmp_path / "own", "--template", tmp_path / "t.json")
    assert pl.read_parquet(tmp_path / "own" / "frames.parquet")["segment"][35] == "cecum"


@pytest.mark.parametrize("spread", ["empty", "missing"])
def test_a_result_without_a_spread_has_segments_by_another_template_and_no_probabilities(spread: str) -> None:
    """Every frame was in the cecum with certainty."""
    table = frames()
    bare = table.drop("location_std") if spread == "missing" else table.with_columns(location_std=None)
    other = load_template("paper-set3")
    told = by_template(bare, other)
    assert told["segment"].to_list() == [SEGMENTS[k - 1] for k in segments_of(table["location_index"], other)]
    assert told.select(PROBABILITY_COLUMNS).null_count().sum_horizontal().item() == 6 * table.height
    (row,) = place_findings([Finding(40.0, "polyp", None)], told).to_dicts()
    assert (row["segment"], row["p_segment"]) == (told["segment"][80], None)


def test_findings_of_a_part_of_a_colon_have_their_progress_and_no_place(tmp_path: Path) -> None:
    """Its frames have a location along the part and no segment: nothing is drawn on the colon, by no template."""
    unnamed = {"segment": pl.lit("")} | {name: pl.lit(None, pl.Float64) for name in PROBABILITY_COLUMNS}
    reasons = [""] * 121
    reasons[20:24] = ["forceps"] * 4
    write_frames(tmp_path / "r", frames(reasons).with_columns(**unnamed))
    (tmp_path / "f.csv").write_text("time,label\n30,polyp\n")
    figures = json.loads(run("map", tmp_path / "r", "--findings", tmp_path / "f.csv", "-o", tmp_path / "m", "--json"))
    assert [segment["findings"] for segment in figures["segments"]] == [0] * 6
    placed = pl.read_csv(tmp_path / "m" / "findings.csv")
    assert placed["location_index"].to_list() == pytest.approx([10.75 / 60, 0.5], abs=0.01)
    assert placed["p_segment"].null_count() == 2
    assert figures["outside"] == 2
    assert "polyp at 00:30" not in (tmp_path / "m" / "colon_map.svg").read_text()
    told = run("map", tmp_path / "r", "--template", "paper-set3", "-o", tmp_path / "other")
    assert "note: 1 finding could not be placed" in told


def test_map_places_findings_and_draws_them(tmp_path: Path) -> None:
    reasons = [""] * 121
    reasons[24:28] = reasons[80:84] = ["forceps"] * 4
    write_frames(tmp_path / "r", frames(reasons[:121]))
    (tmp_path / "f.csv").write_text('time,label,score\n0:06,"<script>alert(1)</script>",2\n30,clear,0\n9:00,late,1\n')
    summary = json.loads(run("map", tmp_path / "r", "--findings", tmp_path / "f.csv", "-o", tmp_path / "m", "--json"))
    placed = pl.read_csv(tmp_path / "m" / "findings.csv")
    assert placed["label"].to_list()[:2] == ["<script>alert(1)</script>", "biopsy"]
    assert placed["location_index"][0] == pytest.approx(0.1, abs=0.01)
    assert placed["segment"][0] == "ascending"
    assert placed["segment"][-1] is None
    assert summary["outside"] == 1
    assert summary["findings"] == 5
    picture = (tmp_path / "m" / "colon_map.svg").read_text()
    assert "<script" not in picture
    marks = ET.fromstring(picture).findall(".//{http://www.w3.org/2000/svg}polygon[@class='finding']")
    assert len(marks) == 3, "affected and placed: one of the file, two biopsies"


def test_what_a_reader_noted_is_on_the_map_as_on_the_page(tmp_path: Path) -> None:
    write_frames(tmp_path / "r", frames())
    noted = Annotations(FORMAT, findings=(NotedFinding("polyp", 20.0, 4.0),))
    versions.append(tmp_path / "r", versions.next_version(tmp_path / "r", noted, by="Dr. A"))
    (tmp_path / "f.csv").write_text("time,label\n40,ulcer\n")
    run("map", tmp_path / "r", "--findings", tmp_path / "f.csv", "-o", tmp_path / "m")
    rows = pl.read_csv(tmp_path / "m" / "findings.csv").select("label", "by").rows()
    assert rows == [("polyp", "Dr. A"), ("ulcer", "given")]


def test_every_kind_has_a_mark_of_its_own_and_a_place_in_the_legend() -> None:
    kinds = [f"kind of finding {k}" for k in range(30)] + ["biopsy"]
    drawing = ET.fromstring(colon_map_svg(TEMPLATE, [Marker(0.5, "x", kind=kind) for kind in kinds]))
    found = {(mark.outline, mark.colour) for mark in marks_of(kinds).values()}
    assert len(found) == len(kinds)
    named = [text for text in drawing.iter() if text.get("class") == "kind"]
    assert [text.text for text in named] == kinds
    assert all(float(text.get("x")) + 7 * len(text.text) <= WIDTH for text in named)
    assert all(float(text.get("y")) < float(drawing.get("height")) for text in named)
    assert float(drawing.get("height")) > HEIGHT == float(ET.fromstring(colon_map_svg(TEMPLATE)).get("height"))


def test_biopsies_are_runs_of_frames_with_forceps() -> None:
    reasons = [""] * 121
    reasons[20:24] = ["forceps"] * 4
    reasons[25] = "forceps"
    reasons[80] = "forceps"
    found = detected_biopsies(frames(reasons))
    assert [finding.time_s for finding in found] == [11.25, 40.0]
    assert detected_biopsies(frames()) == []


def test_the_summary_counts_and_measures_each_segment() -> None:
    severity = [Finding(t, "ulcer", float(s)) for t, s in zip(np.arange(0, 60, 0.5), np.arange(120) < 60, strict=True)]
    table = summarise_findings(place_findings(severity, frames()), TEMPLATE)
    assert table["share_of_colon"].sum() == pytest.approx(0.5, abs=0.011)
    assert table["share_of_segment"].to_list()[:3] == pytest.approx([1, 1, 1], abs=0.05)
    assert table["worst_score"].to_list()[-1] == 0
    assert table["findings"].sum() == 60
    empty = summarise_findings(place_findings([], frames()), TEMPLATE)
    assert empty["findings"].sum() == 0


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "time_s,label\nsoon,x\n", "time_s,label,score\n1,x,high\n", ""])
def test_a_wrong_table_of_findings_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "f.csv").write_text(text)
    with pytest.raises(HaustraError, match=r"f\.csv"):
        read_findings(tmp_path / "f.csv")


def test_every_index_lies_in_the_drawing_of_its_segment() -> None:
    drawing = ET.fromstring(colon_map_svg(TEMPLATE, [Marker(0.5, "a & b")], title="<x>"))
    assert len([path for path in drawing.iter() if path.get("class") == "segment"]) == 6
    inside = []
    for x in np.linspace(0, 1, 101):
        left, top = point_at(x, TEMPLATE)
        assert 0 < left < WIDTH
        assert 0 < top < HEIGHT
        inside.append(segments_of(np.array([x]), TEMPLATE)[0])
    cecum, rectum = point_at(0, TEMPLATE), point_at(1, TEMPLATE)
    assert cecum[0] < WIDTH / 3, "the cecum is on the patient's right, the left of the picture"
    assert rectum[1] > cecum[1]


def test_a_template_is_built_from_simulated_folders(tmp_path: Path) -> None:
    """Only the withdrawal counts: the frames after it lie outside the body."""
    time_s = np.arange(0, 20.1, 0.1)
    phase = np.where(time_s <= 18.05, "withdrawal", "after")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        table = pl.DataFrame({"time_s": time_s, "location_index": np.minimum(time_s / 18, 1), "phase": phase})
        table.write_parquet(tmp_path / name / "truth.parquet")
        (tmp_path / name / "annotations.json").write_text(json.dumps([0, 1.8, 3.6, 5.4, 9, 12.6, 18]))
    run("template", "build", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "t.json")
    assert load_template(tmp_path / "t.json").mean == pytest.approx([0.1, 0.1, 0.1, 0.2, 0.2, 0.3], abs=1e-6)
    result = CliRunner().invoke(app, ["template", "build", str(tmp_path / "a"), "-o", str(tmp_path / "x.json")])
    assert isinstance(result.exception, HaustraError)
    assert not (tmp_path / "x.json").exists()


@pytest.mark.parametrize(
    ("times", "fits"),
    [
        ([20, 21, 22, 23, 24, 25, 26], True),  # enters the cecum with the last frame
        ([20.1, 21, 22, 23, 24, 25, 26], False),
        ([0, 1, 2, 3, 4, 5, 10], True),  # stops with the first frame
        ([0, 1, 2, 3, 4, 5, 9.9], False),
    ],
)
def test_annotated_times_must_touch_the_frames(tmp_path: Path, times: list[float], fits: bool) -> None:
    time_s = np.arange(10.0, 21.0)
    for name in ("a", "b"):
        write_frames(tmp_path / name, frames_table({"time_s": time_s, "location_index": (time_s - 10) / 10}))
        (tmp_path / name / "annotations.json").write_text(json.dumps(times))
    folders = [tmp_path / "a", tmp_path / "b"]
    if fits:
        assert fit_template(folders, out=tmp_path / "t.json", name="made").template.name == "made"
    else:
        with pytest.raises(HaustraError, match="no annotated time lies within the frames"):
            fit_template(folders, out=tmp_path / "t.json", name="made")


def test_a_result_beside_its_truth_is_the_result(tmp_path: Path) -> None:
    """A folder may hold both; the table is the parquet file, with or without its csv copy."""
    time_s = np.arange(0, 20.1, 0.1)
    for name in ("a", "b"):
        write_frames(tmp_path / name, frames_table({"time_s": time_s, "location_index": time_s / 20}))
        (tmp_path / name / "frames.csv").unlink()
        truth = pl.DataFrame({"time_s": time_s, "location_index": (time_s / 20) ** 2, "phase": "withdrawal"})
        truth.write_parquet(tmp_path / name / "truth.parquet")
        (tmp_path / f"{name}.json").write_text(json.dumps([0, 2, 4, 6, 8, 10, 20]))
    notes = [tmp_path / "a.json", tmp_path / "b.json"]
    template = fit_template([tmp_path / "a", tmp_path / "b"], notes, out=tmp_path / "t.json", name="made").template
    assert template.mean == pytest.approx([0.1, 0.1, 0.1, 0.1, 0.1, 0.5])
    with pytest.raises(HaustraError, match="1 annotation files for 2 results"):
        fit_template([tmp_path / "a", tmp_path / "b"], notes[:1])


def test_a_finding_at_the_edge_affects_the_segment_it_is_counted_in() -> None:
    """For findings close to every boundary, on either side: exactly one segment is counted and the same is affected."""
    edges = TEMPLATE.boundaries[1:6]
    index = np.sort(np.concatenate([edges - 0.001, edges, edges + 0.001]))
    time_s = np.arange(len(index), dtype=float)
    placed_frames = frames_table({"time_s": time_s, **place_columns(index, 0 * index + 0.02, TEMPLATE)})
    for number, second in enumerate(time_s):
        placed = place_findings([Finding(second, "polyp")], placed_frames)
        table = summarise_findings(placed, TEMPLATE)
        assert table.filter(pl.col("findings") > 0)["segment"].to_list() == placed["segment"].to_list()
        assert table.filter(pl.col("share_of_colon") > 0)["segment"].to_list() == placed["segment"].to_list()
        assert placed["segment"][0] == SEGMENTS[(number + 2) // 3], "an index on the boundary lies behind it"
        assert 0 < table["share_of_colon"].sum() <= 0.01 + 1e-12


def test_findings_of_neighbouring_segments_share_no_part_of_the_colon() -> None:
    index = np.linspace(0, 1, 2001)
    every = frames_table({"time_s": index, **place_columns(index, 0 * index + 0.02, TEMPLATE)})
    table = summarise_findings(place_findings([Finding(t, "ulcer") for t in index], every), TEMPLATE)
    assert table["share_of_colon"].to_numpy() == pytest.approx(TEMPLATE.mean, abs=1e-9)
    assert table["share_of_segment"].to_numpy() == pytest.approx(np.ones(6))


def test_map_with_another_template_tells_the_segments_anew(tmp_path: Path) -> None:
    write_frames(tmp_path / "r", frames())
    (tmp_path / "f.csv").write_text("time_s,label\n4,polyp\n")
    run("map", tmp_path / "r", "--findings", tmp_path / "f.csv", "-o", tmp_path / "m", "--template", "paper-set2-time")
    placed, segments = (pl.read_csv(tmp_path / "m" / f"{name}.csv") for name in ("findings", "findings_by_segment"))
    assert segments_of(np.array([4 / 60]), TEMPLATE)[0] == 2
    assert placed["segment"].to_list() == ["cecum"]
    assert segments.filter(pl.col("share_of_colon") > 0)["segment"].to_list() == placed["segment"].to_list()


def test_map_and_template_do_not_write_over_what_they_read(tmp_path: Path) -> None:
    write_frames(tmp_path / "r", frames())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "findings.csv").write_text("time_s,label\n6,polyp\n")
    before = (tmp_path / "mine" / "findings.csv").read_bytes()
    with pytest.raises(HaustraError, match="written over"):
        run("map", tmp_path / "r", "--findings", tmp_path / "mine" / "findings.csv", "-o", tmp_path / "mine")
    with pytest.raises(HaustraError, match="not ours"):
        run("map", tmp_path / "r", "-o", tmp_path / "mine")
    straight(tmp_path / "a.tum")
    with pytest.raises(HaustraError, match="not ours"):
        run("place", tmp_path / "a.tum", "-o", tmp_path / "mine")
    with pytest.raises(HaustraError, match="not a colon template"):
        run("template", "build", tmp_path / "r", tmp_path / "r", "-o", tmp_path / "mine" / "findings.csv")
    assert (tmp_path / "mine" / "findings.csv").read_bytes() == before
    with pytest.raises(HaustraError, match="is the result itself: choose another folder"):
        run("map", tmp_path / "r", "-o", tmp_path / "m" / ".." / "r")
    run("map", tmp_path / "r", "-o", tmp_path / "m")
    run("map", tmp_path / "r", "-o", tmp_path / "m")
