"""How the segments of a withdrawal are named: by the template (the paper's way), the clock, or all that is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.anatomy.bends import bend_likelihood
from haustra.anatomy.cecum import Sightings, cecum_likelihood
from haustra.anatomy.decoder import Decoded, decode_segments
from haustra.anatomy.landmarks import BOUNDARY_OF, Landmark
from haustra.anatomy.segments import segment_probabilities, segments_of
from haustra.anatomy.template import Template
from haustra.errors import HaustraError
from haustra.path.indices import time_index
from haustra.path.withdrawal import Withdrawal
from haustra.poses import FloatArray
from haustra.table import PROBABILITY_COLUMNS
from haustra.terms import SEGMENTS, Naming

FEWEST_POSES = 50  # fewer say nothing about a course


def parse_naming(text: str) -> Naming:
    """One of the three ways, by its name."""
    try:
        return Naming(text)
    except ValueError as error:
        raise HaustraError(f"segments cannot be named by '{text}': choose {', '.join(Naming)}") from error


def name_segments(
    withdrawal: Withdrawal,
    template: Template,
    naming: Naming,
    landmarks: Sequence[Landmark] = (),
    sightings: Sightings | None = None,
) -> tuple[dict[str, Any], Decoded | None]:
    """The columns `segment` and `p_...` of every frame, and what the decoder found where it was asked.

    Where the location index is no place in the colon, no segment is named.
    """
    check_landmarks(landmarks, naming, withdrawal.start_s, withdrawal.end_s)
    index, std = withdrawal.index, withdrawal.std
    if not withdrawal.extent.has_places:
        if landmarks:
            raise HaustraError(
                f"how much of a colon this shows is {withdrawal.extent.value}, so the landmarks would be ignored: "
                "say with --from and --to where it begins and ends"
            )
        return segment_columns(np.zeros(len(index), np.int64), np.full((len(index), len(SEGMENTS)), np.nan)), None
    if naming is Naming.TEMPLATE:
        return segment_columns(segments_of(index, template), segment_probabilities(index, std, template)), None
    whole = _is_whole(index, template)
    if naming is Naming.TIME and not whole:
        raise HaustraError("the clock tells segments of whole colons alone: choose --segments decoder or template")
    time_s = withdrawal.seen.time_s
    if naming is Naming.TIME:
        decoded = decode_segments(time_s, time_index(time_s).index, None, template, landmarks=landmarks)
    elif not whole:
        decoded = decode_segments(time_s, index, std, template, landmarks=landmarks, whole=False)
    else:
        cecum = None if sightings is None else cecum_likelihood(sightings, time_s, index)
        decoded = decode_segments(
            time_s, index, std, template, bends=_bends(withdrawal), cecum=cecum, landmarks=landmarks
        )
    return segment_columns(decoded.segments, decoded.probabilities), decoded


def _is_whole(index: FloatArray, template: Template) -> bool:
    """From the cecum to the rectum: bends, durations and what looks like a cecum are those of whole colons."""
    return bool(index[0] <= template.mean[0] and index[-1] >= 1 - template.mean[-1])


def _bends(withdrawal: Withdrawal) -> FloatArray | None:
    """What the course says; nothing where there is hardly a path."""
    trajectory, kept = withdrawal.trajectory, withdrawal.seen.kept
    if len(trajectory.positions) < FEWEST_POSES or not np.ptp(trajectory.positions, axis=0).max() > 0:
        return None
    index, std = withdrawal.index[kept], withdrawal.std[kept]
    return bend_likelihood(trajectory.positions, index, std, withdrawal.turn_std[kept])


def segment_columns(segment: NDArray[np.int64], probabilities: FloatArray) -> dict[str, Any]:
    """Segment by name, and the six probabilities."""
    return {
        "segment": [SEGMENTS[number - 1] if number else "" for number in segment],
        **dict(zip(PROBABILITY_COLUMNS, probabilities.T, strict=True)),
    }


def check_landmarks(landmarks: Sequence[Landmark], naming: Naming, start_s: float, end_s: float) -> None:
    """A landmark that would be ignored, or lies outside the withdrawal, is a mistake."""
    if landmarks and naming is Naming.TEMPLATE:
        raise HaustraError("the template takes no landmarks: use --segments decoder or --segments time with them")
    for landmark in landmarks:
        if not start_s <= landmark.time_s <= end_s:
            names = "/".join(name for name, number in BOUNDARY_OF.items() if number == landmark.boundary)
            raise HaustraError(
                f"landmark {names} at {landmark.time_s:g} s is outside the withdrawal ({start_s:g} to {end_s:g} s)"
            )


def boundaries_summary(decoded: Decoded) -> list[dict[str, Any]]:
    """For summary.json: when each segment is entered, one standard deviation around it, and what decided it."""
    return [
        {
            "segment": SEGMENTS[k + 1],
            "entered_s": round(float(decoded.entered_s[k, 1]), 3),
            "between_s": [round(float(decoded.entered_s[k, side]), 3) for side in (0, 2)],
            "decided_by": {name: round(float(by[k]), 3) for name, by in decoded.decided_by.items()},
        }
        for k in range(5)
    ]
