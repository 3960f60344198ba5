"""End-point error of optical flow against ground truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def endpoint_error(flow: NDArray[Any], truth: NDArray[Any], mask: NDArray[np.bool_] | None = None) -> float:
    """Mean end-point error in pixels over `mask` (nan where it is empty); arrays are (..., H, W, 2)."""
    error = np.linalg.norm(np.asarray(flow, np.float64) - np.asarray(truth, np.float64), axis=-1)
    chosen = error if mask is None else error[mask]
    return float(chosen.mean()) if chosen.size else float("nan")
