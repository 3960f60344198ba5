"""tab:consistency, tab:cpe_evaluation and figures: lambda_mc, CPE of the ablations, example pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.reproduce.examples import estimation_example, specular_example
from benchmarks.reproduce.networks import ABLATIONS, LAMBDAS, network, shards
from benchmarks.reproduce.parts import Outcome, Place
from haustra.core.arrays import FloatArray
from haustra.core.poses import invert
from haustra.lab.evaluate.paper_figures import Plane
from haustra.lab.evaluate.paper_tables import METHOD_ROWS, beside_paper, paper_table
from haustra.lab.evaluate.result_table import ResultTable, Value, of_rows
from haustra.lab.evaluate.svg import Curve, Drawing, panels, plot
from haustra.lab.training.motion.evaluate_network import (
    DisparityScene,
    PairMotions,
    chain,
    estimate_shard,
    pair_consistency,
    pair_cpe,
    shard_cpe,
)
from haustra.lab.training.motion.pairs import PairShard
from haustra.motion import MotionEstimator, motion_to_T_a_b
from haustra.motion.methods import OURS


def pairs(place: Place) -> Outcome:
    test, train = shards(place, "test"), shards(place, "train")
    tables = (consistency_table(place, test), cpe_table(place, train, test))
    pictures = [
        (specular_example(place, test[0]), "Specular masks (paper, fig:specular_mask)"),
        (estimation_example(place, test), "Disparity, synthesised frames, errors (paper, fig:estimation_example)"),
        (
            place.picture("consistency.svg", consistency_figure(place, test[0])),
            "Forward and backward paths by lambda_mc, up to scale (paper, fig:consistency)",
        ),
    ]
    return Outcome(tables, tuple(pictures), f"Simulated Set 1; {place.scale.budget}.")


def consistency_table(place: Place, test: list[PairShard]) -> ResultTable:
    """Lengths as a share of the mean step: monocular scale is free."""
    rows = {}
    for value, row in LAMBDAS.items():
        weights = network(row, place)
        cells = [cell for shard in test for cell in _consistency(weights, shard)]
        rows[f"lambda_mc = {value}"] = cells
    paper = paper_table("tab:consistency")
    columns = ["CPE (1e-2)", "RPE Trans. (1e-2 of a step)", "RPE Rot. (1e-2 deg)"] * len(test)
    groups = tuple((f"Recording #{k}", 3) for k in range(1, len(test) + 1))
    return beside_paper(of_rows(paper.label, paper.title, columns, rows, groups=groups))


def _consistency(weights: Path, shard: PairShard) -> list[Value | None]:
    motions = estimate_shard(MotionEstimator(weights), shard)
    share, degrees = pair_consistency(motions)
    found = (pair_cpe(shard, motions, DisparityScene.beside(weights)), share, degrees)
    return [Value.of(100 * values, digits=2) for values in found]


def cpe_table(place: Place, train: list[PairShard], test: list[PairShard]) -> ResultTable:
    rows = {}
    for row in (OURS, *ABLATIONS):
        weights = network(row, place)
        estimator, scene = MotionEstimator(weights), DisparityScene.beside(weights)
        of_parts = [
            [shard_cpe(shard, estimate_shard(estimator, shard), scene) for shard in part] for part in (train, test)
        ]
        rows[METHOD_ROWS[row]] = [Value.of(values, digits=4) for values in of_parts]
    paper = paper_table("tab:cpe_evaluation")
    return beside_paper(of_rows(paper.label, paper.title, paper.columns, rows))


def consistency_figure(place: Place, shard: PairShard) -> Drawing:
    """All in the principal plane of the first path, for comparison."""
    paths = {}
    for value, row in LAMBDAS.items():
        motions = estimate_shard(MotionEstimator(network(row, place)), shard)
        paths[f"lambda_mc = {value}"] = _both_ways(motions)
    plane = Plane(next(iter(paths.values()))[0])
    axes = ("across (share of the path length)", "up (share of the path length)")
    drawings = []
    for title, (forward, backward) in paths.items():
        curves = [Curve("forward", plane(forward)), Curve("backward", plane(backward), dashed=True)]
        drawings.append(plot(curves, title, axes, equal=True))
    return panels(drawings, columns=2)


def _both_ways(motions: PairMotions) -> tuple[FloatArray, FloatArray]:
    """The path by s(t->t+1) and by the inverse of s(t+1->t), both divided by the length of the first."""
    forward = _positions(motion_to_T_a_b(motions.forward))
    backward = _positions(invert(motion_to_T_a_b(motions.backward)))
    length = float(np.linalg.norm(np.diff(forward, axis=0), axis=1).sum()) or 1.0
    return forward / length, backward / length


def _positions(T_a_b: FloatArray) -> FloatArray:
    return chain(T_a_b)[:, :3, 3]
