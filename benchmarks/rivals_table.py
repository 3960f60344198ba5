"""The table of `benchmarks.rivals` from what it kept, and the lines that are drawn from it. Needs no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from haustra.lab.evaluate.motion_tables import paper_ratio
from haustra.lab.evaluate.result_table import ResultTable, Value, of_rows
from haustra.motion.methods import LEARNT, NETWORK, OURS

TRAINED = (OURS, *LEARNT)
# Ours as it comes: taught with the simulator's truth and much longer, so that its row stands beside the budget.
SHIPPED = "shipped"
UNTRAINED = ("liu2013", "klt", "orb", "expansion", "constant", "zero")
PAPER_RIVALS = (*LEARNT, "liu2013")
FIGURES = ("ate_sim3_rmse", "rpe_trans", "rpe_rot_deg")
TEST, EASY, VALIDATION = "test", "easy", "validation"
WORKS = 0.5  # a method works on the easy recording when its ATE is below this share of that of no motion at all

Runs = dict[str, dict[str, Any]]


def by_method(runs: Runs, part: str) -> dict[str, list[dict[str, float]]]:
    """Of every method the means over recordings, one for each seed."""
    found: dict[str, list[dict[str, float]]] = {}
    for name, run in runs.items():
        rows = run[part].values()
        means = {figure: float(np.mean([row[figure] for row in rows])) for figure in FIGURES}
        found.setdefault(name.partition("/")[0], []).append(means)
    order = {name: k for k, name in enumerate((OURS, NETWORK, *LEARNT, *UNTRAINED, SHIPPED))}
    return dict(sorted(found.items(), key=lambda item: order.get(item[0], len(order))))


def rivals_table(kept: Mapping[str, Any]) -> ResultTable:
    """Mean (std) over seeds; a method that does not learn has one run."""
    settings, test, easy = kept["settings"], by_method(kept["runs"], TEST), by_method(kept["runs"], EASY)
    still = easy["zero"][0]["ate_sim3_rmse"]
    rows = {}
    for method, seeds in test.items():
        figures = [[one[figure] for one in seeds] for figure in FIGURES]
        shares = [one["ate_sim3_rmse"] / still for one in easy[method]]
        sign = _value(signs_right(kept["runs"], method))
        rows[method] = [*(_value(values) for values in figures), _value(shares), sign, Value(len(seeds), None, 0)]
    columns = (
        "ate_sim3_rmse (mm)",
        "rpe_trans (mm)",
        "rpe_rot (deg)",
        "easy: ATE over zero's",
        "direction right",
        "runs",
    )
    title = (
        f"Camera motion on Set 1 test; methods that learn: {settings['steps']} steps of {settings['batch']} pairs,"
        f" rivals with {settings['width']:g} of their published widths; mean (std) over seeds"
    )
    return of_rows("rivals", title, columns, rows, notes=tuple(verdict(test, rows)))


def signs_right(runs: Runs, method: str) -> list[float]:
    """How often a trained method tells forward from backward, on its validation pairs, one figure for each seed."""
    own = [run for name, run in runs.items() if name.partition("/")[0] == method]
    return [run[VALIDATION]["sign_right"] for run in own if VALIDATION in run]


def _value(values: Sequence[float]) -> Value | None:
    return Value.of(values) if len(values) != 1 else Value(values[0])


def verdict(test: Mapping[str, list[dict[str, float]]], rows: Mapping[str, Sequence[Value | None]]) -> list[str]:
    """What agrees with the paper and what does not, and which rivals do not work even where it is easy."""
    mean = {m: {f: float(np.mean([one[f] for one in seeds])) for f in FIGURES} for m, seeds in test.items()}
    rivals = [name for name in PAPER_RIVALS if name in mean]
    if OURS not in mean or not rivals:
        return []
    best = min(rivals, key=lambda name: mean[name]["ate_sim3_rmse"])
    over_best = {name: row["ate_sim3_rmse"] / mean[best]["ate_sim3_rmse"] for name, row in mean.items()}
    turning = {name: mean[name]["rpe_rot_deg"] for name in rivals}
    behind = [name for name, value in turning.items() if value <= mean[OURS]["rpe_rot_deg"]]
    beside = f"; shipped: {over_best[SHIPPED]:.2f}" if SHIPPED in mean else ""
    failing = [name for name, cells in rows.items() if name != "zero" and (easy := cells[3]) and easy.mean >= WORKS]
    return [
        f"ATE of ours over the best of the paper's four rivals ({best}): {over_best[OURS]:.2f}{beside} (paper:"
        f" {paper_ratio():.2f}).",
        "Rotation error: ours is below all four." if not behind else f"Rotation error: not below {', '.join(behind)}.",
        f"On the easy recording an ATE of at least half of no motion's: {', '.join(failing) or 'none'}.",
    ]
