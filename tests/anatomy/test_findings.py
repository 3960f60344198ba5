"""Findings by value: what is affected, how near is near, and the shares against a plain count."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from haustra.anatomy import build_template, load_template, segments_of
from haustra.anatomy.findings import Finding, detected_biopsies, place_findings, read_findings, summarise_findings
from haustra.anatomy.frame_places import place_columns
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS
from haustra.results.table import frames_table

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
    assert detected_biopsies(frames) == [Finding(1.0, "biopsy"), Finding(5.0, "biopsy")]
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
    assert read_findings(tmp_path / "f.csv") == [Finding(65.0, "polyp"), Finding(7.0, "ulcer", -2.5)]
    (tmp_path / "f.csv").write_text("time_s,time,label\n1,2,x\n")
    assert read_findings(tmp_path / "f.csv") == [Finding(1.0, "x")]
    (tmp_path / "f.csv").write_text("time,label\n1,x\nsoon,y\n")
    with pytest.raises(HaustraError, match="line 3"):
        read_findings(tmp_path / "f.csv")
    (tmp_path / "f.csv").write_text("time,name\n1,x\n")
    with pytest.raises(HaustraError, match="has the columns time, name"):
        read_findings(tmp_path / "f.csv")
    with pytest.raises(HaustraError, match="no such file"):
        read_findings(tmp_path / "none.csv")
