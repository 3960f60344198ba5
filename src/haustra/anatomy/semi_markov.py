"""Forward-backward over the boundaries of a semi-Markov chain: exact posterior marginals on a grid.

The segments follow each other in a fixed order, so a state sequence is a vector of boundaries x_1 < ... < x_5 on the
grid, and the hidden state between two boundaries has an explicit length and duration. The joint density is a product of
one potential per segment, which depends on its two ends, and unary terms per boundary. Segment lengths are shares of an
unknown total; given the total they are independent, so the chain is summed once for each of a few totals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from haustra.anatomy.decoder_priors import DecoderPriors, DurationPrior
from haustra.anatomy.parameters import DecoderParameters
from haustra.core.arrays import FloatArray, Mask
from haustra.core.vocabulary import BOUNDARIES, SEGMENTS

_TINY = 1e-300


@dataclass(frozen=True)
class Evidence:
    """A withdrawal on the grid.

    `seconds` (nodes,): time spent before each node; None disables the duration term. `variance` (nodes,): cumulative
    variance of the travelled length; None disables the length term. `bends` (boundaries, nodes): log-likelihood from
    the shape of the path, which may be wrong altogether. `unary`: by source, log-likelihoods (boundaries, nodes) that
    are trusted.
    """

    nodes: FloatArray
    seconds: FloatArray | None
    variance: FloatArray | None
    bends: FloatArray | None
    unary: Mapping[str, FloatArray]


def boundary_marginals(evidence: Evidence, priors: DecoderPriors, parameters: DecoderParameters) -> FloatArray:
    """Posterior of each boundary over the nodes (boundaries, nodes); rows sum to 1.

    A mixture of two models, the shape of the path read rightly or misread, weighted by their marginal likelihoods.
    """
    potentials = _segment_potentials(evidence, priors, parameters)
    unary = sum(evidence.unary.values(), np.zeros((len(BOUNDARIES), len(evidence.nodes))))
    without, without_log = _averaged_over_totals(potentials, unary)
    if evidence.bends is None:
        return without
    bent, bent_log = _averaged_over_totals(potentials, unary + evidence.bends)
    prior = parameters.bends_misread
    misread = prior / (prior + (1 - prior) * np.exp(np.clip(bent_log - without_log, -50.0, 50.0)))
    mixed: FloatArray = misread * without + (1 - misread) * bent
    return mixed


def _segment_potentials(evidence: Evidence, priors: DecoderPriors, parameters: DecoderParameters) -> list[FloatArray]:
    """How well the stretch between two nodes fits each segment: (segments, nodes, nodes), one for each total length.

    A missing segment begins and ends at one node.
    """
    nodes, lengths = evidence.nodes, priors.lengths
    count = len(nodes)
    span = np.maximum(nodes[None, :] - nodes[:, None], 0.5 * nodes[1])
    ordered = np.triu(np.ones((count, count)), 1)
    if evidence.seconds is None:
        duration_log = np.zeros((len(SEGMENTS), count, count))
    else:
        duration_log = _duration_terms(evidence.seconds, priors.durations, parameters)
    if evidence.variance is None:
        return [_collapsed(np.exp(duration_log - duration_log.max()) * ordered, lengths.missing)]
    # The travelled length of a stretch errs by this relative variance; in the logarithm it adds to that of the prior.
    error = np.maximum(evidence.variance[None, :] - evidence.variance[:, None], 0.0) / span**2
    log_var = lengths.log_std[:, None, None] ** 2 + np.log1p(error)
    fixed = duration_log - 0.5 * np.log(log_var) - np.log(span)
    residual = np.log(span) - lengths.log_mean[:, None, None]
    return [
        _collapsed(np.exp(fixed - 0.5 * (total + residual) ** 2 / log_var) * ordered, lengths.missing)
        for total in lengths.log_totals()
    ]


def _collapsed(potential: FloatArray, missing: Mask) -> FloatArray:
    potential[missing] = np.eye(potential.shape[-1])
    return potential


def _duration_terms(seconds: FloatArray, durations: DurationPrior, parameters: DecoderParameters) -> FloatArray:
    """Log-density of the time spent on each stretch, for each segment."""
    spent = np.maximum(seconds[None, :] - seconds[:, None], parameters.shortest_stay_s)
    return np.stack([durations.log_density(k, spent) for k in range(len(SEGMENTS))])


def _averaged_over_totals(potentials: Sequence[FloatArray], unary_log: FloatArray) -> tuple[FloatArray, float]:
    """Marginals averaged over the total lengths, rows sum to 1, and the log of the partition function."""
    top = unary_log.max(axis=1, keepdims=True)
    unary = np.exp(unary_log - top)
    chains = [_forward_backward(potential, unary) for potential in potentials]
    logs = np.array([log_partition for _, log_partition in chains])
    weight = np.exp(logs - logs.max())
    mixed = np.tensordot(weight, np.stack([marginals for marginals, _ in chains]), axes=1)
    log_partition = float(logs.max() + np.log(weight.sum()) + top.sum())
    return mixed / mixed.sum(axis=1, keepdims=True), log_partition


def _forward_backward(potential: FloatArray, unary: FloatArray) -> tuple[FloatArray, float]:
    """Marginals of the boundaries (rows sum to 1) and the log of the partition function of one chain."""
    last = len(unary) - 1
    forward, log_partition = [potential[0][0] * unary[0]], 0.0
    for k in range(1, last + 1):
        size = max(float(forward[-1].sum()), _TINY)
        log_partition += float(np.log(size))
        forward.append((forward[-1] / size) @ potential[k] * unary[k])
    backward = [potential[last + 1][:, -1]]
    for k in range(last, 0, -1):
        message = potential[k] @ (backward[0] * unary[k])
        backward.insert(0, message / max(float(message.max()), _TINY))
    log_partition += float(np.log(max(float(forward[last] @ backward[last]), _TINY)))
    marginals = np.stack([f * b for f, b in zip(forward, backward, strict=True)])
    return marginals / np.maximum(marginals.sum(axis=1, keepdims=True), _TINY), log_partition
