"""What is true about every frame, as rows in memory and as `truth.parquet`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from haustra.core.arrays import FloatArray
from haustra.core.poses import to_translation_quaternion
from haustra.core.vocabulary import SEGMENTS

# The seven annotated times: entering each segment for the first time, and the stop.
MOMENTS = (*SEGMENTS, "stop")


@dataclass(frozen=True, eq=False)
class Truth:
    """One frame: camera-to-world pose in mm, place in the colon, and what the frame is good for.

    `phase` is before, insertion, withdrawal or after; `reason` says why a frame is non-informative ("" when it is
    informative); `forceps` is true while an instrument is in view.
    """

    frame: int
    time_s: float
    T_w_c: FloatArray
    arc_mm: float
    location_index: float
    segment: str
    phase: str
    reason: str
    forceps: bool

    @property
    def informative(self) -> bool:
        return self.reason == ""


def truth_table(rows: Sequence[Truth]) -> pl.DataFrame:
    """The table of `truth.parquet`, one row per frame of the video."""
    t, q = to_translation_quaternion(np.stack([row.T_w_c for row in rows]))
    return pl.DataFrame(
        {
            "frame": pl.Series([row.frame for row in rows], dtype=pl.Int64),
            "time_s": [row.time_s for row in rows],
            **{name: t[:, i] for i, name in enumerate(("tx", "ty", "tz"))},
            **{name: q[:, i] for i, name in enumerate(("qx", "qy", "qz", "qw"))},
            "arc_mm": [row.arc_mm for row in rows],
            "location_index": [row.location_index for row in rows],
            "segment": [row.segment for row in rows],
            "phase": [row.phase for row in rows],
            "informative": [row.informative for row in rows],
            "reason": [row.reason for row in rows],
            "forceps": [row.forceps for row in rows],
        }
    )


def annotated_times(rows: Sequence[Truth], boundaries_mm: FloatArray) -> dict[str, float]:
    """The seven times in seconds as a physician would note them: each segment is entered when it is first reached."""
    withdrawal = [row for row in rows if row.phase == "withdrawal"]
    arc = np.array([row.arc_mm for row in withdrawal])
    first = [int(np.argmax(arc >= boundary - 1e-9)) for boundary in boundaries_mm[1:-1]]
    frames = [0, *first, len(withdrawal) - 1]
    return {name: withdrawal[i].time_s for name, i in zip(MOMENTS, frames, strict=True)}
