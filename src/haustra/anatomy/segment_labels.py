"""Segment labels of a withdrawal by one of three methods: template (the paper's), clock, or decoder (all evidence)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.anatomy.bends import BendNetwork, bend_likelihood
from haustra.anatomy.cecum import cecum_likelihood
from haustra.anatomy.decoder import Decoded, decode_segments
from haustra.anatomy.exact_landmarks import constrain_probabilities, constrain_segments, exact_rows, with_coinciding
from haustra.anatomy.intervals import steady_segments
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.parameters import AnatomyParameters
from haustra.anatomy.template import Template
from haustra.anatomy.template_segments import segment_probabilities, segments_of
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import BOUNDARIES, SEGMENTS, Naming, segment_name
from haustra.path.indices import time_index
from haustra.path.withdrawal import Withdrawal
from haustra.quality.cecum_classifier import CecumScores
from haustra.results.table import PROBABILITY_COLUMNS


@dataclass(frozen=True)
class Labelling:
    """How segments are labelled: the method, and what it may use besides the withdrawal itself.

    Without a bend network the shape of the path is not used. Segments less probable than `abstain` are not named.
    `leave_out` names sources of evidence that the decoder does not use on whole colons.
    """

    template: Template
    naming: Naming = Naming.DECODER
    landmarks: tuple[Landmark, ...] = ()
    bend_network: BendNetwork | None = None
    abstain: float | None = None
    leave_out: tuple[str, ...] = ()
    parameters: AnatomyParameters = field(default_factory=AnatomyParameters)


def label_segments(
    withdrawal: Withdrawal, labelling: Labelling, cecum: CecumScores | None = None
) -> tuple[dict[str, Any], Decoded | None]:
    """The columns `segment` and `p_...` of every frame, and the decoder's result (None for the template method).

    Where the location index is not a place in the colon, no segment is named.
    """
    template, naming, landmarks = labelling.template, labelling.naming, labelling.landmarks
    check_landmarks(landmarks, naming, withdrawal.start_s, withdrawal.end_s)
    check_anatomy(landmarks, template)
    index, std = withdrawal.index, withdrawal.std
    if not withdrawal.extent.has_places:
        if landmarks:
            raise HaustraError(
                f"how much of a colon this shows is {withdrawal.extent.value}, so the landmarks would be ignored: "
                "say with --from and --to where it begins and ends"
            )
        return segment_columns(np.zeros(len(index), np.int64), np.full((len(index), len(SEGMENTS)), np.nan)), None
    time_s = withdrawal.seen.time_s
    if naming is Naming.TEMPLATE:
        exact = with_coinciding(exact_rows(time_s, landmarks), template.missing)
        probabilities = constrain_probabilities(segment_probabilities(index, std, template), exact)
        return segment_columns(constrain_segments(segments_of(index, template), exact), probabilities), None
    decoded = _decoded(withdrawal, labelling, cecum)
    segment = steady_segments(time_s, decoded.segments, labelling.parameters.decoder)
    return segment_columns(segment, decoded.probabilities), decoded


def _decoded(withdrawal: Withdrawal, labelling: Labelling, cecum: CecumScores | None) -> Decoded:
    """Decode with the evidence that applies: durations, path shape and cecum views describe whole colons only.

    The durations are those of single segments: they hold where others are missing.
    """
    template, landmarks, parameters = labelling.template, labelling.landmarks, labelling.parameters
    time_s, index, std = withdrawal.seen.time_s, withdrawal.index, withdrawal.std
    whole = _is_whole(index, template)
    if labelling.naming is Naming.TIME:
        if not whole:
            raise HaustraError("the clock tells segments of whole colons alone: choose --segments decoder or template")
        return decode_segments(
            time_s, time_index(time_s).index, None, template, parameters.decoder, landmarks=landmarks
        )
    if not whole:
        return decode_segments(time_s, index, std, template, parameters.decoder, landmarks=landmarks, whole=False)
    return decode_segments(
        time_s,
        index,
        std,
        template,
        parameters.decoder,
        bends=_bends(withdrawal, labelling),
        cecum=_cecum(withdrawal, labelling, cecum),
        landmarks=landmarks,
        leave_out=labelling.leave_out,
    )


def _is_whole(index: FloatArray, template: Template) -> bool:
    """Whether the withdrawal reaches from the first segment to the last."""
    first, *_, last = template.mean[template.mean > 0]
    return bool(index[0] <= first and index[-1] >= 1 - last)


def _cecum(withdrawal: Withdrawal, labelling: Labelling, cecum: CecumScores | None) -> FloatArray | None:
    """The likelihood from views of the cecum; None where nobody looked, or where there is none to see."""
    if cecum is None or labelling.template.mean[0] == 0:
        return None
    return cecum_likelihood(cecum, withdrawal.seen.time_s, withdrawal.index, labelling.parameters.cecum)


def _bends(withdrawal: Withdrawal, labelling: Labelling) -> FloatArray | None:
    """The likelihood from the path's shape; None where there is hardly a path, or a segment is missing.

    The network learnt from whole colons.
    """
    network, parameters = labelling.bend_network, labelling.parameters
    positions, kept = withdrawal.trajectory.positions, withdrawal.seen.kept
    if (
        labelling.template.missing
        or network is None
        or len(positions) < parameters.decoder.fewest_poses
        or not np.ptp(positions, axis=0).max() > 0
    ):
        return None
    index, rotation_std = withdrawal.index[kept], withdrawal.gap_rotation_std[kept]
    return bend_likelihood(network, positions, index, rotation_std, parameters.bends)


def segment_columns(segment: NDArray[np.int64], probabilities: FloatArray) -> dict[str, Any]:
    """The segment's name and the probability of each segment, as columns of the frame table."""
    return {
        "segment": [segment_name(number) for number in segment],
        **dict(zip(PROBABILITY_COLUMNS, probabilities.T, strict=True)),
    }


def check_anatomy(landmarks: Sequence[Landmark], template: Template) -> None:
    """Refuse landmarks of a colon of which segments are missing, where nothing is entered or nothing was left."""
    for landmark in landmarks:
        before, entered = SEGMENTS[: landmark.boundary], SEGMENTS[landmark.boundary]
        if entered in template.missing or all(name in template.missing for name in before):
            gone = " and ".join(template.missing)
            raise HaustraError(f"landmark {entered} at {landmark.time_s:g} s: without {gone} there is no such boundary")


def check_landmarks(landmarks: Sequence[Landmark], naming: Naming, start_s: float, end_s: float) -> None:
    """Refuse landmarks that would be ignored or lie outside the withdrawal."""
    if naming is Naming.TEMPLATE and not all(landmark.exact for landmark in landmarks):
        raise HaustraError("the template takes no landmark with a tolerance: use --segments decoder with it")
    for landmark in landmarks:
        if not start_s <= landmark.time_s <= end_s:
            names = "/".join(BOUNDARIES[landmark.boundary - 1].names)
            raise HaustraError(
                f"landmark {names} at {landmark.time_s:g} s is outside the withdrawal ({start_s:g} to {end_s:g} s)"
            )
