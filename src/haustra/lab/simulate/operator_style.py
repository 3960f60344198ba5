"""The style of a simulated operator: where the time goes, how unevenly, and how restless the tip is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Pace:
    """Shares of a withdrawal's time by segment (cecum to rectum) with their spread (of the logarithm), the spread of
    the speed inside a segment, how restless the tip is, and how fast it turns when it looks around (degrees a second).

    `duration_spread`: of the logarithm of whole withdrawals, None for evenly from three to five quarters of the mean.
    """

    time_share: tuple[float, ...]
    time_spread: tuple[float, ...]
    speed_spread: tuple[float, float]
    restless: tuple[float, float]
    gesture_deg_per_s: tuple[float, float]
    duration_spread: float | None = None

    def duration_share(self, rng: np.random.Generator) -> float:
        """A withdrawal's length as a share of the mean of its cohort."""
        if self.duration_spread is None:
            return float(rng.uniform(0.75, 1.25))
        share = np.exp(self.duration_spread * rng.standard_normal() - 0.5 * self.duration_spread**2)
        return float(np.clip(share, 0.35, 3.0))


# Shares as in the paper (tab:template), row "time index": not the share of length. Their spread over patients is
# not printed. With this one the clock alone tells the segment as often as in the paper (`python -m
# benchmarks.operator_pace`: 0.604, paper 0.608); with 0.5, an evener pace, it does in 0.660 of the frames.
PLAIN_PACE = Pace((0.068, 0.217, 0.210, 0.177, 0.172, 0.156), (0.65,) * 6, (0.45, 0.45), (0.7, 1.3), (13.0, 25.0))

# Fitted to the times of 48 real withdrawals (CAS-Colon, flexures counted with the segment before them): geometric means
# of the shares, standard deviations of their logarithms, and that of the whole withdrawal's (median 338 s).
REAL_PACE = Pace(
    (0.070, 0.220, 0.258, 0.146, 0.194, 0.113),
    (0.609, 0.602, 0.655, 0.596, 0.505, 0.581),
    (0.3, 0.8),
    (0.4, 2.0),
    (10.0, 60.0),
    duration_spread=0.449,
)
