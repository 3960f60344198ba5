"""The lens of a recording, estimated from the recording: bursts of frames spread over it, tracked, solved together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from haustra.camera.model import Camera
from haustra.camera.rim import Rim, picture_rim
from haustra.camera.self_calibration.lens import PRIOR_MEAN, PRIOR_STD, angles, as_camera
from haustra.camera.self_calibration.solve import LensEstimate, solve_lens
from haustra.camera.self_calibration.tracks import TrackedPair, track_through
from haustra.core.arrays import FloatArray, Mask
from haustra.core.errors import HaustraError
from haustra.video import Picture, Recording
from haustra.video.bursts import burst_starts

# Bursts of frames, spread evenly; each gives at most one pair. Fewer pairs than FEWEST say too little.
BURSTS = 120
FEWEST_PAIRS = 25
BURST_S = 0.55
RATE_HZ = 15.0
SIDE = 480  # pixels: longer side of the frames that are tracked
EDGE = 9  # pixels: corners of the rim itself are no tissue
# Above this deviation of the angle at half the rim the recording has told less than the prior.
UNSURE_DEG = 4.0
# Tissue that moves and shading that moves with the lamp bias every pair alike, which the residuals do not show: share
# of the angle, from development recordings of simulated and foreign colons.
COMMON_ERROR = 0.04
DIGITS = 6  # of the lens parameters: the last bits depend on how many threads added them up


@dataclass(frozen=True)
class RecordedLens:
    """The lens of a picture, and how it was found. `estimated` is False where the recording says too little.

    Angles are off the optical axis, in degrees, at the rim and at half of it, with their standard deviations.
    """

    camera: Camera
    estimated: bool
    pairs: int
    residual_px: float | None
    rim_deg: float
    rim_std_deg: float
    half_deg: float
    half_std_deg: float


def lens_from_recordings(recordings: list[tuple[Recording, Picture]]) -> RecordedLens:
    """One lens for recordings of one scope and recorder layout; the camera is that of the first one's picture."""
    (_, first), *_ = recordings
    rim = picture_rim(first.mask)
    tracked = [pair for recording, picture in recordings for pair in tracked_pairs(recording, picture)]
    factor = _working_size(first)[0] / first.box.width
    if len(tracked) < FEWEST_PAIRS:
        return typical_lens(first, len(tracked))
    found = solve_lens(tracked, rim.scaled(factor))
    estimate = _lens(np.round(found.lens, DIGITS), found.covariance, rim, first, found)
    return estimate if estimate.half_std_deg <= UNSURE_DEG else typical_lens(first, found.pairs)


def typical_lens(picture: Picture, pairs: int = 0) -> RecordedLens:
    """The lens of an ordinary colonoscope, scaled by the rim of this picture: what is known beforehand."""
    lens = _lens(PRIOR_MEAN, np.diag(PRIOR_STD**2), picture_rim(picture.mask), picture)
    return replace(lens, pairs=pairs)


def tracked_pairs(recording: Recording, picture: Picture) -> list[TrackedPair]:
    """Pairs from bursts spread over a recording."""
    size = _working_size(picture)
    inside = _inside(picture, size)
    pairs = []
    for start_s in burst_starts(recording, BURSTS, BURST_S):
        frames = recording.frames(
            rate_hz=RATE_HZ, start_s=start_s, end_s=start_s + BURST_S, size=size, crop=picture.box, threads=1
        )
        try:
            pairs += track_through([(frame.time_s, frame.image) for frame in frames], inside)
        except HaustraError:  # a file that was cut off ends before its stated length
            break
    return pairs


def _lens(
    lens: FloatArray, covariance: FloatArray, rim: Rim, picture: Picture, found: LensEstimate | None = None
) -> RecordedLens:
    common = 0.0 if found is None else COMMON_ERROR
    camera = as_camera(lens, rim, picture.box.width, picture.box.height)
    at_rim, at_half = (_angle_deg(lens, covariance, rho, common) for rho in (1.0, 0.5))
    pairs, residual = (0, None) if found is None else (found.pairs, found.residual_px)
    return RecordedLens(camera, found is not None, pairs, residual, *at_rim, *at_half)


def _angle_deg(lens: FloatArray, covariance: FloatArray, rho: float, common: float) -> tuple[float, float]:
    """Angle off the axis and its standard deviation (delta method, with the common error as a share), in degrees."""
    at = np.array(rho)
    step = 1e-6
    gradient = np.array([(angles(lens + e, at) - angles(lens - e, at)) / (2 * step) for e in step * np.eye(len(lens))])
    angle = float(angles(lens, at))
    std = np.sqrt(max(float(gradient @ covariance @ gradient), 0.0) + (common * angle) ** 2)
    return float(np.degrees(angle)), float(np.degrees(std))


def _working_size(picture: Picture) -> tuple[int, int]:
    factor = min(SIDE / max(picture.box.width, picture.box.height), 1.0)
    return round(picture.box.width * factor), round(picture.box.height * factor)


def _inside(picture: Picture, size: tuple[int, int]) -> Mask:
    mask = cv2.resize(picture.mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.erode(np.pad(mask, EDGE), np.ones((EDGE, EDGE), np.uint8))[EDGE:-EDGE, EDGE:-EDGE] > 0)
