"""Which segment: the posterior over the five inner boundaries, given everything that is known (ours).

The boundaries are places on the estimated path, x_1 < ... < x_5 in [0, 1]. Between two of them lies one segment, and
each source says how well a stretch or a boundary fits:

- location: the stretch's share of the path against the template's lengths, widened by the location's uncertainty;
- time: the seconds spent on the stretch against the durations of real withdrawals;
- bends: what the course of the path says about each boundary (haustra.anatomy.bends);
- landmarks: a moment that the user gave for a boundary.

Given the (unknown, averaged over) sum of the six lengths, segments are independent, so sums over all boundary vectors
on a grid of places are matrix products, forward and backward: exact up to the grid, and quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from haustra.anatomy.decoder_priors import DurationPrior, LengthPrior, length_prior, load_durations
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.template import Template
from haustra.poses import FloatArray

NODES = 301
SOURCES = ("location", "time", "bends", "landmark")
# A user may be wrong: this much of a landmark's likelihood is spread over all places.
_ASTRAY = 1e-6
_TINY = 1e-300
# How often the bends of an estimated path mislead, before anything is known about it.
MISREAD = 0.2


@dataclass(frozen=True)
class Evidence:
    """A withdrawal on the grid of places: seconds and variance up to each node, log-likelihoods of each boundary."""

    seconds: FloatArray
    variance: FloatArray | None
    bends: FloatArray | None
    landmark: FloatArray | None


@dataclass(frozen=True)
class Decoded:
    """Boundaries as location indices (median, std), probabilities (n, 6), and what decided each boundary.

    `entered_s` (5, 3) has the times at which the boundary's place less one deviation, the place itself, and the place
    plus one are first reached. `decided_by` has for each source how much it narrows the five boundaries, as shares
    that sum to 1.
    """

    boundaries: FloatArray
    spread: FloatArray
    entered_s: FloatArray
    probabilities: FloatArray
    decided_by: dict[str, FloatArray]

    @property
    def segments(self) -> np.ndarray:
        """The most probable segment 1..6 of every frame, 0 where there is no place."""
        known = np.isfinite(self.probabilities[:, 0])
        return np.where(known, np.nan_to_num(self.probabilities).argmax(axis=1) + 1, 0)


def decode_segments(
    time_s: FloatArray,
    index: FloatArray,
    std: FloatArray | None,
    template: Template,
    *,
    durations: DurationPrior | None = None,
    bends: FloatArray | None = None,
    landmarks: Sequence[Landmark] = (),
) -> Decoded:
    """Decode a withdrawal from times (n,) and its location index (n,) with standard deviations.

    `std` None says that the index is only a clock: then lengths say nothing. `bends` has the log-likelihood of each
    inner boundary at each node of an even grid over the path, shape (5, nodes).
    """
    known = np.isfinite(index)
    evidence = gather(time_s[known], index[known], None if std is None else std[known], bends, landmarks)
    durations = durations or load_durations()
    lengths = length_prior(template)
    marginals = boundary_marginals(evidence, lengths, durations)
    nodes = np.linspace(0.0, 1.0, NODES)
    boundaries, spread = np.array([np.interp(0.5, np.cumsum(p), nodes) for p in marginals]), _spread(marginals)
    reached = np.maximum.accumulate(index[known])
    places = boundaries[:, None] + spread[:, None] * np.array([-1.0, 0.0, 1.0])
    return Decoded(
        boundaries,
        spread,
        time_s[known][np.minimum(np.searchsorted(reached, places), len(reached) - 1)],
        _probabilities(index, marginals),
        _decided_by(evidence, lengths, durations, marginals),
    )


def gather(
    time_s: FloatArray,
    index: FloatArray,
    std: FloatArray | None,
    bends: FloatArray | None,
    landmarks: Sequence[Landmark],
) -> Evidence:
    """Put a withdrawal on the grid. Seconds are those spent behind each place, going back and forth included."""
    nodes = np.linspace(0.0, 1.0, NODES)
    order = np.argsort(index, kind="stable")
    step_s = np.gradient(time_s)[order] if len(time_s) > 1 else np.ones(len(time_s))
    seconds = np.interp(nodes, index[order], np.cumsum(step_s) - step_s / 2, left=0.0, right=float(step_s.sum()))
    variance = None if std is None else _added_variance(nodes, index[order], std[order])
    if bends is not None:
        own = np.linspace(0.0, 1.0, bends.shape[1])
        bends = np.stack([np.interp(nodes, own, row) for row in bends])
    given = _given(nodes, time_s, index, landmarks) if landmarks else None
    return Evidence(seconds, variance, bends, given)


def _added_variance(nodes: FloatArray, index: FloatArray, std: FloatArray) -> FloatArray:
    """Variance a that the way up to each node adds: the location's error is a bridge, var = a (A - a) / A."""
    var = np.interp(nodes, index, std**2)
    total = 4.0 * float(var.max()) + 1e-12
    top = int(var.argmax())
    root = np.sqrt(np.maximum(1.0 - 4.0 * var / total, 0.0))
    added = total / 2 * np.where(np.arange(len(nodes)) <= top, 1.0 - root, 1.0 + root)
    return np.maximum.accumulate(added)


def _given(nodes: FloatArray, time_s: FloatArray, index: FloatArray, landmarks: Sequence[Landmark]) -> FloatArray:
    """Log-likelihood (5, nodes) of each boundary: where the camera was around the time that was given."""
    result = np.zeros((5, len(nodes)))
    width = 1.5 * nodes[1]
    for landmark in landmarks:
        weight = np.exp(-0.5 * ((time_s - landmark.time_s) / landmark.std_s) ** 2)
        near = weight > 1e-4
        if not near.any():
            nearest = int(np.abs(time_s - landmark.time_s).argmin())
            near[nearest], weight[nearest] = True, 1.0
        apart = (nodes[:, None] - index[near]) / width
        density = (np.exp(-0.5 * apart**2) * weight[near]).sum(axis=1)
        result[landmark.boundary - 1] += np.log(density / density.max() + _ASTRAY)
    return result


def boundary_marginals(evidence: Evidence, lengths: LengthPrior, durations: DurationPrior | None) -> FloatArray:
    """Posterior of each of the five boundaries over the nodes, rows sum to 1.

    The bends of an estimated path may be read wrong altogether: both answers, with and without them, count by how
    probable they make what else is known.
    """
    stretches = _stretches(evidence, lengths, durations)
    given = np.zeros((5, NODES)) if evidence.landmark is None else evidence.landmark
    plain, plain_log = _summed(stretches, given)
    if evidence.bends is None:
        return plain
    bent, bent_log = _summed(stretches, given + evidence.bends)
    doubt = MISREAD / (MISREAD + (1 - MISREAD) * np.exp(np.clip(bent_log - plain_log, -50.0, 50.0)))
    mixed: FloatArray = doubt * plain + (1 - doubt) * bent
    return mixed


def _stretches(evidence: Evidence, lengths: LengthPrior, durations: DurationPrior | None) -> list[FloatArray]:
    """How well each stretch of the path (from node, to node) fits each segment: (6, nodes, nodes), for each scale."""
    nodes = np.linspace(0.0, 1.0, NODES)
    span = np.maximum(nodes[None, :] - nodes[:, None], 0.5 * nodes[1])
    ordered = np.triu(np.ones((NODES, NODES)), 1)
    timed = np.zeros((6, NODES, NODES)) if durations is None else _time_scores(evidence.seconds, durations)
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


def _probabilities(index: FloatArray, marginals: FloatArray) -> FloatArray:
    """Probability (n, 6) of each segment: boundary k lies behind the frame with its cumulated probability."""
    nodes = np.linspace(0.0, 1.0, NODES)
    passed = np.ones((len(index), 7))
    passed[:, 6] = 0.0
    for k, p in enumerate(marginals):
        passed[:, k + 1] = np.interp(index, nodes, np.cumsum(p) - p / 2)
    probabilities = np.maximum(passed[:, :-1] - passed[:, 1:], 0.0)
    probabilities[~np.isfinite(index)] = np.nan
    return probabilities / probabilities.sum(axis=1, keepdims=True)


def _spread(marginals: FloatArray) -> FloatArray:
    nodes = np.linspace(0.0, 1.0, NODES)
    mean = marginals @ nodes
    return np.sqrt(np.maximum(marginals @ nodes**2 - mean**2, 0.0) + nodes[1] ** 2 / 12)


def _decided_by(
    evidence: Evidence, lengths: LengthPrior, durations: DurationPrior, marginals: FloatArray
) -> dict[str, FloatArray]:
    """Share of each source: by how much (logarithm) the boundary's spread grows when the source is left out."""
    spread = _spread(marginals)
    without = {
        "location": (Evidence(evidence.seconds, None, evidence.bends, evidence.landmark), durations),
        "time": (evidence, None),
        "bends": (Evidence(evidence.seconds, evidence.variance, None, evidence.landmark), durations),
        "landmark": (Evidence(evidence.seconds, evidence.variance, evidence.bends, None), durations),
    }
    used = {"location": evidence.variance, "time": evidence.seconds, "bends": evidence.bends}
    used["landmark"] = evidence.landmark
    gain = {
        name: np.zeros(5)
        if used[name] is None
        else np.maximum(np.log(_spread(boundary_marginals(left, lengths, times)) / spread), 1e-6)
        for name, (left, times) in without.items()
    }
    total = np.sum(list(gain.values()), axis=0)
    return {name: value / total for name, value in gain.items()}
