"""Which weights of a training run give the best paths: `python -m benchmarks.motion_choice PAIRS RUN DATA --work DIR`.

Three retrainings of the motion network were better in pairs and worse in paths, so weights are chosen by the location
error on tuning recordings (`haustra simulate set tuning`), never by the error of pairs. Every set of weights that the
run has kept is exported with heads fitted to it, and the recordings are located with it; the shipped network comes
first. What is done stays in DIR: a stopped command goes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.coverage import Covered, covered
from benchmarks.observed import observe
from haustra.core.errors import HaustraError
from haustra.lab.evaluate.text_table import text_table
from haustra.lab.training.command import gather_pairs
from haustra.lab.training.loop import KEPT_NAME
from haustra.lab.training.motion.config import MotionConfig, motion_config
from haustra.lab.training.motion.prepare import PairOptions
from haustra.lab.training.motion.trainer import export_weights

SHIPPED = "shipped"


def kept_weights(run: Path) -> list[Path]:
    """The weights that a run has kept, oldest first."""
    found = sorted((run / KEPT_NAME).glob("step-*.safetensors"))
    if not found:
        raise HaustraError(f"{run} has kept no weights: train with a configuration that has keep_every, such as wide")
    return found


def exported(weights: Sequence[Path], pairs: Path, work: Path, config: MotionConfig) -> dict[str, Path]:
    """motion.onnx of each set of weights, by its name."""
    missing = [path for path in weights if not (work / path.stem / "motion.onnx").is_file()]
    if missing:
        train, validation = gather_pairs(pairs, pairs, PairOptions(config.size), quiet=True)
        for path in missing:
            export_weights(path, train, validation, work / path.stem, config)
    return {path.stem: work / path.stem / "motion.onnx" for path in weights}


def row(name: str, cases: Sequence[Covered]) -> list[str]:
    """Mean and worst location error, and how often the truth lies within two deviations."""
    errors = [case.mean_error for case in cases]
    within = float(np.mean([case.within for case in cases]))
    return [name, str(len(cases)), f"{np.mean(errors):.4f}", f"{max(errors):.4f}", f"{within:.3f}"]


def choose(pairs: Path, run: Path, data: Path, work: Path, config: MotionConfig) -> str:
    models: dict[str, Path | None] = {SHIPPED: None, **exported(kept_weights(run), pairs, work, config)}
    rows = []
    for name, motion in models.items():
        rows.append(row(name, [covered(one) for one in observe(data, work / name, motion)]))
        print(" ".join(rows[-1]), flush=True)
    return text_table(["weights", "n", "location error", "worst", "within 2 std"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("pairs", "run", "data"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--config", default="wide")
    options = parser.parse_args()
    print(choose(options.pairs, options.run, options.data, options.work, motion_config(options.config)))


if __name__ == "__main__":
    main()
