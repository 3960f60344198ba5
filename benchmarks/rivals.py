"""Every rival beside ours on unseen simulated colons: `python -m benchmarks.rivals COHORT WORK`.

The four methods that learn are trained on the same recordings, with the same number of steps of as many pairs, once
for every seed; those that do not learn are run as they are. All are tested on the recordings of COHORT's Set 1 test and
on an easy recording (benchmarks/easy_recording.py). What is done stays in WORK and in benchmarks/results/rivals.json:
a stopped run goes on, and results of other settings are made again.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.easy_recording import write_easy_recording
from haustra.evaluate.motion import evaluate_motion
from haustra.evaluate.motion_tables import paper_ratio
from haustra.evaluate.result_table import ResultTable, Value, of_rows
from haustra.files import read_json, write_json
from haustra.motion.methods import LEARNT, OURS
from haustra.training.command import run_motion_training

RESULTS = Path(__file__).parent / "results" / "rivals.json"
TRAINED = (OURS, *LEARNT)
UNTRAINED = ("liu2013", "klt", "orb", "expansion", "constant", "zero")
PAPER_RIVALS = (*LEARNT, "liu2013")
FIGURES = ("ate_sim3_rmse", "rpe_trans", "rpe_rot_deg")
TEST, EASY = "test", "easy"
WORKS = 0.5  # a method works on the easy recording when its ATE is below this share of that of no motion at all

Runs = dict[str, dict[str, Any]]


def budget(options: argparse.Namespace) -> dict[str, Any]:
    """What rows of one table share."""
    videos = [*options.cohort.glob("set1/train/*/video.mp4"), *options.cohort.glob("set1/validation/*/video.mp4")]
    return {
        "steps": options.steps,
        "batch": options.batch,
        "width": options.width,
        "lr": options.lr,
        "recordings": sorted(str(video.parent.relative_to(options.cohort)) for video in videos),
    }


def train(method: str, seed: int, options: argparse.Namespace, ablation: str | None = None) -> Path:
    """The weights of one row; `width` is the rivals' share of their published layer widths, an ablation is of ours."""
    values: dict[str, Any] = {"steps": options.steps, "batch": options.batch}
    values |= {"validate_every": max(options.steps // 2, 1)}
    if method != OURS:
        values |= {"width": options.width, "learning_rate": options.lr}
    if method == "geonet":
        values |= {"residual_steps": 0}  # its second stage leaves motion as it is
    out: Path = options.work / f"{ablation or method}-{options.steps}-{seed}"
    run_motion_training(
        options.cohort,
        out,
        method=method,
        ablation=ablation,
        values=values,
        seed=seed,
        cache=options.work / "pairs",
        threads=1,
    )
    return out / "motion.onnx"


def measure(models: Mapping[str, str], options: argparse.Namespace) -> Runs:
    """Figures of each model on every test recording and on the easy one."""
    easy = write_easy_recording(options.work / EASY)
    found: Runs = {name: {} for name in models}
    for part, data in ((TEST, options.cohort / "set1" / "test"), (EASY, easy)):
        for name, results in evaluate_motion(data, models).results.items():
            found[name][part] = {recording: one.as_dict() for recording, one in results.items()}
    return found


def run(options: argparse.Namespace, results: Path = RESULTS) -> dict[str, Any]:
    """Train and measure what is missing, seed by seed, so that a stopped run has whole seeds."""
    settings = budget(options)
    kept = read_json(results) if results.is_file() else {}
    runs: Runs = kept["runs"] if kept.get("settings") == settings else {}
    for seed in options.seeds:
        models = {f"{m}/{seed}": str(train(m, seed, options)) for m in options.methods if f"{m}/{seed}" not in runs}
        models |= {name: name for name in UNTRAINED if name not in runs}
        if models:
            runs |= measure(models, options)
            write_json(results, {"settings": settings, "runs": runs})
    return {"settings": settings, "runs": runs}


def by_method(runs: Runs, part: str) -> dict[str, list[dict[str, float]]]:
    """Of every method the means over recordings, one for each seed."""
    found: dict[str, list[dict[str, float]]] = {}
    for name, run in runs.items():
        rows = run[part].values()
        means = {figure: float(np.mean([row[figure] for row in rows])) for figure in FIGURES}
        found.setdefault(name.partition("/")[0], []).append(means)
    order = {name: k for k, name in enumerate((*TRAINED, *UNTRAINED))}
    return dict(sorted(found.items(), key=lambda item: order.get(item[0], len(order))))


def rivals_table(kept: Mapping[str, Any]) -> ResultTable:
    """Mean (std) over seeds; a method that does not learn has one run."""
    settings, test, easy = kept["settings"], by_method(kept["runs"], TEST), by_method(kept["runs"], EASY)
    still = easy["zero"][0]["ate_sim3_rmse"]
    rows = {}
    for method, seeds in test.items():
        figures = [[one[figure] for one in seeds] for figure in FIGURES]
        shares = [one["ate_sim3_rmse"] / still for one in easy[method]]
        rows[method] = [*(_value(values) for values in figures), _value(shares), Value(len(seeds), None, 0)]
    columns = ("ate_sim3_rmse (mm)", "rpe_trans (mm)", "rpe_rot (deg)", "easy: ATE over zero's", "runs")
    title = (
        f"Camera motion on Set 1 test; methods that learn: {settings['steps']} steps of {settings['batch']} pairs,"
        f" rivals with {settings['width']:g} of their published widths; mean (std) over seeds"
    )
    return of_rows("rivals", title, columns, rows, notes=tuple(verdict(test, rows)))


def _value(values: Sequence[float]) -> Value | None:
    return Value.of(values) if len(values) > 1 else Value(values[0])


def verdict(test: Mapping[str, list[dict[str, float]]], rows: Mapping[str, Sequence[Value | None]]) -> list[str]:
    """What agrees with the paper and what does not, and which rivals do not work even where it is easy."""
    mean = {m: {f: float(np.mean([one[f] for one in seeds])) for f in FIGURES} for m, seeds in test.items()}
    rivals = [name for name in PAPER_RIVALS if name in mean]
    if OURS not in mean or not rivals:
        return []
    best = min(rivals, key=lambda name: mean[name]["ate_sim3_rmse"])
    ratio = mean[OURS]["ate_sim3_rmse"] / mean[best]["ate_sim3_rmse"]
    turning = {name: mean[name]["rpe_rot_deg"] for name in rivals}
    behind = [name for name, value in turning.items() if value <= mean[OURS]["rpe_rot_deg"]]
    failing = [name for name, cells in rows.items() if name != "zero" and (easy := cells[3]) and easy.mean >= WORKS]
    return [
        f"ATE of ours over the best of the paper's four rivals ({best}): {ratio:.2f} (paper: {paper_ratio():.2f}).",
        "Rotation error: ours is below all four." if not behind else f"Rotation error: not below {', '.join(behind)}.",
        f"On the easy recording an ATE of at least half of no motion's: {', '.join(failing) or 'none'}.",
    ]


def main() -> None:
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cohort", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--width", type=float, default=0.25, help="share of the rivals' published layer widths")
    parser.add_argument("--lr", type=float, default=5e-4, help="of the rivals; ours has as much, and lowers it")
    parser.add_argument("--seeds", type=lambda text: [int(word) for word in text.split(",")], default=[0, 1, 2])
    parser.add_argument("--methods", type=lambda text: text.split(","), default=list(TRAINED))
    print(rivals_table(run(parser.parse_args())))


if __name__ == "__main__":
    main()
