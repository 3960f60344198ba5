"""Segments by template: the location index cut at its boundaries (paper), and segment probabilities (ours)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates
from scipy.special import ndtr

from haustra.anatomy.template import Template
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import SEGMENTS

_DRAWS = 4000
_QUANTILES = 25
# Probabilities are tabulated over index and spread, and read off linearly: a recording has 54,000 frames.
_INDEX_GRID = np.linspace(0.0, 1.0, 251)
_STD_GRID = np.geomspace(0.002, 0.4, 20)


def segments_of(index: NDArray[Any], template: Template) -> NDArray[np.int64]:
    """Segment numbers (first: cecum) by comparing the location index with the template; 0 where there is no index."""
    index = np.asarray(index, dtype=np.float64)
    segment = np.searchsorted(template.boundaries[1:-1], index, side="right") + 1
    segment = np.minimum(segment, template.there[-1] + 1)  # the last frame lies in it, whatever is missing behind
    return np.where(np.isfinite(index), segment, 0).astype(np.int64)


def segment_probabilities(index: NDArray[Any], std: NDArray[Any], template: Template) -> FloatArray:
    """Probability of each segment, shape (n, segments), rows sum to 1 (NaN where index or spread is not known).

    The camera has passed boundary k with the probability that index + error lies behind it, where the boundary varies
    as the template's recordings did. The boundaries are ordered, so the differences are never negative.
    """
    index, std = np.asarray(index, dtype=np.float64), np.asarray(std, dtype=np.float64)
    passed = np.ones((len(index), len(SEGMENTS) + 1))
    passed[:, -1] = 0.0
    column = np.interp(np.log(np.maximum(std, 1e-9)), np.log(_STD_GRID), np.arange(len(_STD_GRID)))
    row = np.clip(index, 0.0, 1.0) * (len(_INDEX_GRID) - 1)
    for k, values in enumerate(_boundary_quantiles(template)):
        table = ndtr((_INDEX_GRID[:, None, None] - values) / _STD_GRID[:, None]).mean(axis=2)
        passed[:, k + 1] = map_coordinates(table, np.stack([row, column]), order=1)
    passed = between_ends(passed, template)
    probabilities = passed[:, :-1] - passed[:, 1:]
    probabilities[~np.isfinite(index) | np.isnan(std)] = np.nan
    return probabilities


def between_ends(passed: FloatArray, template: Template) -> FloatArray:
    """Probabilities (n, segments + 1) of having passed the beginning of each segment, where the outer ones are missing:
    the way begins behind them and ends before them."""
    first, last = template.there[0], template.there[-1]
    passed[:, : first + 1], passed[:, last + 1 :] = 1.0, 0.0
    return passed


def _boundary_quantiles(template: Template) -> FloatArray:
    """Where the inner boundaries lie over many colons, as equally probable values, shape (boundaries, quantiles)."""
    rng = np.random.default_rng(0)
    root = _square_root(template.covariance)
    lengths = np.maximum(template.mean + rng.standard_normal((_DRAWS, len(SEGMENTS))) @ root.T, 0.0)
    boundaries = np.cumsum(lengths / lengths.sum(axis=1, keepdims=True), axis=1)[:, :-1]
    share = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    return np.quantile(boundaries, share, axis=0).T


def _square_root(covariance: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(covariance)
    root: FloatArray = vectors * np.sqrt(np.maximum(values, 0.0))
    return root
