"""Observations for tests: what stages 1 to 5 would hand to the path."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from haustra.core.arrays import FloatArray, Mask
from haustra.core.vocabulary import Reason
from haustra.results.observations import Observations

RATE = 10.0


def made_observations(
    motion: FloatArray,
    *,
    kept: Mask | Sequence[bool] | None = None,
    reason: Sequence[Reason] | None = None,
    time_s: FloatArray | None = None,
    motion_std: float | FloatArray = np.nan,
    lumen: FloatArray | None = None,
) -> Observations:
    """Motions (n, 6) that led to each sample; what is not kept is non-informative unless a reason is given."""
    n = len(motion)
    if reason is None:
        keep = np.ones(n, bool) if kept is None else np.asarray(kept, bool)
        reason = [Reason.KEPT if one else Reason.NON_INFORMATIVE for one in keep]
    return Observations(
        time_s=np.arange(n) / RATE if time_s is None else time_s,
        p_noninformative=np.zeros(n, np.float32),
        p_forceps=np.zeros(n, np.float32),
        reason=tuple(reason),
        motion=motion,
        motion_std=np.broadcast_to(motion_std, (n, 6)).copy(),
        lumen=np.full((n, 3), np.nan) if lumen is None else lumen,
    )
