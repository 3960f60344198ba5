"""Which segment: the posterior over the five inner boundaries, given everything that is known (ours).

The boundaries are places on the estimated path, x_1 < ... < x_5 in [0, 1]. Between two of them lies one segment, and
each source says how well a stretch or a boundary fits:

- location: the stretch's share of the path against the template's lengths, widened by the location's uncertainty;
- time: the seconds spent on the stretch against the durations of real withdrawals;
- bends: what the course of the path says about each boundary (haustra.anatomy.bends);
- cecum: pictures that look like the cecum (haustra.anatomy.cecum);
- landmarks: a moment that the user gave for a boundary.

All boundary vectors on a grid of places are summed over (haustra.anatomy.boundary_sums).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from haustra.anatomy.boundary_sums import NODES, Evidence, boundary_marginals
from haustra.anatomy.decoder_priors import DurationPrior, LengthPrior, length_prior, load_durations
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.template import Template
from haustra.poses import FloatArray

# A user may be wrong: this much of a landmark's likelihood is spread over all places.
_ASTRAY = 1e-6


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
    cecum: FloatArray | None = None,
    landmarks: Sequence[Landmark] = (),
    whole: bool = True,
) -> Decoded:
    """Decode a withdrawal from times (n,) and its location index (n,) with standard deviations.

    `std` None says that the index is only a clock: then lengths say nothing. `bends` has the log-likelihood of each
    inner boundary at each node of an even grid over the path, shape (5, nodes), `cecum` that of the first one (nodes,).
    Where not the `whole` colon was seen its location and landmarks tell: durations are those of whole segments.
    """
    known = np.isfinite(index)
    evidence = gather(time_s[known], index[known], None if std is None else std[known], bends, landmarks, cecum)
    if not whole:
        evidence = replace(evidence, seconds=None)
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
    cecum: FloatArray | None = None,
) -> Evidence:
    """Put a withdrawal on the grid. Seconds are those spent behind each place, going back and forth included."""
    nodes = np.linspace(0.0, 1.0, NODES)
    order = np.argsort(index, kind="stable")
    step_s = np.gradient(time_s)[order] if len(time_s) > 1 else np.ones(len(time_s))
    seconds = np.interp(nodes, index[order], np.cumsum(step_s) - step_s / 2, left=0.0, right=float(step_s.sum()))
    variance = None if std is None else _added_variance(nodes, index[order], std[order])
    marks = {"landmark": _given(nodes, time_s, index, landmarks)} if landmarks else {}
    if cecum is not None:
        marks["cecum"] = np.concatenate([_on_nodes(cecum[None]), np.zeros((4, NODES))])
    return Evidence(seconds, variance, None if bends is None else _on_nodes(bends), marks)


def _on_nodes(rows: FloatArray) -> FloatArray:
    own = np.linspace(0.0, 1.0, rows.shape[1])
    return np.stack([np.interp(np.linspace(0.0, 1.0, NODES), own, row) for row in rows])


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
    without: dict[str, Evidence] = {}
    if evidence.seconds is not None:
        without["time"] = replace(evidence, seconds=None)
    if evidence.variance is not None:
        without["location"] = replace(evidence, variance=None)
    if evidence.bends is not None:
        without["bends"] = replace(evidence, bends=None)
    for name in evidence.marks:
        rest = {other: mark for other, mark in evidence.marks.items() if other != name}
        without[name] = replace(evidence, marks=rest)
    spread = _spread(marginals)
    gain = {
        name: np.maximum(np.log(_spread(boundary_marginals(left, lengths, durations)) / spread), 1e-6)
        for name, left in without.items()
    }
    total = np.sum(list(gain.values()), axis=0)
    return {name: value / total for name, value in gain.items()}
