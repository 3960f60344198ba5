"""Likelihoods from cecum scores: where the cecum ends along the path, and when the withdrawal starts.

The scores come from a frame classifier (`haustra.quality.cecum_classifier`). Recorders differ in how much of anything
looks like a cecum, so a frame counts by how far it stands out among those of its own recording.
"""

from __future__ import annotations

import numpy as np

from haustra.anatomy.grid import location_grid
from haustra.anatomy.parameters import CecumParameters
from haustra.core.arrays import FloatArray
from haustra.quality.cecum_classifier import CecumScores


def cecum_likelihood(
    scores: CecumScores, time_s: FloatArray, index: FloatArray, parameters: CecumParameters
) -> FloatArray | None:
    """Log-likelihood (TABULATED,) of the location where the cecum ends; None where there are too few scores.

    Frames before the end should look like the cecum, frames after it should not.
    """
    known = np.isfinite(index)
    if len(scores.time_s) < parameters.fewest_frames or not known.any():
        return None
    probability = np.clip(scores.probability, 1e-4, 1 - 1e-4)
    log_odds = np.log(probability / (1 - probability))
    # Where no frame is surely a cecum, standing out means little.
    weight = parameters.weight * float(probability.max()) ** 2
    excess = log_odds - np.median(log_odds) - parameters.threshold
    evidence = weight * np.clip(excess, -parameters.strongest_against, parameters.strongest_for)
    location = np.interp(scores.time_s, time_s[known], index[known])
    before = location[None, :] < location_grid()[:, None]
    result: FloatArray = before @ evidence
    return result - result.max()


def start_log_likelihood(scores: CecumScores, starts_s: FloatArray, parameters: CecumParameters) -> FloatArray:
    """Log-likelihood (n,) of possible starts of the withdrawal, which should lie near views of the cecum.

    A mixture of a Gaussian around each view and a constant for views that show another place; all 0 where no frame
    looks like the cecum.
    """
    seen = scores.probability >= parameters.seen_from
    apart = np.abs(np.asarray(starts_s)[:, None] - scores.time_s[seen]) / parameters.start_std_s
    outlier = parameters.start_outlier
    near = np.log(outlier + (1 - outlier) * np.exp(-0.5 * apart**2))
    result: FloatArray = near @ (parameters.weight * (2 * scores.probability[seen] - 1))
    return result


def best_view(scores: CecumScores, until_s: float, parameters: CecumParameters) -> tuple[float, float] | None:
    """Time and probability of the best view of the cecum up to `until_s`; None if no frame looks like it."""
    early = np.where(scores.time_s <= until_s, scores.probability, 0.0)
    best = int(early.argmax()) if len(early) else 0
    if not len(early) or early[best] < parameters.seen_from:
        return None
    return float(scores.time_s[best]), float(early[best])
