"""Decoder: posterior of the boundaries between segments, given location, time, path shape, cecum views and landmarks.

Sources of evidence, each of which may be missing:

- location: the share of the path in each segment against the template's lengths, widened by the location's uncertainty;
- time: the seconds spent in each segment against the durations of real withdrawals;
- bends: the shape of the path (`bends`);
- cecum: frames that look like the cecum (`cecum`);
- landmark: times given by the user; those without a tolerance are kept to the frame (`exact_landmarks`).

`evidence` puts them on a grid, `semi_markov` sums over all boundary vectors on it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from haustra.anatomy.decoder_priors import DecoderPriors, DurationPrior, length_prior, load_durations
from haustra.anatomy.evidence import gather_evidence, without_each_source
from haustra.anatomy.exact_landmarks import constrain_probabilities, exact_rows, with_coinciding
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.parameters import DecoderParameters
from haustra.anatomy.semi_markov import Evidence, boundary_marginals
from haustra.anatomy.template import Template
from haustra.anatomy.template_segments import between_ends
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import SEGMENTS


@dataclass(frozen=True)
class Decoded:
    """Posterior of the boundaries, and the segment probabilities of every frame (n, segments).

    `boundaries` are the medians as location indices, `std` their standard deviations. `entered_s` (boundaries, 3) has
    the times at which the median minus one standard deviation, the median, and the median plus one are first reached.
    `decided_by` is the share of each source in each boundary; shares sum to 1. `exact` has, by boundary, the first row
    after it where a landmark gave its time exactly.
    """

    boundaries: FloatArray
    std: FloatArray
    entered_s: FloatArray
    probabilities: FloatArray
    decided_by: dict[str, FloatArray]
    exact: Mapping[int, int] = field(default_factory=dict)

    @property
    def segments(self) -> NDArray[np.int64]:
        """The most probable segment number of every frame, 0 where its location is unknown."""
        known = np.isfinite(self.probabilities[:, 0])
        return np.where(known, np.nan_to_num(self.probabilities).argmax(axis=1) + 1, 0)


def decode_segments(
    time_s: FloatArray,
    index: FloatArray,
    std: FloatArray | None,
    template: Template,
    parameters: DecoderParameters,
    *,
    durations: DurationPrior | None = None,
    bends: FloatArray | None = None,
    cecum: FloatArray | None = None,
    landmarks: Sequence[Landmark] = (),
    whole: bool = True,
    leave_out: Collection[str] = (),
) -> Decoded:
    """Decode a withdrawal from the times (n,) and location indices (n,) of its frames.

    `std` None: the index is elapsed time, so lengths carry no information. `bends` (boundaries, points) and `cecum`
    (points,), for the first boundary, are log-likelihoods on even grids over the index. `durations` default to the
    shipped ones; they are those of whole segments and not used unless the `whole` colon was seen. `leave_out` names
    sources of evidence that are not used: what does each of them gain?
    """
    known = np.isfinite(index)
    known_std = None if std is None else std[known]
    evidence = gather_evidence(
        time_s[known], index[known], known_std, parameters, bends=bends, cecum=cecum, landmarks=landmarks
    )
    if not whole:
        evidence = replace(evidence, seconds=None)
    for source in leave_out:
        evidence = without_each_source(evidence).get(source, evidence)
    priors = DecoderPriors(length_prior(template), durations or load_durations())
    marginals = boundary_marginals(evidence, priors, parameters)
    boundaries = np.array([np.interp(0.5, np.cumsum(row), evidence.nodes) for row in marginals])
    boundary_std = _std(evidence.nodes, marginals)
    exact = with_coinciding(exact_rows(time_s, landmarks), template.missing)
    return Decoded(
        boundaries,
        boundary_std,
        _entry_times(time_s[known], index[known], boundaries, boundary_std),
        constrain_probabilities(_segment_probabilities(index, evidence.nodes, marginals, template), exact),
        _source_shares(evidence, priors, parameters, boundary_std),
        exact,
    )


def _entry_times(time_s: FloatArray, index: FloatArray, boundaries: FloatArray, std: FloatArray) -> FloatArray:
    """When each boundary, and one standard deviation to either side of it, is first reached (boundaries, 3)."""
    reached = np.maximum.accumulate(index)
    locations = boundaries[:, None] + std[:, None] * np.array([-1.0, 0.0, 1.0])
    return time_s[np.minimum(np.searchsorted(reached, locations), len(reached) - 1)]


def _segment_probabilities(
    index: FloatArray, nodes: FloatArray, marginals: FloatArray, template: Template
) -> FloatArray:
    """Probability (n, segments) of each segment: differences of the probabilities of having passed its two ends."""
    passed = np.ones((len(index), len(SEGMENTS) + 1))
    passed[:, -1] = 0.0
    for k, row in enumerate(marginals):
        passed[:, k + 1] = np.interp(index, nodes, np.cumsum(row) - row / 2)
    passed = between_ends(passed, template)
    probabilities = np.maximum(passed[:, :-1] - passed[:, 1:], 0.0)
    probabilities[~np.isfinite(index)] = np.nan
    return probabilities / probabilities.sum(axis=1, keepdims=True)


def _std(nodes: FloatArray, marginals: FloatArray) -> FloatArray:
    """Standard deviation of each boundary, that within a grid cell included."""
    mean = marginals @ nodes
    return np.sqrt(np.maximum(marginals @ nodes**2 - mean**2, 0.0) + nodes[1] ** 2 / 12)


def _source_shares(
    evidence: Evidence, priors: DecoderPriors, parameters: DecoderParameters, std: FloatArray
) -> dict[str, FloatArray]:
    """Share of each source in each boundary, by how much the log of its standard deviation grows without it."""
    gain = {
        source: np.maximum(np.log(_std(rest.nodes, boundary_marginals(rest, priors, parameters)) / std), 1e-6)
        for source, rest in without_each_source(evidence).items()
    }
    total = np.sum(list(gain.values()), axis=0)
    return {source: value / total for source, value in gain.items()}
