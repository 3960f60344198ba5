"""`evaluate location` and `evaluate segments`: common frames, the tables of the paper, the whole job in small."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.dataset_recording import DatasetRecording, PictureFiles
from haustra.lab.evaluate.locate_dataset import (
    ALL_FRAMES,
    PAPER_INDEX,
    SCOPEGUIDE,
    TIME,
    Case,
    Named,
    annotated_times,
    case_of,
    truth_of,
)
from haustra.lab.evaluate.location_tables import location_results, location_tables
from haustra.lab.evaluate.paper_figures import confusion_figures, location_figures
from haustra.lab.evaluate.score_result import RecordingTruth
from haustra.lab.evaluate.segment_methods import ORACLE, calibration_error, naming_table, parse_namings
from haustra.lab.evaluate.segment_tables import (
    MOTION_SET2,
    MOTION_SET3,
    PAPER_SET2,
    PAPER_SET3,
    SCOPE_SET3,
    evaluate_segments,
    segment_tables,
)
from haustra.lab.evaluate.svg import POINTS
from made_tube import foreign_folder

BOUNDS = np.cumsum([0.06, 0.15, 0.22, 0.22, 0.26])


def made_case(seed: int, *, all_frames: bool = False) -> Case:
    """A withdrawal of uneven speed whose index is good, whose all-frames index is poor."""
    rng = np.random.default_rng(seed)
    time_s = np.arange(600) / 15
    true = (time_s / time_s[-1]) ** rng.uniform(1.2, 2.0)
    segment = np.searchsorted(BOUNDS, true, side="right") + 1
    good = np.clip(true + 0.01 * np.sin(9 * true + seed), 0, 1)
    names = [SEGMENTS[k - 1] for k in segment]
    table = pl.DataFrame(
        {
            "time_s": time_s,
            "kept": np.arange(600) % 4 > 0,
            "location_index": good,
            "location_std": 0.02,
            "segment": names,
        }
    )
    tables = {"ours": table}
    if all_frames:
        tables[ALL_FRAMES] = table.with_columns(pl.Series("location_index", true**0.5))
    case = case_of(f"r{seed}", tables, RecordingTruth(time_s, true, segment))
    case.index[SCOPEGUIDE] = np.interp(case.time_s, time_s, np.clip(true**1.5, 0, 1))
    return case


def test_common_frames_and_annotated_times() -> None:
    case = made_case(1)
    assert len(case.time_s) == 450, "kept frames of the first method"
    assert case.index[TIME][0] == 0
    assert case.q_t == pytest.approx([0, *(case.q_t[1:6]), 599 / 15])
    assert (np.diff(case.q_t) > 0).all()
    assert (case.reported["ours"] == case.segment).all()
    times = annotated_times(np.arange(6.0), np.array([1, 1, 3, 2, 4, 4]))
    assert times.tolist() == [0, 2, 2, 4, 5, 5, 5], "segments that are never reached are empty"


def test_segment_tables_with_every_row_of_the_paper() -> None:
    cases = [made_case(k, all_frames=True) for k in range(4)]
    found = evaluate_segments(cases, [made_case(k) for k in range(10, 15)])
    summaries = found.summaries()
    assert summaries[MOTION_SET2].accuracy[0] > 0.9
    assert summaries[MOTION_SET2].accuracy[0] > summaries["Time index (Set 2)"].accuracy[0]
    assert summaries[MOTION_SET2].accuracy[0] > summaries[f"{MOTION_SET2} with all frames"].accuracy[0]
    assert summaries["ours as reported"].accuracy[0] == 1.0
    assert found.templates[MOTION_SET2] == pytest.approx(np.diff([0, *BOUNDS, 1]), abs=0.02)
    tables = {table.label: table for table in segment_tables(found)}
    assert list(tables)[:2] == ["tab:template", "tab:evaluation"]
    assert {f"tab:table_confusion_mat_{k}" for k in range(1, 5)} | {f"confusion-{k}" for k in range(1, 5)} <= set(
        tables
    )
    both = [row.name for row in tables["tab:evaluation"].rows if row.source == "ours"]
    paper = [row.name for row in tables["tab:evaluation"].rows if row.source == "paper"]
    assert set(paper) <= set(both), "every row of the paper has ours beside it"
    assert tables["tab:colon_segment_variation"].rows[0].cells[2].mean == pytest.approx(0.22, abs=0.03)
    assert {MOTION_SET3, SCOPE_SET3} <= set(found.templates)
    assert "repeats its accuracy" in tables["tab:table_confusion_mat_1"].notes[0]


def test_the_papers_index_has_templates_and_rows_of_its_own() -> None:
    def with_papers(case: Case) -> Case:
        return replace(case, index=case.index | {PAPER_INDEX: case.index["ours"] ** 2})

    found = evaluate_segments(
        [with_papers(made_case(k)) for k in range(4)], [with_papers(made_case(k)) for k in range(10, 15)]
    )
    assert found.templates[PAPER_SET2] == pytest.approx(np.diff([0, *BOUNDS**2, 1]), abs=0.02)
    assert found.summaries()[PAPER_SET2].accuracy[0] > 0.9, "a bent index is as good as its own template"
    assert PAPER_SET3 in found.results
    rows = {table.label: [row.name for row in table.rows] for table in segment_tables(found)}
    assert {PAPER_SET2, PAPER_SET3} <= set(rows["tab:evaluation"])


def test_figures(tmp_path: Path) -> None:
    cases = [made_case(0), made_case(1)]
    first, second = location_figures(tmp_path, cases)
    assert second.name == "location-r1.svg"
    drawn = ElementTree.fromstring(first.read_text())
    lines = [element.get("points", "").split() for element in drawn.iter() if element.tag.endswith("polyline")]
    assert len(lines) == 4, "ours, time, ScopeGuide and the truth"
    most = min(len(cases[0].time_s), POINTS)
    assert all(0.9 * most < len(line) <= most for line in lines)
    ends = [tuple(float(v) for v in line[-1].split(",")) for line in lines]
    points = np.array([[float(v) for v in point.split(",")] for line in lines for point in line])
    assert ends[-1] == (points[:, 0].max(), points[:, 1].min()), "the truth, drawn last, ends at the upper right"
    summaries = evaluate_segments(cases).summaries()
    (only,) = confusion_figures(tmp_path, summaries, [MOTION_SET2, "not there"])
    text = only.read_text()
    assert text.count("<rect") == 37
    shown = {element.text for element in drawn.iter() if element.tag.endswith("text")}
    assert {"seconds", "location index", "0", "40", "1", "truth", "ScopeGuide"} <= shown
    assert f">{100 * summaries[MOTION_SET2].confusion[0, 0]:.1f}<" in text


def test_few_recordings_and_published_templates() -> None:
    found = evaluate_segments([made_case(0)])
    assert MOTION_SET3 not in found.results
    assert found.template_source == "published"
    assert "paper's own templates" in segment_tables(found)[0].notes[0]


def test_location_tables() -> None:
    results = location_results([made_case(0), made_case(1)])
    over, each = location_tables(results)
    assert [row.name for row in over.rows] == ["ours", TIME, SCOPEGUIDE]
    assert over.rows[0].cells[0].mean < 0.01 < over.rows[1].cells[0].mean
    assert over.rows[0].cells[4].mean == 1.0
    assert over.rows[1].cells[4] is None
    assert each.columns == ("r0", "r1")


def test_truth_of_a_whole_colon_with_poses_alone() -> None:
    T = np.tile(np.eye(4), (50, 1, 1))
    T[:, 2, 3] = -np.arange(50.0) * 10
    one = DatasetRecording("c1_full_t1_v1", np.arange(50) / 30, PictureFiles([]), T_w_c=T, whole_colon=True)
    truth = truth_of(one)
    assert truth is not None
    assert truth.index == pytest.approx(np.linspace(0, 1, 50), abs=0.02)
    assert truth_of(DatasetRecording("x", np.arange(5.0), PictureFiles([]))) is None
    with pytest.raises(HaustraError, match="no annotated segments"):
        Case("x", np.arange(3.0), None, None, None, {"ours": np.zeros(3)}).annotated("ours")


def test_truth_lies_where_location_or_segment_is_known() -> None:
    """Before the withdrawal there is neither; rows with one of them count."""
    location = np.array([np.nan, np.nan, 0.5, 0.7, np.nan])
    segment = np.array([0, 1, 2, 0, 0])
    truth = truth_of(DatasetRecording("x", np.arange(5.0), PictureFiles([]), location=location, segment=segment))
    assert truth is not None
    assert truth.time_s.tolist() == [1, 2, 3]
    assert truth.segment is not None
    assert truth.segment.tolist() == [1, 2, 0]
    np.testing.assert_array_equal(truth.index, [np.nan, 0.5, 0.7])
    never = np.zeros(5, np.int64)
    assert truth_of(DatasetRecording("x", np.arange(5.0), PictureFiles([]), segment=never)) is None
    placed = truth_of(DatasetRecording("x", np.arange(5.0), PictureFiles([]), location=location, segment=never))
    assert placed is not None
    assert (placed.segment, placed.time_s.tolist()) == (None, [2, 3])


def test_what_a_method_says_at_frames_that_it_did_not_keep() -> None:
    """The first method decides which frames count; others are read between and beyond their own."""
    time_s = np.arange(6.0)
    first = pl.DataFrame(
        {
            "time_s": time_s,
            "kept": [True, False, True, True, True, True],
            "location_index": time_s / 10,
            "location_std": [None] * 6,
            "segment": ["cecum", "cecum", "", None, "rectum", "rectum"],
        },
        schema_overrides={"location_std": pl.Float64},
    )
    other = first.with_columns(location_index=pl.Series([0.0, None, None, 0.6, None, None]))
    case = case_of("x", {"first": first, "other": other}, RecordingTruth(time_s[:5], time_s[:5] / 4, None))
    assert case.time_s.tolist() == [0, 2, 3, 4], "frames that the truth does not know are left out"
    assert case.index["other"] == pytest.approx([0.0, 0.4, 0.6, 0.6])
    assert case.index[TIME] == pytest.approx([0, 0.5, 0.75, 1])
    assert np.isnan(case.std["first"]).all()
    assert case.reported["first"].tolist() == [1, 0, 0, 6]
    assert (case.segment, case.q_t) == (None, None)
    with pytest.raises(HaustraError, match="share no frame"):
        case_of("x", {"first": first}, RecordingTruth(time_s + 100, time_s / 4, None))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return foreign_folder(tmp_path_factory.mktemp("tiny") / "a", 48, 128).parent


def test_the_whole_job_with_a_rival(tiny: Path, tmp_path: Path) -> None:
    common = [str(tiny), "--methods", "klt", "--quality", "none", "-o", str(tmp_path), "--threads", "1", "--json"]
    result = CliRunner().invoke(app, ["evaluate", "location", *common], catch_exceptions=False)
    found = json.loads(result.stdout)
    assert found["location"]["klt"]["a"]["location_mae"] < 0.1
    assert found["location"][PAPER_INDEX]["a"]["location_mae"] != found["location"]["klt"]["a"]["location_mae"]
    assert (tmp_path / "located" / "a" / "klt" / "frames.parquet").is_file()
    summary = json.loads((tmp_path / "located" / "a" / "klt" / "summary.json").read_text())
    assert '"recipe": "klt"' in json.dumps(summary)
    assert summary["run"]["placing"]["index"] == "ours", "what the paper's equations gave does not stay in the folder"
    ways = ["--segments", "time,template"]
    result = CliRunner().invoke(app, ["evaluate", "segments", *common, *ways], catch_exceptions=False)
    figures = json.loads(result.stdout)["segments"]
    assert set(json.loads(result.stdout)["segments_by"]) == {"time", "template", ORACLE}
    assert (tmp_path / "segments-by.csv").is_file()
    assert figures[MOTION_SET2]["recordings"] == figures[PAPER_SET2]["recordings"] == 1
    assert (tmp_path / "evaluation.tex").is_file()
    assert open_dataset(tiny)[0].name == "foreign"


def test_ways_to_tell_segments_side_by_side() -> None:
    cases = []
    for k in range(3):
        case = made_case(k)
        assert case.segment is not None
        wrong = np.where(np.arange(len(case.segment)) % 4 == 0, case.segment % 6 + 1, case.segment)
        cases.append(replace(case, named={"decoder": Named(wrong, np.full(len(wrong), 0.9))}))
    assert parse_namings("decoder, scopeguide,decoder") == ("decoder", "scopeguide")
    with pytest.raises(HaustraError, match="template, time, decoder, scopeguide"):
        parse_namings("guess")
    rows = {row.name: row.cells for row in naming_table(cases, ("decoder", "scopeguide")).rows}
    accuracy, _, _, calibration = rows["decoder"]
    assert accuracy is not None
    assert calibration is not None
    assert accuracy.mean == pytest.approx(0.75, abs=0.01)
    assert calibration.mean == pytest.approx(0.15, abs=0.01)
    assert rows["scopeguide"][3] is None
    assert rows[ORACLE][0] is not None


def test_calibration_error_by_hand() -> None:
    certainty = np.array([0.95, 0.95, 0.55, 0.55])
    assert calibration_error(certainty, np.array([True, True, True, False])) == pytest.approx(0.05)
    assert calibration_error(certainty, np.array([True, False, True, True])) == pytest.approx(0.45)
