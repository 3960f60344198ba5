"""The numbers behind the report page."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from made_withdrawal import TEMPLATE, made_findings, made_summary, made_table

from haustra.anatomy import SEGMENTS
from haustra.anatomy.findings import Finding, place_findings
from haustra.anatomy.frame_places import located
from haustra.anatomy.intervals import intervals_table
from haustra.core.segments import SEGMENT_COLOURS
from haustra.report import figures
from haustra.report.facts import about, subtitle, title
from haustra.report.map_data import MOST_FINDINGS, colon_map_data, findings_data
from haustra.report.panel import rgb
from haustra.report.uncertainty import uncertain_places


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return made_table(300.0)


def test_thinned_curve_keeps_shape_and_never_narrows_the_band(table: pl.DataFrame) -> None:
    curve = figures.curve(table, points=200)
    assert 150 <= len(curve["t"]) <= 200
    time_s, index = table["time_s"].to_numpy(), table["location_index"].to_numpy()
    assert np.interp(curve["t"], time_s, index) == pytest.approx(curve["loc"], abs=1e-3), "real samples are drawn"
    low, high = index - table["location_std"].to_numpy(), index + table["location_std"].to_numpy()
    for a, b, lo, hi in zip(curve["t"], curve["t"][1:], curve["lo"], curve["hi"], strict=False):
        within = (time_s >= a - 1e-3) & (time_s < b - 1e-3)
        assert lo <= max(low[within].min(), 0) + 1e-3
        assert hi >= min(high[within].max(), 1) - 1e-3
    assert np.array(curve["p"]).sum(axis=1) == pytest.approx(1, abs=0.01)


def test_short_curve_is_not_thinned(table: pl.DataFrame) -> None:
    part = table.head(50)
    curve = figures.curve(part)
    assert curve["t"] == pytest.approx(part["time_s"].to_list(), abs=1e-3)


def test_a_spike_of_one_sample_is_drawn_however_long_the_recording() -> None:
    table = made_table(3600.0).with_columns(location_index=pl.col("frame") / 54000)
    spiked = table.with_columns(
        location_index=pl.when(pl.col("frame") == 20_003).then(0.99).otherwise(pl.col("location_index"))
    )
    curve = figures.curve(spiked)
    assert len(curve["t"]) <= figures.CURVE_POINTS + 1
    at = curve["loc"].index(0.99)
    assert curve["t"][at] == pytest.approx(20_003 / 15, abs=1e-3)


def test_the_curve_is_broken_where_nothing_is_known(table: pl.DataFrame) -> None:
    part = table.head(300)
    lost = pl.col("frame").is_between(100, 109)
    holed = part.with_columns(location_index=pl.when(~lost).then(pl.col("location_index")))
    for shown in (holed, part.filter(~lost | (pl.col("frame") == 100)).with_columns(pl.col("time_s") * 3)):
        curve = figures.curve(shown)
        empty = [k for k, value in enumerate(curve["loc"]) if value is None]
        assert len(empty) == 2
        before, behind = curve["t"][empty[0] - 1], curve["t"][empty[1] + 1]
        assert [curve["t"][k] for k in empty] == [before, behind]
        assert curve["lo"][empty[0]] is None
    assert None not in figures.curve(part)["loc"]


def test_a_curve_of_nothing_is_empty(table: pl.DataFrame) -> None:
    nowhere = table.head(30).with_columns(location_index=pl.lit(None, pl.Float64), segment=pl.lit(""))
    for shown in (nowhere, nowhere.with_columns(location_index=pl.lit(float("nan"))), table.head(0)):
        assert figures.curve(shown)["t"] == []
        assert figures.segment_lane(shown) == []


def test_the_lane_is_that_of_the_intervals(table: pl.DataFrame) -> None:
    lane = figures.segment_lane(table)
    rows = intervals_table(table, {}, "decoder")
    assert [(run["start"], run["end"], run["again"]) for run in lane] == rows.select(
        "start_s", "end_s", "re_entered"
    ).rows()
    assert [SEGMENTS[run["segment"]] for run in lane] == rows["segment"].to_list()


def test_dropped_stretches_cover_the_dropped_frames_and_no_long_run_of_kept_ones(table: pl.DataFrame) -> None:
    spans = figures.dropped(table)
    inside = np.zeros(table.height, dtype=bool)
    time_s = table["time_s"].to_numpy()
    for span in spans:
        inside |= (time_s >= span["start"] - 1e-3) & (time_s < span["end"] - 1e-3)
    kept = table["kept"].to_numpy()
    assert inside[~kept].all()
    assert inside[kept].mean() < 0.02
    assert [span["reason"] for span in spans if span["biopsy"]] == ["biopsy"] * 3
    assert spans == sorted(spans, key=lambda span: span["start"])


def test_forceps_with_a_blink_between_is_one_biopsy() -> None:
    reason = ["", "biopsy", "forceps", "non-informative", "forceps", "biopsy", ""]
    rows = made_table(7 / 15).with_columns(
        reason=pl.Series(reason), kept=pl.Series([not text for text in reason]), time_s=pl.Series(np.arange(7) / 15)
    )
    assert [(s["reason"], round(s["start"] * 15), round(s["end"] * 15)) for s in figures.dropped(rows)] == [
        ("biopsy", 1, 6),
        ("non-informative", 3, 4),
    ]


def test_path_is_turned_and_scaled_but_keeps_its_shape(table: pl.DataFrame) -> None:
    path = figures.path_points(table, points=400)
    shown = np.array(path["xyz"])
    rows = table.filter("kept")
    at = np.searchsorted(rows["time_s"].to_numpy(), np.array(path["t"]) - 1e-3)
    true = rows.select("tx", "ty", "tz").to_numpy()[at]
    assert np.linalg.norm(shown, axis=1).max() == pytest.approx(1, abs=1e-3)
    ratio = np.linalg.norm(np.diff(true[::20], axis=0), axis=1) / np.linalg.norm(np.diff(shown[::20], axis=0), axis=1)
    assert ratio == pytest.approx(np.full(len(ratio), ratio[0]), rel=0.01)
    a, b, c = (true[i] - true[0] for i in (100, 200, 300))
    u, v, w = (shown[i] - shown[0] for i in (100, 200, 300))
    assert np.sign(np.dot(np.cross(a, b), c)) == np.sign(np.dot(np.cross(u, v), w))  # turned, not mirrored
    assert shown[0, 0] < 0 < shown[-1, 1]


def test_figures_per_segment_add_up(table: pl.DataFrame) -> None:
    rows = figures.segment_figures(located(table))
    assert [row["segment"] for row in rows] == list(SEGMENTS)
    assert sum(row["time_s"] for row in rows) == pytest.approx(300.0, abs=0.1)
    cecum = table.filter(pl.col("segment") == "cecum")
    assert rows[0]["share_dropped"] == pytest.approx(1 - cecum["kept"].mean(), abs=1e-6)
    assert rows[0]["mean_probability"] == pytest.approx(cecum["p_cecum"].mean())


def test_what_is_uncertain_is_named_with_its_time(table: pl.DataFrame) -> None:
    notes = uncertain_places(table)
    texts = " ".join(note["text"] for note in notes)
    assert "7 s without a usable frame (non-informative)" in texts
    assert "Cecum or ascending?" in texts or "Ascending or transverse?" in texts
    worst = table.row(int(table["location_std"].arg_max() or 0), named=True)["time_s"]
    assert any(note["t"] == pytest.approx(worst, abs=1e-2) and "least certain" in note["text"] for note in notes)
    assert [note["t"] for note in notes] == sorted(note["t"] for note in notes)


def test_a_usable_frame_ends_a_stretch_without_one() -> None:
    table = made_table(3600.0)
    lost = pl.col("time_s").is_between(100.0, 112.0) & (pl.col("time_s").sub(105.0).abs() > 0.02)
    table = table.with_columns(kept=~lost, reason=pl.when(lost).then(pl.lit("black")).otherwise(pl.lit("")))
    assert [note["text"][:24] for note in uncertain_places(table) if "usable" in note["text"]] == [
        "5 s without a usable fra",
        "7 s without a usable fra",
    ]


def test_title_and_subtitle(table: pl.DataFrame) -> None:
    assert title({"recording": {"name": "a b.mp4"}}) == "a b.mp4"
    assert "found, with a confidence of 86" in subtitle(table, made_summary())
    assert subtitle(table, {}) == "Withdrawal from 00:00 to 05:00 of the recording."


def test_about_shows_every_entry_of_the_summary() -> None:
    groups = about(made_summary(numbers=[1, 2.5], nested={"deep": {"er": None, "est": "x"}}))
    shown = {group["group"]: dict(group["rows"]) for group in groups}
    assert shown["Options"]["template"] == "paper-set2"
    assert shown["Run"]["numbers"] == "1, 2.5"
    assert shown["Nested"] == {"deep, est": "x"}
    assert "Warnings" not in shown
    listed = about({"landmarks": [{"boundary": 2, "time_s": 12.0}, {"boundary": 5, "time_s": 52.5}], "none": []})
    assert listed[0]["rows"] == [["landmarks", "boundary 2, time s 12; boundary 5, time s 52.5"]]
    long = about(made_summary(run={"digest": "ab", "parameters": {f"p{k}": k for k in range(40)}}))
    assert {group["group"]: group["folded"] for group in long if group["group"] in ("Run", "Parameters")} == {
        "Run": False,
        "Parameters": True,
    }


def test_map_points_lie_in_order_along_the_colon() -> None:
    data = colon_map_data(TEMPLATE)
    assert {segment["name"] for segment in data["segments"]} == set(SEGMENT_COLOURS) == set(SEGMENTS)
    steps = np.linalg.norm(np.diff(np.array(data["line"]), axis=0), axis=1)
    assert steps.min() > 0
    assert steps.max() < 60


def test_a_score_for_every_frame_does_not_fill_the_page(table: pl.DataFrame) -> None:
    found = [Finding(float(t), "score", float(i % 7)) for i, t in enumerate(table["time_s"][:2000])]
    listed, more = findings_data(place_findings(found, table))
    affected = sum(finding.affected for finding in found)
    assert len(listed) == MOST_FINDINGS
    assert more == affected - MOST_FINDINGS
    assert min(row["score"] for row in listed) == 6.0
    assert [row["time_s"] for row in listed] == sorted(row["time_s"] for row in listed)
    assert findings_data(None) == ([], 0)
    assert findings_data(made_findings(table))[1] == 0


# Brettel/Viénot 1999: what someone without long-wave or middle-wave cones sees, in linear RGB.
PROTAN = np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]])
DEUTAN = np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]])


@pytest.mark.parametrize("eye", [np.eye(3), PROTAN, DEUTAN])
def test_neighbouring_segments_can_be_told_apart_by_every_eye(eye: np.ndarray) -> None:
    import cv2

    linear = (np.array([rgb(colour) for colour in SEGMENT_COLOURS.values()]) / 255) ** 2.2
    seen = np.clip(linear @ eye.T, 0, 1) ** (1 / 2.2)
    lab = cv2.cvtColor(seen[None].astype(np.float32), cv2.COLOR_RGB2LAB)[0]
    assert np.linalg.norm(np.diff(lab, axis=0), axis=1).min() > 18
