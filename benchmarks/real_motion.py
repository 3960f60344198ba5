"""Camera motion on real tissue without ground truth: Sampson error of point matches.

`python -m benchmarks.real_motion SEQUENCES --work FOLDER [--model NAME[=motion.onnx] ...] [--flow pwcnet]`. For every
near-neighbour pair of the test sequences (`--sequences training` for the others): Sampson error at 384 px of the
estimated motion, of the best essential matrix and of motion straight ahead, medians over the matches of a pair and then
over pairs; the angle between the rotations; and whether the sign of axial motion agrees, on pairs where the matches are
conclusive (parallax of at least 1 px, 85 % of it on one side, half of the motion along the axis). Pairs that a method
failed on are left out of its row, which gives the number of estimates.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence as Several
from pathlib import Path

import cv2
import numpy as np

from benchmarks.real_matches import SIDE, MatchedPair, matched_pairs, sequence_at
from haustra.core.arrays import FloatArray
from haustra.core.poses import invert, rotation_angle_deg
from haustra.lab.datasets.real_sequences import REPORTED, TRAINING
from haustra.lab.evaluate.text_table import text_table
from haustra.motion import MotionEstimator, canonical_K, open_motion
from haustra.motion.epipolar_geometry import sampson_px
from haustra.motion.methods import MotionMethod

LITTLE_PX = 8.0
HEADER = (
    "model", "picture moves", "pairs", "ours (px)", "best (px)", "ours / best", "straight ahead (px)",
    "rotation from best (deg)", "direction right",
)  # fmt: skip
SEQUENCE_HEADER = ("model", "sequence", "pairs", "ours (px)", "best (px)", "ours / best", "rotation from best (deg)")


def estimate(model: MotionMethod, folder: Path, pairs: Several[MatchedPair]) -> FloatArray:
    """T_a_b (N, 4, 4) of the pairs, with frames as `locate` prepares them for this model."""
    motions = np.empty((len(pairs), 4, 4))
    for name in dict.fromkeys(pair.sequence for pair in pairs):
        frames = sequence_at(folder / name, model.size, model.fov_deg).frames
        mine = [i for i, pair in enumerate(pairs) if pair.sequence == name]
        first = np.array([pairs[i].first for i in mine])
        motions[mine] = model.pair_motions(frames[first], frames[first + 1])
    return motions


def errors(pairs: Several[MatchedPair], motions: FloatArray) -> FloatArray:
    """(N, 5): Sampson px of ours, of the best, straight ahead; degrees to the best; 1 right, 0 not, NaN unsure."""
    K = canonical_K(SIDE)
    ahead = np.eye(4)
    ahead[2, 3] = 1.0
    rows = []
    for pair, T_a_b in zip(pairs, motions, strict=True):
        if not np.isfinite(T_a_b).all():
            rows.append([np.nan] * 5)
            continue
        px = [float(np.median(np.abs(sampson_px(T, pair.a, pair.b, K)))) for T in (T_a_b, pair.best_T_a_b, ahead)]
        degrees = float(rotation_angle_deg((invert(T_a_b) @ pair.best_T_a_b)[:3, :3]))
        right = float(T_a_b[2, 3] * pair.best_T_a_b[2, 3] > 0) if pair.sure else np.nan
        rows.append([*px, degrees, right])
    return np.array(rows).reshape(-1, 5)


def rows(name: str, pairs: Several[MatchedPair], found: FloatArray) -> list[list[str]]:
    """Rows for little motion, much motion, and all."""
    moves_px = np.array([pair.moves_px for pair in pairs])
    kinds = {f"below {LITTLE_PX:g} px": moves_px < LITTLE_PX, "more": moves_px >= LITTLE_PX, "all": moves_px >= 0}
    estimated = np.isfinite(found[:, 0])
    lines = []
    for kind, chosen in kinds.items():
        some = found[chosen & estimated]
        ours, best, ahead, degrees, _ = np.median(some, axis=0)
        sure = some[np.isfinite(some[:, 4]), 4]
        right = f"{100 * sure.mean():.1f} % of {len(sure)}" if len(sure) else "-"
        figures = [f"{ours:.3f}", f"{best:.3f}", f"{ours / best:.2f}", f"{ahead:.2f}", f"{degrees:.2f}", right]
        lines.append([name, kind, f"{len(some)} of {int(chosen.sum())}", *figures])
    return lines


def sequence_rows(name: str, pairs: Several[MatchedPair], found: FloatArray) -> list[list[str]]:
    """A row per sequence."""
    lines = []
    for sequence in dict.fromkeys(pair.sequence for pair in pairs):
        mine = [i for i, pair in enumerate(pairs) if pair.sequence == sequence]
        some = found[mine][np.isfinite(found[mine][:, 0])]
        ours, best, _, degrees, _ = np.median(some, axis=0)
        figures = [f"{ours:.3f}", f"{best:.3f}", f"{ours / best:.2f}", f"{degrees:.2f}"]
        lines.append([name, sequence, f"{len(some)} of {len(mine)}", *figures])
    return lines


def open_models(named: Several[str], flow: str | None, alone: Several[str] = ()) -> dict[str, MotionMethod]:
    """The shipped model, the same with another flow, methods by name, and each NAME=FILE.

    `alone`: NAME=FILE of networks without refinement.
    """
    models = {"shipped": open_motion()}
    if flow:
        models[f"shipped, {flow}"] = open_motion(flow=flow)
    for text in named:
        name, _, path = text.partition("=")
        models[name] = open_motion(path or name)
    for text in alone:
        name, _, path = text.partition("=")
        models[name] = MotionEstimator(Path(path))
    return models


def main() -> None:
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="where matches are kept")
    parser.add_argument("--model", action="append", default=[], help="network, a rival's name, or NAME=motion.onnx")
    parser.add_argument("--alone", action="append", default=[], help="NAME=motion.onnx, not refined")
    parser.add_argument("--flow", help="one more row: the shipped model with this flow")
    parser.add_argument("--sequences", choices=("reported", "training"), default="reported")
    options = parser.parse_args()
    names = REPORTED if options.sequences == "reported" else TRAINING
    pairs = list(matched_pairs(options.folder, names, options.work))
    table: list[list[str]] = []
    by_sequence: list[list[str]] = []
    for name, model in open_models(options.model, options.flow, options.alone).items():
        found = errors(pairs, estimate(model, options.folder, pairs))
        table += rows(name, pairs, found)
        by_sequence += sequence_rows(name, pairs, found)
    print(text_table(HEADER, table), "\n")
    print(text_table(SEQUENCE_HEADER, by_sequence))


if __name__ == "__main__":
    main()
