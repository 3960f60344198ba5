import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from haustra.anatomy.decoder_priors import duration_prior_of
from haustra.anatomy.landmarks import BOUNDARY_OF
from haustra.anatomy.template import build_template
from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.lab.datasets.cas_colon import Interval, NotedWithdrawal
from haustra.lab.evaluate import withdrawal_times
from haustra.lab.evaluate.withdrawal_times import (
    GIVEN,
    TimedSegments,
    by_decoder,
    by_template,
    given_landmarks,
    leave_one_out,
    template_leave_one_out,
    time_template,
    timed_segments,
    times_table,
)

ORDER = ("Cecum", "Ascending_Colon", "Transverse_Colon", "Descending_Colon", "Sigmoid_Colon", "Rectum")


def made(name: str, seconds: list[int]) -> NotedWithdrawal:
    """Ten seconds of ileum, then the segments one after the other."""
    edges = np.cumsum([10, *seconds])
    intervals = [Interval("Terminal_Ileum", 0.0, 10.0)]
    intervals += [Interval(region, float(a), float(b)) for region, a, b in zip(ORDER, edges, edges[1:], strict=False)]
    return NotedWithdrawal(name, "", float(edges[-1]), tuple(intervals))


def test_truth_starts_in_the_cecum_and_ends_with_the_anal_canal_as_rectum():
    plain = made("1", [20, 60, 70, 40, 50, 30])
    truth = timed_segments(NotedWithdrawal("1", "", 290.0, (*plain.intervals, Interval("Anal_Canal", 280.0, 290.0))))
    assert truth.seconds.tolist() == [20, 60, 70, 40, 50, 40]
    assert truth.entered_s.tolist() == [20, 80, 150, 190, 240]


def test_the_truth_of_every_second():
    """Back in the ileum there is none; the anal canal counts where nothing else was noted."""
    intervals = [("Terminal_Ileum", 0, 3), ("Cecum", 3, 5), ("Terminal_Ileum", 5, 6), ("Cecum", 6, 8)]
    intervals += [("Rectum", 8, 10), ("Anal_Canal", 9, 12)]
    noted = tuple(Interval(region, float(a), float(b)) for region, a, b in intervals)
    truth = timed_segments(NotedWithdrawal("1", "", 12.0, noted))
    assert truth.segment.tolist() == [1, 1, 0, 1, 1, 6, 6, 6, 6]
    assert truth.time_s.tolist() == [k + 0.5 for k in range(9)]
    half = timed_segments(NotedWithdrawal("1", "", 12.0, (*noted[:2], Interval("Anal_Canal", 5.5, 7.5))))
    assert half.segment.tolist() == [1, 1, 6, 6], "a second whose middle is where the canal begins is in it"
    with pytest.raises(HaustraError, match="no time in the cecum"):
        timed_segments(NotedWithdrawal("1", "", 12.0, (Interval("Rectum", 0.0, 5.0),)))


def test_landmarks_are_given_with_an_error_of_their_own():
    truth = timed_segments(made("1", [20, 60, 70, 40, 50, 30]))
    drawn = np.random.default_rng(3).standard_normal(2)
    found = given_landmarks(truth, (2, 4), 10.0, np.random.default_rng(3))
    assert [(one.boundary, one.time_s) for one in found] == [(2, 80 + 10 * drawn[0]), (4, 190 + 10 * drawn[1])]


def test_scores_leave_the_withdrawal_itself_out():
    seconds = [[20, 60, 70, 40, 50, 30], [10, 30, 90, 60, 20, 40], [30, 50, 40, 40, 80, 20], [15, 70, 60, 50, 40, 35]]
    truths = [timed_segments(made(str(k), row)) for k, row in enumerate(seconds)]
    clock, decoded = template_leave_one_out(truths), leave_one_out(truths, (2,), 5.0, seed=7)
    for k, truth in enumerate(truths):
        others = truths[:k] + truths[k + 1 :]
        template = time_template("x", others, "")
        shares = np.mean([other.seconds / other.seconds.sum() for other in others], axis=0)
        np.testing.assert_allclose(template.mean, shares)
        assert clock[k] == by_template(truth, template)
        durations = duration_prior_of(np.stack([other.seconds for other in others]))
        given = given_landmarks(truth, (2,), 5.0, np.random.default_rng([7, k]))
        assert decoded[k] == by_decoder(truth, template, durations, given)


def test_seconds_without_truth_do_not_count():
    truth = TimedSegments("x", np.arange(4) + 0.5, np.array([1, 0, 2, 6]))
    halves = build_template("x", np.tile([0.5, 0.3, 0.05, 0.05, 0.05, 0.05], (2, 1)), ["a", "b"])
    assert by_template(truth, halves) == 1.0
    late = build_template("x", np.tile([0.8, 0.05, 0.05, 0.05, 0.02, 0.03], (2, 1)), ["a", "b"])
    assert by_template(truth, late) == 2 / 3


def test_rows_of_the_table_are_given_what_they_say(monkeypatch):
    asked = []

    def scored(_, boundaries=(), error_s=0.0, seed=0):
        asked.append((boundaries, error_s, seed))
        return np.array([len(boundaries) / 10 + error_s / 1000 + seed / 1000, 0.5])

    monkeypatch.setattr(withdrawal_times, "leave_one_out", scored)
    monkeypatch.setattr(withdrawal_times, "template_leave_one_out", lambda _: np.array([0.25, 0.75]))
    table = times_table([None, None])
    names = ["time template", *(f"decoder, given {name}" for name in GIVEN)]
    assert [row.name for row in table.rows] == names
    assert GIVEN["both flexures"] == (BOUNDARY_OF["hepatic"], BOUNDARY_OF["splenic"])
    assert GIVEN["and the cecum's exit"] == (BOUNDARY_OF["ascending"], *GIVEN["both flexures"])
    assert GIVEN["and the sigmoid's start"] == (*GIVEN["and the cecum's exit"], BOUNDARY_OF["sigmoid"])
    assert [one for one in asked if one[1] == 0] == [(boundaries, 0.0, 0) for boundaries in GIVEN.values()]
    assert {one for one in asked if one[1]} == {(b, 10.0, seed) for b in GIVEN.values() if b for seed in range(5)}
    assert (table.rows[0].cells[0].mean, table.rows[1].cells[1]) == (0.5, None)
    assert table.rows[2].cells[1].mean == pytest.approx(np.mean([(0.21 + seed / 1000 + 0.5) / 2 for seed in range(5)]))


def test_given_flexures_are_worth_much_and_an_error_costs_some():
    rng = np.random.default_rng(0)
    seconds = np.rint([20, 60, 70, 45, 55, 45] * np.exp(0.6 * rng.standard_normal((8, 6)))).astype(int)
    truths = [timed_segments(made(str(k), row.tolist())) for k, row in enumerate(seconds)]
    nothing = leave_one_out(truths).mean()
    flexures, wrong = leave_one_out(truths, (2, 3)).mean(), leave_one_out(truths, (2, 3), 10.0).mean()
    assert nothing < wrong < flexures
    assert flexures > nothing + 0.08
    assert abs(template_leave_one_out(truths).mean() - nothing) < 0.2


def test_a_table_of_withdrawals_is_evaluated_by_the_clock(tmp_path: Path):
    head = "VideoID,Terminal_Ileum,Cecum,Ascending_Colon,Hepatic_Flexure,Transverse_Colon,Splenic_Flexure,"
    head += "Descending_Colon,Sigmoid_Colon,Rectum,Anal_Canal,Equipment,TotalFrames"
    cells = "0:00-0:05,0:05-0:25,0:25-1:{0},,1:{0}-2:{0},,2:{0}-3:00,3:00-4:00,4:00-4:{0},,x,15000"
    rows = [f"{k},{cells.format(20 + 5 * k)}" for k in range(4)]
    (tmp_path / "table.csv").write_text("\n".join([head, *rows]) + "\n")
    command = ["evaluate", "segments", str(tmp_path / "table.csv"), "-o", str(tmp_path / "out"), "--json"]
    found = json.loads(CliRunner().invoke(app, command, catch_exceptions=False).stdout)
    assert found["rows"]["decoder, given both flexures"][0] > 0.9
    assert (tmp_path / "out" / "withdrawal-times.md").is_file()
