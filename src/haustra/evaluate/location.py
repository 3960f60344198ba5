"""Error of a location index where the truth is known (simulated recordings, phantoms with a tracked scope)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from haustra.errors import HaustraError
from haustra.poses import FloatArray


@dataclass(frozen=True)
class LocationErrors:
    """`within_2std` is the share of frames whose error is below twice the stated standard deviation (95 % wanted)."""

    location_mae: float
    location_rmse: float
    location_max: float
    location_correlation: float | None
    within_2std: float | None

    def as_dict(self) -> dict[str, float | None]:
        return asdict(self)


def location_errors(index: FloatArray, truth: FloatArray, std: FloatArray | None = None) -> LocationErrors:
    """Compare the frames that have both; the correlation is None where one of the two never changes."""
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
