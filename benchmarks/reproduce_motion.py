"""The paper's motion rows on simulated Set 1 recordings: `python -m benchmarks.reproduce_motion COHORT WORK`.

Every row is trained for the same number of steps on the same pairs, then tested on unseen colons. Finished rows are
kept in WORK; a stopped run resumes. With --paper no row has our targets (see training/motion/geometry.py). Rows are
collected in benchmarks/results/motion.json and motion_paper.json with their settings; rows with other settings (steps,
seed, test recordings) are dropped, so that no table mixes them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from haustra.core.arrays import FloatArray
from haustra.core.files import read_json, write_json
from haustra.core.poses import matrix_to_euler
from haustra.lab.evaluate.text_table import text_table
from haustra.lab.training.command import run_motion_training
from haustra.lab.training.motion.config import CONFIGS, DEFAULT_CONFIG
from haustra.lab.training.motion.evaluate_network import (
    PairMotions,
    estimate_shard,
    evaluate_model,
    evaluate_shard,
    true_motions,
)
from haustra.lab.training.motion.pairs import PairShard
from haustra.lab.training.motion.prepare import PairOptions, prepare_pairs
from haustra.motion import MotionEstimator, motion_to_T_a_b

RESULTS = Path(__file__).parent / "results" / "motion.json"
PAPER_RESULTS = RESULTS.with_name("motion_paper.json")
# Row: ablation of the trainer. The first is the full method with the paper's lambda_mc of 100.
ROWS: dict[str, str | None] = {
    "full": None,
    "no-consistency": "no-consistency",
    "no-flow": "no-flow",
    "lambda-mc-10": "lambda-mc-10",
    "lambda-mc-500": "lambda-mc-500",
    "fixed-mask": "fixed-mask",
    "no-mask": "no-mask",
    "rescaled": "no-targets",
    "adapt": None,
}
ADAPT = "adapt"  # the shipped networks, fine-tuned without labels; has its own number of steps
RESCALED = "rescaled"  # the paper's losses alone
AVERAGED = "no-consistency, mean of both directions"
FIRST_ROWS = ("full", "no-consistency", "no-flow", "rescaled")
LAMBDA_ROWS = {"0": "no-consistency", "10": "lambda-mc-10", "100": "full", "500": "lambda-mc-500"}
FIGURES = ("ate_sim3_rmse", "rpe_trans", "rpe_rot_deg", "cpe", "direction_right", "path_length_r")
TURNING = ("found_x", "found_y", "errors_alike_x", "errors_alike_y")
CONSISTENCY = ("cpe", "consistency_trans_share", "consistency_rot_deg")


def reproduce(options: argparse.Namespace, test: list[PairShard]) -> None:
    results = PAPER_RESULTS if options.paper else RESULTS
    tested = [f"{shard.description['source']}, {len(shard)} pairs" for shard in test]
    for name in options.rows.split(",") if options.rows else ():
        settings = row_settings(name, options) | {"test": tested}
        weights = train_row(name, settings, options)
        rows = {name: evaluate_row(weights, test)}
        if name == "no-consistency":
            rows[AVERAGED] = averaged_row(weights, test)
        keep(rows, settings, results)
    for model in options.model:
        name, _, path = model.partition("=")
        keep({name: evaluate_row(Path(path), test)}, {"test": tested}, results)
    print(motion_tables(read_json(results)["rows"]))


def row_settings(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Everything a trained row depends on besides the data. `adapt` has its own number of steps."""
    config = ADAPT if name == ADAPT else RESCALED if options.paper else DEFAULT_CONFIG
    steps = None if name == ADAPT else options.steps
    return {"config": config, "ablation": ROWS[name], "steps": steps, "seed": options.seed}


def train_row(name: str, settings: dict[str, Any], options: argparse.Namespace) -> Path:
    """Train a row and return its weights; the folder is named by the settings, so that others do not resume in it."""
    parts = (settings["config"], name, settings["steps"], settings["seed"])
    out: Path = options.work / "-".join(str(part) for part in parts if part is not None)
    run_motion_training(
        options.cohort,
        out,
        config=settings["config"],
        ablation=settings["ablation"],
        values={"steps": settings["steps"]},
        seed=settings["seed"],
        cache=options.work / "pairs",
        threads=options.threads,
    )
    return out / "motion.onnx"


def evaluate_row(weights: Path, test: list[PairShard]) -> dict[str, Any]:
    return {**evaluate_model(weights, test), **turning(weights, test)}


def turning(weights: Path, test: list[PairShard]) -> dict[str, float]:
    """Regression slope on the true rotation about x and y, and correlation of the errors of both directions: common
    errors are invisible to a consistency term."""
    estimator = MotionEstimator(weights)
    forward, backward, truth = [], [], []
    for shard in test:
        both = estimate_shard(estimator, shard)
        forward.append(rotation_vectors(motion_to_T_a_b(both.forward)))
        backward.append(-rotation_vectors(motion_to_T_a_b(both.backward)))
        truth.append(rotation_vectors(true_motions(shard)))
    a, b, true = (np.concatenate(parts) for parts in (forward, backward, truth))
    figures = {}
    for axis, name in enumerate("xy"):
        figures[f"found_{name}"] = float(a[:, axis] @ true[:, axis] / (true[:, axis] @ true[:, axis]))
        errors = a[:, axis] - true[:, axis], b[:, axis] - true[:, axis]
        figures[f"errors_alike_{name}"] = float(np.corrcoef(*errors)[0, 1])
    return figures


def rotation_vectors(T: FloatArray) -> FloatArray:
    vectors: FloatArray = Rotation.from_matrix(T[:, :3, :3]).as_rotvec()
    return vectors


def averaged_row(weights: Path, test: list[PairShard]) -> dict[str, Any]:
    """The network without consistency, with both directions of every pair averaged: the most that a consistency term
    could gain."""
    estimator = MotionEstimator(weights)
    rows = []
    for shard in test:
        both = estimate_shard(estimator, shard)
        mean = 0.5 * (both.forward + inverse(both.backward))
        rows.append(evaluate_shard(shard, PairMotions(mean, inverse(mean))))
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def inverse(motion: FloatArray) -> FloatArray:
    """s(b->a) (n, 6) of s(a->b)."""
    Q = motion_to_T_a_b(motion)
    return np.concatenate([Q[:, :3, 3], matrix_to_euler(Q[:, :3, :3])], axis=1)


def keep(rows: dict[str, Any], settings: dict[str, Any], results: Path) -> None:
    """Add rows to earlier ones with the same settings; report and drop rows with others."""
    known = read_json(results)["rows"] if results.is_file() else {}
    fitting = {name: row for name, row in known.items() if alike(row.get("settings", {}), settings)}
    if other := sorted(set(known) - set(fitting) - set(rows)):
        print(f"{results.name}: dropped {', '.join(other)}, found with other settings", file=sys.stderr)
    added = {name: {**row, "settings": settings} for name, row in rows.items()}
    write_json(results, {"rows": {**fitting, **added}})


def alike(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two rows may share a table: same test recordings; same steps and seed where both were trained here."""
    trained = all(a[key] == b[key] or None in (a[key], b[key]) for key in ("steps", "seed") if key in a and key in b)
    return a.get("test") == b.get("test") and trained


def motion_tables(rows: dict[str, Any]) -> str:
    """The tables of docs/results/motion.md."""
    lambdas = {f"lambda_mc = {value}": rows[name] for value, name in LAMBDA_ROWS.items() if name in rows}
    tables = [_table("row", FIGURES, rows), _table("", CONSISTENCY, lambdas)]
    if turning_rows := {name: row for name, row in rows.items() if TURNING[0] in row}:
        tables.append(_table("rotation", TURNING, turning_rows))
    return "\n\n".join(tables)


def _table(title: str, figures: tuple[str, ...], rows: dict[str, Any]) -> str:
    cells = [
        [name, *(f"{row[figure]:.4g}" if figure in row else "" for figure in figures)] for name, row in rows.items()
    ]
    return text_table([title, *figures], cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cohort", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--rows", default=",".join(FIRST_ROWS), help=f"of {', '.join(ROWS)}")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", action="append", default=[], help="NAME=motion.onnx: a trained model as another row")
    parser.add_argument("--paper", action="store_true", help="every row by the paper's losses alone")
    options = parser.parse_args()
    shards = prepare_pairs(options.cohort, options.work / "pairs", PairOptions(CONFIGS[RESCALED].size))
    reproduce(options, [shard for shard in shards if shard.description["role"] == "test"])


if __name__ == "__main__":
    main()
