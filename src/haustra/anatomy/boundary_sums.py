"""Sums over all boundary vectors on a grid of places: what makes the decoder exact up to the grid, and quick.

Given the (unknown, averaged over) sum of the six lengths, segments are independent, so the sums are matrix products,
forward and backward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from haustra.anatomy.decoder_priors import DurationPrior, LengthPrior
from haustra.poses import FloatArray

NODES = 301
_TINY = 1e-300
# How often the bends of an estimated path mislead, before anything is known about it.
MISREAD = 0.12


@dataclass(frozen=True)
class Evidence:
    """A withdrawal on the grid of places: seconds and variance up to each node, log-likelihoods of the boundaries.

    Without seconds time says nothing, without a variance lengths do not. `bends` (5, NODES) may be read wrong
    altogether; `marks` (each (5, NODES)) are taken at their word.
    """

    seconds: FloatArray | None
    variance: FloatArray | None
    bends: FloatArray | None
    marks: Mapping[str, FloatArray]


def boundary_marginals(evidence: Evidence, lengths: LengthPrior, durations: DurationPrior) -> FloatArray:
    """Posterior of each of the five boundaries over the nodes, rows sum to 1.

    The bends of an estimated path may be read wrong altogether: both answers, with and without them, count by how
    probable they make what else is known.
    """
    stretches = _stretches(evidence, lengths, durations)
    given = sum(evidence.marks.values(), np.zeros((5, NODES)))
    plain, plain_log = _summed(stretches, given)
    if evidence.bends is None:
        return plain
    bent, bent_log = _summed(stretches, given + evidence.bends)
    doubt = MISREAD / (MISREAD + (1 - MISREAD) * np.exp(np.clip(bent_log - plain_log, -50.0, 50.0)))
    mixed: FloatArray = doubt * plain + (1 - doubt) * bent
    return mixed


def _stretches(evidence: Evidence, lengths: LengthPrior, durations: DurationPrior) -> list[FloatArray]:
    """How well each stretch of the path (from node, to node) fits each segment: (6, nodes, nodes), for each scale."""
    nodes = np.linspace(0.0, 1.0, NODES)
    span = np.maximum(nodes[None, :] - nodes[:, None], 0.5 * nodes[1])
    ordered = np.triu(np.ones((NODES, NODES)), 1)
    seconds = evidence.seconds
    timed = np.zeros((6, NODES, NODES)) if seconds is None else _time_scores(seconds, durations)
    if evidence.variance is None:
        return [np.exp(timed - timed.max()) * ordered]
    error = np.maximum(evidence.variance[None, :] - evidence.variance[:, None], 0.0) / span**2
    log_var = lengths.log_std[:, None, None] ** 2 + np.log1p(error)
    fixed = timed - 0.5 * np.log(log_var) - np.log(span)
    away = np.log(span) - lengths.log_mean[:, None, None]
    return [np.exp(fixed - 0.5 * (scale + away) ** 2 / log_var) * ordered for scale in lengths.log_scales()]


def _summed(stretches: Sequence[FloatArray], unary_log: FloatArray) -> tuple[FloatArray, float]:
    """Marginals averaged over the scales, rows sum to 1, and the logarithm of the sum over all boundary vectors."""
    top = unary_log.max(axis=1, keepdims=True)
    unary = np.exp(unary_log - top)
    chains = [_chain(stretch, unary) for stretch in stretches]
    logs = np.array([log_sum for _, log_sum in chains])
    weight = np.exp(logs - logs.max())
    mixed = np.tensordot(weight, np.stack([marginals for marginals, _ in chains]), axes=1)
    total_log = float(logs.max() + np.log(weight.sum()) + top.sum())
    return mixed / mixed.sum(axis=1, keepdims=True), total_log


def _time_scores(seconds: FloatArray, durations: DurationPrior) -> FloatArray:
    spent = np.maximum(seconds[None, :] - seconds[:, None], 0.25)
    return np.stack([durations.log_density(k, spent) for k in range(6)])


def _chain(stretch: FloatArray, unary: FloatArray) -> tuple[FloatArray, float]:
    """Marginals of the boundaries (rows sum to 1) and the logarithm of the sum over all boundary vectors."""
    forward, log_sum = [stretch[0][0] * unary[0]], 0.0
    for k in range(1, 5):
        size = max(float(forward[-1].sum()), _TINY)
        log_sum += float(np.log(size))
        forward.append((forward[-1] / size) @ stretch[k] * unary[k])
    backward = [stretch[5][:, -1]]
    for k in range(4, 0, -1):
        ahead = stretch[k] @ (backward[0] * unary[k])
        backward.insert(0, ahead / max(float(ahead.max()), _TINY))
    log_sum += float(np.log(max(float(forward[4] @ backward[4]), _TINY)))
    marginals = np.stack([f * b for f, b in zip(forward, backward, strict=True)])
    return marginals / np.maximum(marginals.sum(axis=1, keepdims=True), _TINY), log_sum
