"""Evidence of a withdrawal on the decoder's grid: time spent, length variance, and likelihoods of the boundaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from haustra.anatomy.exact_landmarks import exact_nodes, exact_rows
from haustra.anatomy.grid import location_grid, resampled
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.parameters import DecoderParameters
from haustra.anatomy.semi_markov import Evidence
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import BOUNDARIES


def gather_evidence(
    time_s: FloatArray,
    index: FloatArray,
    std: FloatArray | None,
    parameters: DecoderParameters,
    *,
    bends: FloatArray | None = None,
    cecum: FloatArray | None = None,
    landmarks: Sequence[Landmark] = (),
) -> Evidence:
    """Put frames with a known location on the grid; time spent includes going back and forth."""
    nodes = location_grid(parameters.nodes)
    order = np.argsort(index, kind="stable")
    step_s = np.gradient(time_s)[order] if len(time_s) > 1 else np.ones(len(time_s))
    seconds = np.interp(nodes, index[order], np.cumsum(step_s) - step_s / 2, left=0.0, right=float(step_s.sum()))
    variance = None if std is None else cumulative_variance(nodes, index[order], std[order])
    unary = {"landmark": landmark_likelihood(nodes, time_s, index, landmarks, parameters)} if landmarks else {}
    if cecum is not None:
        unary["cecum"] = _of_first_boundary(resampled(cecum[None], nodes))
    return Evidence(nodes, seconds, variance, None if bends is None else resampled(bends, nodes), unary)


def cumulative_variance(nodes: FloatArray, index: FloatArray, std: FloatArray) -> FloatArray:
    """Variance of the travelled length up to each node, from the standard deviation of the location there.

    The location index is pinned at both ends, so its error is modelled as a Brownian bridge: with the cumulative
    variance a of the underlying Brownian motion and its total A, var = a (A - a) / A. Solved for a, with A such that
    the bridge is widest where the location is least certain.
    """
    var = np.interp(nodes, index, std**2)
    total = 4.0 * float(var.max()) + 1e-12
    widest = int(var.argmax())
    root = np.sqrt(np.maximum(1.0 - 4.0 * var / total, 0.0))
    cumulative = total / 2 * np.where(np.arange(len(nodes)) <= widest, 1.0 - root, 1.0 + root)
    return np.maximum.accumulate(cumulative)


def landmark_likelihood(
    nodes: FloatArray,
    time_s: FloatArray,
    index: FloatArray,
    landmarks: Sequence[Landmark],
    parameters: DecoderParameters,
) -> FloatArray:
    """Log-likelihood (boundaries, nodes) of user-given landmarks: where the camera was around their times.

    A landmark without a tolerance leaves a single node.
    """
    result = np.zeros((len(BOUNDARIES), len(nodes)))
    for boundary, node in exact_nodes(index, exact_rows(time_s, landmarks), len(nodes)).items():
        result[boundary - 1] = np.where(np.arange(len(nodes)) == node, 0.0, -np.inf)
    width = parameters.landmark_width_nodes * nodes[1]
    for landmark in (landmark for landmark in landmarks if not landmark.exact):
        weight = np.exp(-0.5 * ((time_s - landmark.time_s) / landmark.std_s) ** 2)
        near = weight > 1e-4  # the rest is negligible
        if not near.any():
            closest = int(np.abs(time_s - landmark.time_s).argmin())
            near[closest], weight[closest] = True, 1.0
        apart = (nodes[:, None] - index[near]) / width
        density = (np.exp(-0.5 * apart**2) * weight[near]).sum(axis=1)
        result[landmark.boundary - 1] += np.log(density / density.max() + parameters.landmark_outlier)
    return result


def without_each_source(evidence: Evidence) -> Mapping[str, Evidence]:
    """The evidence with one source left out, by the name of that source."""
    rest: dict[str, Evidence] = {}
    if evidence.seconds is not None:
        rest["time"] = replace(evidence, seconds=None)
    if evidence.variance is not None:
        rest["location"] = replace(evidence, variance=None)
    if evidence.bends is not None:
        rest["bends"] = replace(evidence, bends=None)
    for source in evidence.unary:
        others = {name: term for name, term in evidence.unary.items() if name != source}
        rest[source] = replace(evidence, unary=others)
    return rest


def _of_first_boundary(row: FloatArray) -> FloatArray:
    """A term (1, nodes) of the first boundary as one of all boundaries: nothing is said about the others."""
    return np.concatenate([row, np.zeros((len(BOUNDARIES) - 1, row.shape[1]))])
