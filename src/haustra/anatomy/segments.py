"""The segment of every frame: by the template (the paper's way), and how probable each of the six is (ours)."""

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
    """Segment 1 (cecum) .. 6 (rectum) by comparing the location index with the template; 0 where there is no index."""
    index = np.asarray(index, dtype=np.float64)
    segment = np.searchsorted(template.boundaries[1:-1], index, side="right") + 1
    return np.where(np.isfinite(index), segment, 0).astype(np.int64)


def segment_probabilities(index: NDArray[Any], std: NDArray[Any], template: Template) -> FloatArray:
    """Probability of each segment, shape (n, 6), rows sum to 1 (NaN where index or spread is not known).

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
    probabilities = passed[:, :-1] - passed[:, 1:]
    probabilities[~np.isfinite(index) | np.isnan(std)] = np.nan
    return probabilities


def _boundary_quantiles(template: Template) -> FloatArray:
    """Where the five inner boundaries lie over many colons, as equally probable values, shape (5, quantiles)."""
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
