"""What is known about any withdrawal beforehand: how long its segments are, and how long they take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import gammaln

from haustra.anatomy.template import Template, load_template
from haustra.files import read_json
from haustra.poses import FloatArray

_DURATIONS = Path(__file__).parents[1] / "data" / "durations.json"
# The paper noted the times of other real withdrawals, and prints their mean shares: they count by their number.
_PAPER, _PAPER_COUNT = "paper-set2-time", 18
_DRAWS = 8000
_ROUNDS = 40


@dataclass(frozen=True)
class LengthPrior:
    """Six independent log-normal lengths; their shares of the sum have the template's mean and spread."""

    log_mean: FloatArray
    log_std: FloatArray

    def log_scales(self) -> FloatArray:
        """Plausible logarithms of the sum: the shares do not tell it, it is averaged over."""
        total = np.exp(self.log_mean + self.log_std**2 / 2).sum()
        spread = float(np.sqrt((np.exp(2 * self.log_mean + self.log_std**2) * np.expm1(self.log_std**2)).sum()) / total)
        return np.log(total) + np.linspace(-2.5, 2.5, 9) * spread


def length_prior(template: Template) -> LengthPrior:
    """The prior whose shares vary as the template's: found by matching mean and spread over fixed draws."""
    z = np.random.default_rng(0).standard_normal((_DRAWS, 6))
    z -= z.mean(axis=0)
    mean = np.maximum(template.mean, 1e-3)
    spread = np.maximum(template.std, 0.02 * mean)
    log_mean, log_std = np.log(mean), np.clip(spread / mean, 0.05, 1.2)
    for _ in range(_ROUNDS):
        raw = np.exp(log_mean + log_std * z)
        share = raw / raw.sum(axis=1, keepdims=True)
        log_mean = log_mean + np.log(mean / share.mean(axis=0))
        log_std = np.clip(log_std * np.sqrt(spread / share.std(axis=0)), 0.02, 1.5)
    return LengthPrior(log_mean, log_std)


@dataclass(frozen=True)
class DurationPrior:
    """Seconds in each segment: independent, their logarithms Student-t, because now and then one takes very long."""

    median_s: FloatArray
    log_std: float
    freedom: float

    def log_density(self, segment: int, seconds: FloatArray) -> FloatArray:
        """Logarithm of the density of a duration of segment 0..5, per second."""
        x = (np.log(seconds) - np.log(self.median_s[segment])) / self.log_std
        nu = self.freedom
        constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi) - np.log(self.log_std)
        density: FloatArray = constant - (nu + 1) / 2 * np.log1p(x**2 / nu) - np.log(seconds)
        return density


def duration_prior_of(seconds: FloatArray) -> DurationPrior:
    """From durations (n, 6) of real withdrawals and the paper's shares of time.

    Withdrawals are few: one spread, by quartiles, which no outlier moves.
    """
    logs = np.log(np.maximum(np.asarray(seconds, dtype=np.float64), 1.0))
    low, high = np.percentile(logs, [25, 75], axis=0)
    # Quartiles of a Student-t with four degrees of freedom lie 0.741 spreads from its middle.
    spread = float(np.sqrt(np.mean(((high - low) / 2 / 0.741) ** 2)))
    middle, shares = np.median(logs, axis=0), np.log(load_template(_PAPER).mean)
    paper = shares + (middle - shares).mean()  # as long a withdrawal as these
    return DurationPrior(np.exp(np.average([middle, paper], axis=0, weights=[len(logs), _PAPER_COUNT])), spread, 4.0)


def load_durations() -> DurationPrior:
    """The shipped prior, from real withdrawals (CAS-Colon and the paper's)."""
    value = read_json(_DURATIONS)
    return DurationPrior(np.array(value["median_s"]), float(value["log_std"]), float(value["freedom"]))
