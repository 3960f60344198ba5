import json
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from haustra.cli import app
from haustra.datasets.cas_colon import Interval, Withdrawal
from haustra.evaluate.withdrawal_times import leave_one_out, template_leave_one_out, timed_segments

ORDER = ("Cecum", "Ascending_Colon", "Transverse_Colon", "Descending_Colon", "Sigmoid_Colon", "Rectum")


def made(name: str, seconds: list[int]) -> Withdrawal:
    """Ten seconds of ileum, then the segments one after the other."""
    edges = np.cumsum([10, *seconds])
    intervals = [Interval("Terminal_Ileum", 0.0, 10.0)]
    intervals += [Interval(region, float(a), float(b)) for region, a, b in zip(ORDER, edges, edges[1:], strict=False)]
    return Withdrawal(name, "", float(edges[-1]), tuple(intervals))


def test_truth_starts_in_the_cecum_and_ends_with_the_anal_canal_as_rectum():
    plain = made("1", [20, 60, 70, 40, 50, 30])
    truth = timed_segments(Withdrawal("1", "", 290.0, (*plain.intervals, Interval("Anal_Canal", 280.0, 290.0))))
    assert truth.seconds.tolist() == [20, 60, 70, 40, 50, 40]
    assert truth.entered_s.tolist() == [20, 80, 150, 190, 240]


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
