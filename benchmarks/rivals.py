"""Every rival beside ours on unseen simulated colons: `python -m benchmarks.rivals COHORT WORK`.

The four learnt methods are trained on the same recordings with the same number of steps and pairs, once per seed; other
methods and the shipped network are run as they are. All are tested on COHORT's Set 1 test and on an easy recording
(benchmarks/easy_recording.py). Results are kept in WORK and in benchmarks/results/rivals.json: a stopped run resumes,
and results of other settings are recomputed.
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
from haustra.core.files import read_json, write_json
from haustra.lab.evaluate.motion_evaluation import evaluate_motion
from haustra.lab.training.command import run_motion_training
from haustra.lab.training.motion.collapse import CollapseError
from haustra.motion import MotionEstimator
from haustra.motion.methods import NETWORK, OURS, MotionMethod

RESULTS = Path(__file__).parent / "results" / "rivals.json"


def budget(options: argparse.Namespace) -> dict[str, Any]:
    """Settings shared by the rows of a table."""
    videos = [*options.cohort.glob("set1/train/*/video.mp4"), *options.cohort.glob("set1/validation/*/video.mp4")]
    return {
        "steps": options.steps,
        "batch": options.batch,
        "width": options.width,
        "lr": options.lr,
        "validate_every": options.validate_every,
        "patience": options.patience,
        "recordings": sorted(str(video.parent.relative_to(options.cohort)) for video in videos),
    }


def train(method: str, seed: int, options: argparse.Namespace, ablation: str | None = None) -> Path:
    """Train one row and return its weights; `width` is the rivals' share of their published widths; ablations are ours.

    A run ends after its steps, or when its validation loss has not fallen for `patience` validations; the best weights
    count. A stopped run resumes from its checkpoint.

    A rival whose training collapses at our learning rate is trained at its lower published rate.
    """
    every = max(1, min(options.validate_every, options.steps))
    values: dict[str, Any] = {"steps": options.steps, "batch": options.batch, "validate_every": every}
    values |= {"patience": options.patience}
    if method != OURS:
        values |= {"width": options.width, "learning_rate": options.lr}
    if method == "geonet":
        values |= {"residual_steps": 0}  # its second stage does not change motion
    out: Path = options.work / f"{ablation or method}-{options.steps}-{seed}"
    # A folder of its own, so that a stopped run at the published rate goes on and does not collapse once more.
    published = out.with_name(f"{out.name}-published-rate")
    same: dict[str, Any] = {"method": method, "ablation": ablation, "seed": seed, "cache": options.work / "pairs"}
    if not published.exists():
        try:
            return _trained(options.cohort, out, values=values, **same)
        except CollapseError as error:
            if method == OURS:
                raise
            print(f"{out.name}: {error}; again at the published rate", file=sys.stderr)
            shutil.rmtree(out)
            published.mkdir()
    return _trained(options.cohort, published, values=values | {"learning_rate": None}, **same)


def _trained(cohort: Path, out: Path, **options: Any) -> Path:
    """The motion.onnx of a run, trained or trained on if it is not there yet."""
    if not (out / "motion.onnx").is_file():
        run_motion_training(cohort, out, threads=1, **options)
    return out / "motion.onnx"


def models_of(seed: int, options: argparse.Namespace) -> dict[str, str | MotionMethod]:
    """The trained methods of a seed by row; ours both refined by flow, as in use, and as a bare network."""
    found: dict[str, str | MotionMethod] = {}
    for method in options.methods:
        weights = train(method, seed, options)
        found[f"{method}/{seed}"] = str(weights)
        if method == OURS:
            found[f"{NETWORK}/{seed}"] = MotionEstimator(weights)
    return found


def measure(models: Mapping[str, str | MotionMethod], options: argparse.Namespace) -> Runs:
    """Errors of each model on every test recording and on the easy one."""
    easy = write_easy_recording(options.work / EASY)
    found: Runs = {name: {} for name in models}
    for part, data in ((TEST, options.cohort / "set1" / "test"), (EASY, easy)):
        for name, results in evaluate_motion(data, models).results.items():
            found[name][part] = {recording: one.as_dict() for recording, one in results.items()}
    return found


def validation_figures(folder: Path) -> dict[str, float]:
    """Validation figures of the training, including the sign of axial motion."""
    summary = read_json(folder / "summary.json")
    return {name: float(summary[name]) for name in ("cpe", "sign_right", "rotation_deg")}


def run(options: argparse.Namespace, results: Path = RESULTS) -> dict[str, Any]:
    """Train and test what is missing, seed by seed, so that a stopped run has complete seeds."""
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
    parser.add_argument(
        "--lr", type=float, default=5e-4, help="learning rate of the rivals; ours starts at the same and decays"
    )
    parser.add_argument("--validate-every", type=int, default=250, help="steps between two validations")
    parser.add_argument("--patience", type=int, default=8, help="validations without improvement that end a run")
    parser.add_argument("--seeds", type=lambda text: [int(word) for word in text.split(",")], default=[0, 1, 2])
    parser.add_argument("--methods", type=lambda text: text.split(","), default=list(TRAINED))
    print(rivals_table(run(parser.parse_args())))


if __name__ == "__main__":
    main()
