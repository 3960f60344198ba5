"""Findings by value: what is affected, how near is near, and the shares against a plain count."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from haustra.anatomy import build_template, load_template, segments_of
from haustra.anatomy.findings import Finding, detected_biopsies, events_of, place_findings, summarise_findings
from haustra.anatomy.findings_file import read_findings, stored_findings
from haustra.anatomy.frame_places import place_columns
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS
from haustra.results.table import frames_table, write_csv

TEMPLATE = load_template("paper-set2")
# Boundaries at whole percents, so that hundredths of the colon end where segments do.
ROUND = build_template("round", np.tile([0.1, 0.15, 0.25, 0.2, 0.2, 0.1], (2, 1)), ["a", "b"])


def located(time_s: np.ndarray, index: np.ndarray) -> pl.DataFrame:
    return frames_table({"time_s": time_s, **place_columns(index, 0 * index + 0.02, TEMPLATE)})


@pytest.mark.parametrize(("score", "affected"), [(None, True), (0.01, True), (0.0, False), (-1.0, False)])
def test_a_score_of_zero_says_looked_for_and_not_found(score: float | None, affected: bool) -> None:
    assert Finding(0.0, "ulcer", score).affected is affected


def test_a_finding_up_to_one_second_outside_takes_the_place_of_the_end() -> None:
    frames = located(np.arange(10.0, 21.0), np.linspace(0, 1, 11))
    times = [8.999, 9.0, 21.0, 21.001]
    placed = place_findings([Finding(time, "x") for time in times], frames)
    assert placed["location_index"].to_list() == [None, 0.0, 1.0, None]
    assert placed["segment"].to_list() == [None, "cecum", "rectum", None]
    assert placed["p_segment"].is_null().to_list() == [True, False, False, True]


def test_findings_come_in_the_order_of_time_with_all_of_their_row() -> None:
    frames = located(np.arange(11.0), np.linspace(0, 1, 11))
    placed = place_findings([Finding(7.4, "late", 2.0), Finding(2.6, "early", 0.0), Finding(2.5, "between")], frames)
    assert placed["label"].to_list() == ["between", "early", "late"]
    assert placed["time_s"].to_list() == [2.5, 2.6, 7.4]
    assert placed["score"].to_list() == [None, 0.0, 2.0]
    assert placed["affected"].to_list() == [True, False, True]
    assert placed["location_index"].to_list() == pytest.approx([0.2, 0.3, 0.7]), "the earlier of two that are as near"
    for row in placed.iter_rows(named=True):
        frame = frames.filter(pl.col("location_index") == row["location_index"]).row(0, named=True)
        assert row["segment"] == frame["segment"]
        assert row["p_segment"] == frame[f"p_{frame['segment']}"]
        assert row["location_std"] == frame["location_std"]


def test_a_frame_without_a_place_gives_none() -> None:
    every = located(np.arange(5.0), np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    for nowhere in (None, float("nan")):
        frames = every.with_columns(
            pl.when(pl.col("time_s") == 2).then(nowhere).otherwise("location_index").alias("location_index")
        )
        assert place_findings([Finding(2.1, "x")], frames)["location_index"].to_list() == pytest.approx([0.4])


def test_without_any_located_frame_findings_have_no_place() -> None:
    with pytest.raises(HaustraError, match="cannot be placed"):
        place_findings([Finding(1.0, "x")], located(np.arange(3.0), np.full(3, np.nan)))


def test_frames_with_forceps_two_seconds_apart_are_one_biopsy() -> None:
    frames = pl.DataFrame({"time_s": [0.0, 2.0, 4.5, 5.5, 9.0], "reason": ["forceps"] * 4 + ["biopsy"]})
    seen = {"by": "detected", "biopsied": True}
    first, second = Finding(1.0, "biopsy", **seen, lasts_s=2.0), Finding(5.0, "biopsy", **seen, lasts_s=1.0)
    assert detected_biopsies(frames) == [first, second]
    further = frames.with_columns(pl.Series("time_s", [0.0, 2.01, 4.5, 5.5, 9.0]))
    assert [found.time_s for found in detected_biopsies(further)] == [0.0, 2.01, 5.0]


def plain_summary(index: np.ndarray, segment: np.ndarray, affected: np.ndarray, bounds: np.ndarray, k: int) -> float:
    """Share of the colon that findings of segment k affect: each hundredth once, and only its part inside."""
    hundredths = {min(int(x * 100), 99) for x in index[(segment == k) & affected]}
    total = 0.0
    for cell in hundredths:
        part = min((cell + 1) / 100, bounds[k]) - max(cell / 100, bounds[k - 1])
        total += part if part > 0 else 0.01
    return total


@pytest.mark.parametrize("template", [TEMPLATE, ROUND], ids=["paper", "round"])
@pytest.mark.parametrize("seed", range(3))
def test_the_summary_against_a_plain_count(seed: int, template) -> None:
    rng = np.random.default_rng(seed)
    index, score = np.append(rng.random(40), [0.995, 1.0]), rng.choice([0.0, 0.5, 1.0, 3.0], 42)
    score[-2:] = 1.0  # one hundredth of the colon, the last
    segment = segments_of(index, template)
    segment[:3] = np.clip(segment[:3] + 1, 1, 6)  # told by more than the template
    names = [SEGMENTS[k - 1] for k in segment]
    placed = pl.DataFrame({"location_index": index, "segment": names, "score": score, "affected": score > 0})
    table = summarise_findings(placed, template)
    assert table["segment"].to_list() == list(SEGMENTS)
    for k in range(1, 7):
        row, here = table.row(k - 1, named=True), segment == k
        share = plain_summary(index, segment, score > 0, template.boundaries, k)
        assert row["findings"] == int((here & (score > 0)).sum())
        assert row["share_of_colon"] == pytest.approx(share, abs=1e-12)
        assert row["share_of_segment"] == pytest.approx(min(share / template.mean[k - 1], 1.0), abs=1e-9)
        assert row["worst_score"] == (max(score[here]) if here.any() else None)
        assert row["mean_score"] == (pytest.approx(score[here].mean()) if here.any() else None)


def test_an_empty_segment_of_the_template_has_no_share() -> None:
    without = build_template("no rectum", np.tile([0.1, 0.15, 0.25, 0.25, 0.25, 0.0], (2, 1)), ["a", "b"])
    placed = pl.DataFrame({"location_index": [1.0], "segment": ["rectum"], "score": [1.0], "affected": [True]})
    table = summarise_findings(placed, without)
    assert table["share_of_segment"].to_list() == [0.0] * 6
    assert table["share_of_colon"].to_list() == [0.0] * 5 + [0.01]


def test_a_table_of_findings_is_read_row_by_row(tmp_path) -> None:
    (tmp_path / "f.csv").write_text("Time_s , LABEL,score\n1:05, polyp ,\n 7,ulcer,-2.5\n")
    assert read_findings(tmp_path / "f.csv") == (Finding(65.0, "polyp"), Finding(7.0, "ulcer", -2.5))
    (tmp_path / "f.csv").write_text("time_s,time,label\n1,2,x\n")
    assert read_findings(tmp_path / "f.csv") == (Finding(1.0, "x"),)
    (tmp_path / "f.csv").write_text("time,label\n1,x\nsoon,y\n")
    with pytest.raises(HaustraError, match="line 3"):
        read_findings(tmp_path / "f.csv")
    (tmp_path / "f.csv").write_text("time,name\n1,x\n")
    with pytest.raises(HaustraError, match="has the columns time, name"):
        read_findings(tmp_path / "f.csv")
    with pytest.raises(HaustraError, match="no such file"):
        read_findings(tmp_path / "none.csv")


def test_own_columns_are_kept_and_ours_are_not_written_over(tmp_path) -> None:
    (tmp_path / "f.csv").write_text(
        "time,label,Segment,Paris,size_mm,note\n3,polyp,=cecum,0-IIa,4,flat\n\n5,ulcer,,,,\n"
    )
    findings = read_findings(tmp_path / "f.csv")
    assert findings[0].own == (("segment", "=cecum"), ("paris", "0-IIa"))
    placed = place_findings(findings, located(np.arange(11.0), np.linspace(0, 1, 11)))
    assert placed.columns[-2:] == ["given_segment", "paris"]
    assert placed["given_segment"].to_list() == ["=cecum", None]
    assert placed["segment"][0] == "transverse"
    assert placed.select("size_mm", "note").rows() == [(4.0, "flat"), (None, None)]
    write_csv(tmp_path / "findings.csv", placed)
    kept = stored_findings(tmp_path / "findings.csv")
    again = place_findings(kept, located(np.arange(11.0), np.linspace(0, 1, 11)))
    assert again.equals(placed), "what a result keeps is what was given"
    assert stored_findings(tmp_path / "none.csv") == ()
    (tmp_path / "findings.csv").write_text("a,b\n1,2\n")
    with pytest.raises(HaustraError, match="has no column time_s, label"):
        stored_findings(tmp_path / "findings.csv")


def test_a_spreadsheet_is_read_as_it_is(tmp_path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (
        ["Time", None, "Label", "Score"],
        ["1:05", None, "Polyp", 2],
        [7.5, None, "ulcer", None],
        [],
        [9, None, "x"],
    ):
        book.active.append(row)
    book.save(tmp_path / "f.xlsx")
    assert read_findings(tmp_path / "f.xlsx") == (Finding(65.0, "Polyp", 2.0), Finding(7.5, "ulcer"), Finding(9.0, "x"))
    book.active.append([10, None, None])
    book.save(tmp_path / "f.xlsx")
    with pytest.raises(HaustraError, match=r"f\.xlsx, line 6: the label is empty"):
        read_findings(tmp_path / "f.xlsx")


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("polyp", "polyp"),
        ("Polyp, 4 mm", "polyp"),
        ("Mayo 2", "mayo"),
        ("LST-G, 20 mm", "LST-G"),
        ("BIOPSY", "biopsy"),
        ("4 mm polyp", "4 mm polyp"),
        ("(x)", "(x)"),
    ],
)
def test_what_is_drawn_alike_is_told_by_the_label(label: str, kind: str) -> None:
    assert Finding(0, label).shown_kind == kind
    assert Finding(0, label, kind="Lesion").shown_kind == "lesion"


def test_a_biopsy_within_seconds_of_a_finding_is_one_event_with_it() -> None:
    biopsies = [Finding(20.0, "biopsy", biopsied=True, lasts_s=4.0), Finding(40.0, "biopsy", biopsied=True)]
    polyp, far, clear = Finding(13.0, "polyp"), Finding(50.0, "polyp"), Finding(40.0, "polyp", 0.0)
    events = events_of([far, polyp, clear], biopsies)
    assert [(one.time_s, one.label, one.biopsied) for one in events] == [
        (13.0, "polyp", True),
        (40.0, "polyp", False),
        (40.0, "biopsy", True),
        (50.0, "polyp", False),
    ]
    nearer = events_of([polyp, Finding(21.0, "ulcer")], biopsies[:1])
    assert [one.biopsied for one in nearer] == [False, True], "the nearest takes it, once"
    assert len(events_of([Finding(12.9, "polyp")], biopsies[:1])) == 2
