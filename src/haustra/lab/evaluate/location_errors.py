"""Errors of a location index against ground truth (simulated recordings, phantoms with a tracked scope)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError


@dataclass(frozen=True)
class LocationErrors:
    """`within_2std`: share of frames with an error below two predicted standard deviations (nominal 95 %)."""

    location_mae: float
    location_rmse: float
    location_max: float
    location_correlation: float | None
    within_2std: float | None

    def as_dict(self) -> dict[str, float | None]:
        return asdict(self)


def location_errors(index: FloatArray, truth: FloatArray, std: FloatArray | None = None) -> LocationErrors:
    """Over the frames that have both; the correlation is None where one of the two is constant."""
    both = np.isfinite(index) & np.isfinite(truth)
    if not both.any():
        raise HaustraError("no frame has both an estimated and a true location index: nothing can be compared")
    x, y = index[both], truth[both]
    error = np.abs(x - y)
    moving = float(np.ptp(x)) > 0 and float(np.ptp(y)) > 0
    return LocationErrors(
        location_mae=float(error.mean()),
        location_rmse=float(np.sqrt((error**2).mean())),
        location_max=float(error.max()),
        location_correlation=float(np.corrcoef(x, y)[0, 1]) if moving else None,
        within_2std=None if std is None else float((error <= 2 * std[both]).mean()),
    )
