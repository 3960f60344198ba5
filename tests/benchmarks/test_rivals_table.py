"""Rivals beside ours: means over seeds, and the lines that are drawn from them."""

from __future__ import annotations

from benchmarks.rivals_table import EASY, TEST, VALIDATION, rivals_table

SETTINGS = {"steps": 10, "batch": 8, "width": 0.25}


def run(ate: float, degrees: float, easy: float) -> dict[str, object]:
    def row(mm: float) -> dict[str, float]:
        return {"ate_sim3_rmse": mm, "rpe_trans": 1.0, "rpe_rot_deg": degrees}

    return {TEST: {"01": row(ate - 1), "02": row(ate + 1)}, EASY: {"easy": row(easy)}}


RUNS = {
    "zero": run(120, 2.0, 40),
    "sfmlearner/0": run(50, 1.0, 30),
    "ours/0": run(20, 0.4, 5) | {VALIDATION: {"sign_right": 0.9}},
    "ours/1": run(30, 0.6, 5),
    "liu2013": run(40, 0.5, 10),
}


def test_rows_are_means_over_seeds_and_ours_comes_first() -> None:
    table = rivals_table({"settings": SETTINGS, "runs": RUNS})
    assert [row.name for row in table.rows] == ["ours", "sfmlearner", "liu2013", "zero"]
    ours = [str(cell) for cell in table.rows[0].cells]
    assert ours == ["25.000 (5.000)", "1.000 (0.000)", "0.500 (0.100)", "0.125 (0.000)", "0.900", "2"]
    assert str(table.rows[1].cells[0]) == "50.000", "one run has no spread"
    assert table.rows[2].cells[4] is None, "what is not trained has no validation"


def test_verdicts_are_computed() -> None:
    ratio, rotation, easy = rivals_table({"settings": SETTINGS, "runs": RUNS}).notes
    assert "(liu2013): 0.62 (paper: 0.66)" in ratio
    assert rotation == "Rotation error: not below liu2013."
    assert easy.endswith("half of no motion's: sfmlearner.")


def test_the_shipped_network_stands_beside_the_budget() -> None:
    runs = {"shipped": run(10, 0.2, 2), **RUNS}
    table = rivals_table({"settings": SETTINGS, "runs": runs})
    assert table.rows[-1].name == "shipped"
    assert "(liu2013): 0.62; shipped: 0.25 (paper: 0.66)" in table.notes[0]
