"""Pair velocities for tests: clear, without instrument, lumen or predicted uncertainty unless given."""

from __future__ import annotations

import numpy as np

from haustra.core.arrays import FloatArray, Mask
from haustra.path.velocities import PairVelocities


def made_pairs(
    measured: FloatArray,
    *,
    step_s: float | FloatArray = 1 / 15,
    noise_std: float | FloatArray = 0.05,
    predicted_std: float | FloatArray = np.nan,
    clear: Mask | None = None,
    instrument: Mask | None = None,
    lumen: FloatArray | None = None,
) -> PairVelocities:
    """Velocities (n, 6); what is given as one number holds for all pairs."""
    n = len(measured)
    return PairVelocities(
        step_s=np.broadcast_to(step_s, n).copy(),
        measured=measured,
        noise_std=np.broadcast_to(noise_std, (n, 6)).copy(),
        predicted_std=np.broadcast_to(predicted_std, (n, 6)).copy(),
        clear=np.ones(n, bool) if clear is None else clear,
        instrument=np.zeros(n, bool) if instrument is None else instrument,
        lumen=np.full((n + 1, 3), np.nan) if lumen is None else lumen,
    )
