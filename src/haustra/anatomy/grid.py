"""Grids over the location index, 0 to 1: likelihoods are tabulated on one, boundaries are decoded on a finer one."""

from __future__ import annotations

import numpy as np

from haustra.core.arrays import FloatArray

TABULATED = 121  # points at which a source tabulates its log-likelihood


def location_grid(points: int = TABULATED) -> FloatArray:
    """Evenly spaced location indices, both ends included."""
    return np.linspace(0.0, 1.0, points)


def resampled(rows: FloatArray, grid: FloatArray) -> FloatArray:
    """Rows tabulated on an even grid of their own (n, points), interpolated on another: (n, len(grid))."""
    own = location_grid(rows.shape[1])
    return np.stack([np.interp(grid, own, row) for row in rows])
