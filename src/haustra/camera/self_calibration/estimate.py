"""The lens of a recording, estimated from the recording: bursts of frames spread over it, tracked, solved together."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from haustra.camera.model import Camera
from haustra.camera.self_calibration.lens import PRIOR_MEAN, PRIOR_STD, Rim, angles, as_camera, picture_rim
from haustra.camera.self_calibration.solve import LensEstimate, solve_lens
from haustra.camera.self_calibration.tracks import TrackedPair, track_through
from haustra.core.arrays import FloatArray, Mask
from haustra.video import Picture, Recording

# Bursts of frames, spread evenly; each gives at most one pair. Fewer pairs than FEWEST say too little.
BURSTS = 120
FEWEST_PAIRS = 25
BURST_S = 0.55
RATE_HZ = 15.0
SIDE = 480  # pixels: longer side of the frames that are tracked
EDGE = 9  # pixels: corners of the rim itself are no tissue
# Above this deviation of the angle at half the rim the recording has told less than the prior.
UNSURE_DEG = 4.0


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
        return _lens(PRIOR_MEAN, np.diag(PRIOR_STD**2), rim, first, len(tracked), None)
    found = solve_lens(tracked, rim.scaled(factor))
    estimate = _lens(found.lens, found.covariance, rim, first, found.pairs, found)
    if estimate.half_std_deg > UNSURE_DEG:
        return _lens(PRIOR_MEAN, np.diag(PRIOR_STD**2), rim, first, found.pairs, None)
    return estimate


def generic_lens(picture: Picture) -> Camera:
    """The lens of an ordinary colonoscope, scaled by the rim of this picture."""
    return as_camera(PRIOR_MEAN, picture_rim(picture.mask), picture.box.width, picture.box.height)


def tracked_pairs(recording: Recording, picture: Picture) -> list[TrackedPair]:
    """Pairs from bursts spread over a recording."""
    size = _working_size(picture)
    inside = _inside(picture, size)
    length_s = recording.duration_s or BURST_S * BURSTS
    starts = np.linspace(0.0, max(length_s - BURST_S, 0.0), min(BURSTS, max(int(length_s / BURST_S), 1)))
    pairs = []
    for start_s in starts:
        frames = recording.frames(
            rate_hz=RATE_HZ, start_s=float(start_s), end_s=float(start_s) + BURST_S, size=size, crop=picture.box
        )
        pairs += track_through([(frame.time_s, frame.image) for frame in frames], inside)
    return pairs


def _lens(
    lens: FloatArray, covariance: FloatArray, rim: Rim, picture: Picture, pairs: int, found: LensEstimate | None
) -> RecordedLens:
    rim_deg, rim_std = _angle_deg(lens, covariance, 1.0)
    half_deg, half_std = _angle_deg(lens, covariance, 0.5)
    camera = as_camera(lens, rim, picture.box.width, picture.box.height)
    residual = None if found is None else found.residual_px
    return RecordedLens(camera, found is not None, pairs, residual, rim_deg, rim_std, half_deg, half_std)


def _angle_deg(lens: FloatArray, covariance: FloatArray, rho: float) -> tuple[float, float]:
    """Angle off the axis and its standard deviation (delta method), in degrees."""
    at = np.array(rho)
    step = 1e-6
    gradient = np.array([(angles(lens + e, at) - angles(lens - e, at)) / (2 * step) for e in step * np.eye(len(lens))])
    std = np.sqrt(max(float(gradient @ covariance @ gradient), 0.0))
    return float(np.degrees(angles(lens, at))), float(np.degrees(std))


def _working_size(picture: Picture) -> tuple[int, int]:
    factor = min(SIDE / max(picture.box.width, picture.box.height), 1.0)
    return round(picture.box.width * factor), round(picture.box.height * factor)


def _inside(picture: Picture, size: tuple[int, int]) -> Mask:
    mask = cv2.resize(picture.mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.erode(np.pad(mask, EDGE), np.ones((EDGE, EDGE), np.uint8))[EDGE:-EDGE, EDGE:-EDGE] > 0)
