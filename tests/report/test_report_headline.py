"""What stands at the top: what it is, figures that a clinician knows, and what to check; and the methods paragraph."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from made_withdrawal import made_summary, made_table

from haustra.anatomy.frame_places import located
from haustra.anatomy.withdrawal_figures import fastest_stretches, pace, withdrawal_figures
from haustra.report import figures
from haustra.report.headline import headline, purpose
from haustra.report.methods_paragraph import CITATION, methods_paragraph
from haustra.report.uncertainty import fastest_places
from haustra.results.table import PROBABILITY_COLUMNS


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return made_table(300.0)


def facts(table: pl.DataFrame, **summary: Any) -> dict[str, tuple[str, str]]:
    return {fact["label"]: (fact["value"], fact["note"]) for fact in headline(located(table), summary, 2, 3)}


def test_what_was_seen_how_sure_what_to_check(table: pl.DataFrame) -> None:
    shown = facts(table, cecum={"seen_s": 8.2, "probability": 0.93}, withdrawal={"extent": "likely"})
    assert shown["Withdrawal"][0] == "05:00"
    assert shown["Withdrawal"][1] == (
        "below 6 min; at least 8 are recommended on average for normal examinations, 6 until 2024 (ASGE/ACG 2024)"
    )
    assert shown["Cecum seen"] == ("00:08", "best view, probability 93\u00a0%")
    assert shown["What was seen"][0] == figures.percent(table["kept"].mean())
    assert shown["What was seen"][1] == "of the time can be used; named: cecum to rectum, taken for a whole colon"
    named = np.mean([row[f"p_{row['segment']}"] for row in table.iter_rows(named=True)])
    assert shown["How sure"][0] == figures.percent(float(named))
    unsure = table.select(pl.max_horizontal(PROBABILITY_COLUMNS)).to_series() < 0.6
    assert f"below 60\u00a0% for 00:{round(unsure.sum() / 15):02d}" in shown["How sure"][1]
    assert (shown["What to check"][0], shown["Biopsies"][0], shown["Findings"][0]) == ("3", "3", "2")


def test_one_biopsy_is_one(table: pl.DataFrame) -> None:
    first = table.filter(pl.col("time_s") < 120.0)
    assert (facts(table)["Biopsies"], facts(first)["Biopsies"]) == (
        ("3", "stretches that show forceps"),
        ("1", "stretch that shows forceps"),
    )


@pytest.mark.parametrize(("seconds", "words"), [(7 * 60, "6 to 8 min; at least 8"), (9 * 60, "at least 8 min, as rec")])
def test_the_time_stands_against_what_is_recommended(seconds: int, words: str) -> None:
    assert facts(made_table(float(seconds)))["Withdrawal"][1].startswith(words)


def test_a_part_is_not_held_against_a_whole_colon(table: pl.DataFrame) -> None:
    nowhere = table.with_columns(segment=pl.lit(""), **dict.fromkeys(PROBABILITY_COLUMNS, None))
    shown = facts(nowhere, withdrawal={"extent": "part"}, cecum=None)
    assert shown["Withdrawal"][1] == "part of a colon"
    assert shown["Cecum seen"][0] == "no"
    assert "no segment is named" in shown["What was seen"][1]
    assert shown["How sure"][0] == "–"
    assert fastest_places(nowhere) == []


def test_one_sentence_says_what_this_is(table: pl.DataFrame) -> None:
    text = purpose(located(table.filter(pl.col("segment") != "rectum")), {"cecum": None})
    assert text.startswith("For research, not for diagnosis")
    assert "simulated recordings and from real still pictures" in text
    share = figures.percent(located(table.filter(pl.col("segment") != "rectum")).figures.dropped_share)
    assert text.endswith(f"Not seen: {share} of the time, a view of the cecum, the rectum.")
    motion = {"run": {"models": {"motion": {"recipe": "essential"}}}}
    assert "by the motion method 'essential' and networks that" in purpose(located(table), motion)
    resected = {"run": {"placing": {"missing": ["rectum"]}}}
    assert "rectum" not in purpose(located(table.filter(pl.col("segment") != "rectum")), resected)
    sharp = table.with_columns(kept=pl.lit(True))
    assert purpose(located(sharp), {}).endswith("still pictures."), "nothing to say is not said"


def test_a_cecum_that_a_reader_marked_is_not_given_a_probability(table: pl.DataFrame) -> None:
    marked = facts(table, cecum={"seen_s": 8.2, "probability": 1.0, "set_by": "Dr. A"})
    assert marked["Cecum seen"] == ("00:08", "marked by Dr. A")


def test_findings_without_a_place_are_counted_beside_the_others(table: pl.DataFrame) -> None:
    assert facts(table, findings={"count": 2, "biopsies": 3, "outside": 1})["Findings"] == (
        "2",
        "on map and curve, 1 outside the withdrawal",
    )
    assert facts(table, findings={"count": 2, "biopsies": 3, "outside": 0})["Findings"][1] == "on map and curve"


def test_net_time_is_without_biopsies_and_without_stretches_that_show_nothing() -> None:
    time_s = np.arange(0, 60, 0.1)
    nothing, instrument = np.zeros(600, bool), np.zeros(600, bool)
    nothing[100:104] = True  # a blink
    nothing[200:230] = True  # washing
    instrument[300:303] = True  # short, yet no time to look around
    nothing[400:406] = instrument[406:410] = True  # one stretch of a second, for two reasons
    made = withdrawal_figures(
        time_s,
        time_s / 60,
        np.where(time_s < 25, 1, 2).astype(np.int64),
        dropped=nothing | instrument,
        noninformative=nothing,
    )
    assert made.duration_s == pytest.approx(60)
    assert made.net_s == pytest.approx(60 - 3 - 0.3 - 1)
    assert (made.segments["cecum"].net_s, made.segments["ascending"].net_s) == pytest.approx((22, 33.7))


def test_speed_in_words_and_where_it_was_fastest() -> None:
    assert [pace(speed) for speed in (None, 5.0, 12.5, 12.6, 16.6, 16.7, 50.0)] == [
        "", "calm", "calm", "brisk", "brisk", "fast", "fast",
    ]  # fmt: skip
    time_s = np.arange(0, 600, 0.5)
    index = np.interp(time_s, [0, 100, 110, 300, 310, 600], [0, 0.1, 0.3, 0.5, 0.6, 1.0])
    found = fastest_stretches(time_s, index)
    assert [(start, end) for start, end, _ in found] == [(100.0, 110.0), (300.0, 310.0)]
    assert [speed for _, _, speed in found] == pytest.approx([120.0, 60.0])
    assert fastest_stretches(time_s, time_s / 600) == [], "calm all the way"
    assert fastest_stretches(time_s[:10], index[:10]) == []
    assert fastest_stretches(time_s, index * np.nan) == []


def methods_summary(table: pl.DataFrame, models: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    run = {
        "haustra": "9.9",
        "models": {
            "flow": {"name": "dis"},
            "motion": {"recipe": "simulated", "file": "motion.onnx", "sha256": "ab" * 32},
            "quality": {"file": "lite.onnx", "sha256": "cd" * 32},
            **(models or {}),
        },
        "placing": {"index": "ours", "segments": "decoder"},
        "template": {"name": "paper-set2"},
        "libraries": {"onnxruntime": "1.2.3"},
    }
    told: dict[str, Any] = {"boundaries": [], "landmarks": [], "extent": "given", **more}
    summary = made_summary(run=run, frames={"kept": 30, "sampled": 40}, **told)
    summary["withdrawal"] |= located(table).figures.as_dict() | {"extent": told["extent"]}
    return summary


def test_a_paragraph_for_a_paper_names_versions_and_what_to_cite(table: pl.DataFrame) -> None:
    assert methods_paragraph(made_summary()) == []
    set_by = [{"segment": "rectum", "set_by": "Dr. A"}, {"segment": "sigmoid", "set_by": "decoder"}]
    near = [{"boundary": 2, "time_s": 9.0, "std_s": 5.0, "by": "given"}]
    text, reference = methods_paragraph(methods_summary(table, boundaries=set_by, landmarks=near, extent="likely"))
    for words in ("Haustra 9.9", "30 of 40 (75\u00a0%)", "sha256 abababababab", "onnxruntime 1.2.3", "paper-set2"):
        assert words in text
    assert "a network trained on simulated recordings (motion.onnx" in text
    assert "dropped by a convolutional frame classifier (lite.onnx, sha256 cdcdcdcdcdcd)" in text
    assert "taken for a whole colon. The entry into rectum was set by hand." in text
    assert "The reader's times for the entry into transverse were used as observations." in text
    assert "Dr. A" not in text, "who read it is not for a paper to take over unasked"
    assert reference == CITATION
    assert "doi:10.1016/j.media.2021.102180" in reference


def test_the_paragraph_says_nothing_that_was_not_done(table: pl.DataFrame) -> None:
    models = {"quality": None, "motion": {"recipe": "essential", "parameters": "ef"}}
    text = methods_paragraph(methods_summary(table, models, extent="unsure"))[0]
    assert "no classifier looked for frames" in text
    assert "estimated by the method 'essential' (optical flow: dis)" in text
    assert "No segment was named, because it is open which part of the colon" in text
    assert "progress through an unidentified part of a colon" in text
    for words in ("convolutional", "network", "decoder", "cecum", "None"):
        assert words not in text
    own = methods_paragraph(
        methods_summary(table, {"motion": {"recipe": "targets", "file": "m.onnx", "sha256": "1" * 64}})
    )
    assert "a network trained by the recipe 'targets' (m.onnx, sha256 111111111111" in own[0]
