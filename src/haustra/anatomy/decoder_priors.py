"""Priors of the decoder: log-normal segment lengths from a template, Student-t log durations from real withdrawals."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from scipy.special import gammaln

from haustra.anatomy.template import Template, load_template
from haustra.core.arrays import FloatArray, Mask
from haustra.core.records import read_record
from haustra.core.vocabulary import SEGMENTS

_DURATIONS = Path(__file__).parents[1] / "data" / "durations.json"
# The paper prints the mean shares of time of its own 18 withdrawals; they count by that number.
_PAPER, _PAPER_COUNT = "paper-set2-time", 18
# Moment matching: fixed random draws, and rounds until mean and spread agree to the digits that matter.
_DRAWS = 8000
_ROUNDS = 40
# Quadrature over the total length: this many totals over this many standard deviations to either side.
_TOTALS, _REACH = 9, 2.5


@dataclass(frozen=True)
class LengthPrior:
    """Independent log-normal segment lengths whose shares of the total have the template's mean and spread."""

    log_mean: FloatArray
    log_std: FloatArray

    @property
    def missing(self) -> Mask:
        """Segments that are not there."""
        return np.isneginf(self.log_mean)

    def log_totals(self) -> FloatArray:
        """Quadrature points for the log of the total length; shares do not determine it, it is averaged over."""
        total = np.exp(self.log_mean + self.log_std**2 / 2).sum()
        spread = float(np.sqrt((np.exp(2 * self.log_mean + self.log_std**2) * np.expm1(self.log_std**2)).sum()) / total)
        return np.log(total) + np.linspace(-_REACH, _REACH, _TOTALS) * spread


def length_prior(template: Template) -> LengthPrior:
    """Match the template's mean and standard deviation of the shares by fixed-point iteration over fixed draws.

    A missing segment has no length.
    """
    there = template.mean > 0
    z = np.random.default_rng(0).standard_normal((_DRAWS, len(SEGMENTS)))[:, there]
    z -= z.mean(axis=0)
    mean = np.maximum(template.mean[there], 1e-3)
    spread = np.maximum(template.std[there], 0.02 * mean)
    log_mean, log_std = np.log(mean), np.clip(spread / mean, 0.05, 1.2)
    for _ in range(_ROUNDS):
        raw = np.exp(log_mean + log_std * z)
        share = raw / raw.sum(axis=1, keepdims=True)
        log_mean = log_mean + np.log(mean / share.mean(axis=0))
        log_std = np.clip(log_std * np.sqrt(spread / share.std(axis=0)), 0.02, 1.5)
    all_means, all_stds = np.full(len(SEGMENTS), -np.inf), np.ones(len(SEGMENTS))
    all_means[there], all_stds[there] = log_mean, log_std
    return LengthPrior(all_means, all_stds)


@dataclass(frozen=True)
class DurationPrior:
    """Independent seconds in each segment with Student-t logarithms: now and then one takes very long."""

    median_s: FloatArray
    log_std: float
    freedom: float

    def log_density(self, segment: int, seconds: FloatArray) -> FloatArray:
        """Log-density, per second, of a duration of the segment at this place in SEGMENTS."""
        x = (np.log(seconds) - np.log(self.median_s[segment])) / self.log_std
        nu = self.freedom
        constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi) - np.log(self.log_std)
        density: FloatArray = constant - (nu + 1) / 2 * np.log1p(x**2 / nu) - np.log(seconds)
        return density


def duration_prior_of(seconds: FloatArray) -> DurationPrior:
    """Fit to the durations (n, segments) of real withdrawals, pooled with the paper's mean shares of time.

    There are few withdrawals, so all segments share one spread, from quartiles that no outlier moves.
    """
    logs = np.log(np.maximum(np.asarray(seconds, dtype=np.float64), 1.0))
    low, high = np.percentile(logs, [25, 75], axis=0)
    # The quartiles of a Student-t with four degrees of freedom lie 0.741 scales from its median.
    spread = float(np.sqrt(np.mean(((high - low) / 2 / 0.741) ** 2)))
    median, shares = np.median(logs, axis=0), np.log(load_template(_PAPER).mean)
    paper = shares + (median - shares).mean()  # the paper's shares of a withdrawal as long as these
    return DurationPrior(np.exp(np.average([median, paper], axis=0, weights=[len(logs), _PAPER_COUNT])), spread, 4.0)


class _Durations(Struct, frozen=True):
    median_s: Annotated[tuple[Annotated[float, Meta(ge=1, le=3600)], ...], Meta(min_length=6, max_length=6)]
    log_std: Annotated[float, Meta(ge=0.01, le=10)]
    freedom: Annotated[float, Meta(ge=1, le=1000)]


def load_durations(source: Path = _DURATIONS) -> DurationPrior:
    """The shipped prior, from real withdrawals (CAS-Colon and the paper's)."""
    value = read_record(source, _Durations)
    return DurationPrior(np.array(value.median_s), value.log_std, value.freedom)


@dataclass(frozen=True)
class DecoderPriors:
    """What is known about any withdrawal beforehand."""

    lengths: LengthPrior
    durations: DurationPrior
