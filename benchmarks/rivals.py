"""Every rival beside ours on unseen simulated colons: `python -m benchmarks.rivals COHORT WORK`.

The four methods that learn are trained on the same recordings, with the same number of steps of as many pairs, once
for every seed; those that do not learn are run as they are, and so is the shipped network. All are tested on the
recordings of COHORT's Set 1 test and on an easy recording (benchmarks/easy_recording.py). What is done stays in WORK
and in benchmarks/results/rivals.json: a stopped run goes on, and results of other settings are made again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2

from benchmarks.easy_recording import write_easy_recording
from benchmarks.rivals_table import EASY, SHIPPED, TEST, TRAINED, UNTRAINED, VALIDATION, Runs, rivals_table
from haustra.evaluate.motion import evaluate_motion
from haustra.files import read_json, write_json
from haustra.motion import MotionEstimator
from haustra.motion.methods import NETWORK, OURS, MotionMethod
from haustra.training.command import run_motion_training
from haustra.training.motion.collapse import CollapseError

RESULTS = Path(__file__).parent / "results" / "rivals.json"


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
    """The weights of one row; `width` is the rivals' share of their published layer widths, an ablation is of ours.

    A rival whose training collapses at our learning rate is trained at its published one, which is lower.
    """
    values: dict[str, Any] = {"steps": options.steps, "batch": options.batch, "validate_every": options.steps}
    if method != OURS:
        values |= {"width": options.width, "learning_rate": options.lr}
    if method == "geonet":
        values |= {"residual_steps": 0}  # its second stage leaves motion as it is
    out: Path = options.work / f"{ablation or method}-{options.steps}-{seed}"
    if (out / "motion.onnx").is_file():
        return out / "motion.onnx"
    same: dict[str, Any] = {"method": method, "ablation": ablation, "seed": seed, "cache": options.work / "pairs"}
    try:
        run_motion_training(options.cohort, out, values=values, threads=1, **same)
    except CollapseError as error:
        if method == OURS:
            raise
        print(f"{out.name}: {error}; again at the published rate", file=sys.stderr)
        shutil.rmtree(out)
        run_motion_training(options.cohort, out, values=values | {"learning_rate": None}, threads=1, **same)
    return out / "motion.onnx"


def models_of(seed: int, options: argparse.Namespace) -> dict[str, str | MotionMethod]:
    """The trained methods of a seed by row; ours as it is used, refined by the flow, and its network alone."""
    found: dict[str, str | MotionMethod] = {}
    for method in options.methods:
        weights = train(method, seed, options)
        found[f"{method}/{seed}"] = str(weights)
        if method == OURS:
            found[f"{NETWORK}/{seed}"] = MotionEstimator(weights)
    return found


def measure(models: Mapping[str, str | MotionMethod], options: argparse.Namespace) -> Runs:
    """Figures of each model on every test recording and on the easy one."""
    easy = write_easy_recording(options.work / EASY)
    found: Runs = {name: {} for name in models}
    for part, data in ((TEST, options.cohort / "set1" / "test"), (EASY, easy)):
        for name, results in evaluate_motion(data, models).results.items():
            found[name][part] = {recording: one.as_dict() for recording, one in results.items()}
    return found


def validation_figures(folder: Path) -> dict[str, float]:
    """What the training found on its validation pairs: has it learnt which way the camera goes?"""
    summary = read_json(folder / "summary.json")
    return {name: float(summary[name]) for name in ("cpe", "sign_right", "rotation_deg")}


def run(options: argparse.Namespace, results: Path = RESULTS) -> dict[str, Any]:
    """Train and measure what is missing, seed by seed, so that a stopped run has whole seeds."""
    settings = budget(options)
    kept = read_json(results) if results.is_file() else {}
    runs: Runs = kept["runs"] if kept.get("settings") == settings else {}
    for seed in options.seeds:
        models = models_of(seed, options) | {name: name for name in UNTRAINED} | {SHIPPED: OURS}
        missing = {name: model for name, model in models.items() if name not in runs}
        if missing:
            runs |= measure(missing, options)
        for method in options.methods:
            runs[f"{method}/{seed}"][VALIDATION] = validation_figures(train(method, seed, options).parent)
        write_json(results, {"settings": settings, "runs": runs})
    return {"settings": settings, "runs": runs}


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
