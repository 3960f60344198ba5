"""Stretches of a recording that are looked at: neighbouring samples, spread over it.

The motion network gets what `locate` gives it: decoded small, then undistorted. Points are matched on larger pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera import Camera
from haustra.camera.self_calibration.tracks import grey
from haustra.core.arrays import FloatArray, Image, Images, Mask
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import BLANK
from haustra.motion.canonical_frames import CanonicalView
from haustra.quality import FrameClassifier, fitted_size
from haustra.quality.prefilter import SAME_BELOW, thinned
from haustra.results.observations import Observations
from haustra.video import Frame, Picture, Recording
from haustra.video.bursts import burst_starts
from haustra.video.clock import on_grid
from haustra.video.recording import RATE_HZ

STRETCHES = 24
SAMPLES = 13  # of a stretch: 0.8 s at the usual rate
LONGEST_S = 4.0  # of a stretch, where a recording has few frames a second
MATCH_SIDE = 384  # pixels: pictures that points are matched on
DECODED_SIDE = 480  # pixels: longer side of the decoded picture
NETWORK_SIDE = 256  # the same as the networks get it, as in `locate`


@dataclass(frozen=True)
class SampledStretch:
    """Samples of a stretch: RGB as decoded and as the motion network sees them (n, S, S, 3), grey for matching.

    `read` frames were read in all, `repeated` of them are the one before once more.
    """

    time_s: FloatArray
    decoded: Images
    frames: Images
    matchable: Images
    read: int
    repeated: int
    seen: Observations | None = None

    @property
    def kept(self) -> Mask:
        assert self.seen is not None
        return self.seen.kept

    @property
    def shown(self) -> NDArray[np.intp]:
        """Rows of the samples that show something new, as `locate` makes pairs of them."""
        assert self.seen is not None
        return np.array([i for i, reason in enumerate(self.seen.reason) if reason not in BLANK], np.intp)


class StretchReader:
    """Reads stretches of a recording whose `picture` was taken with the lens `camera`."""

    def __init__(self, recording: Recording, picture: Picture, camera: Camera, size: int, fov_deg: float) -> None:
        self._recording, self._picture = recording, picture
        box = picture.box
        self._size = fitted_size(box.width, box.height, min(DECODED_SIDE, max(box.width, box.height)))
        self._network = fitted_size(box.width, box.height, NETWORK_SIDE)
        self._view = CanonicalView(picture, camera, size, fov_deg)
        self._large = CanonicalView(picture, camera, MATCH_SIDE, fov_deg)
        self.mask, self.match_mask = self._view.mask, self._large.mask

    def stretches(self, from_s: float = 0.0, to_s: float | None = None) -> Iterator[SampledStretch]:
        """Those that have at least two samples, in the order of time."""
        length_s = self._length_s(from_s)
        end_s = min(self._recording.duration_s or np.inf, np.inf if to_s is None else to_s)
        fitting = STRETCHES if end_s == np.inf else int((end_s - from_s) / length_s)
        for start_s in burst_starts(self._recording, min(STRETCHES, max(fitting, 1)), length_s, from_s, to_s):
            try:
                stretch = self._read(start_s, start_s + length_s)
            except HaustraError:  # a file that was cut off ends before its stated length
                return
            if stretch is not None:
                yield stretch

    def _length_s(self, from_s: float) -> float:
        """How long a stretch has to be for enough different samples."""
        length_s = SAMPLES / min(RATE_HZ, self._recording.frame_rate)
        first = self._read(from_s, from_s + length_s)
        new = 1.0 if first is None else 1.0 - first.repeated / first.read
        rate_hz = min(RATE_HZ, max(new, 0.1) * self._recording.frame_rate)
        return min(SAMPLES / rate_hz, LONGEST_S)

    def _read(self, start_s: float, end_s: float) -> SampledStretch | None:
        frames: list[Frame] = []
        read, repeated, before = 0, 0, None
        for frame in self._recording.frames(
            rate_hz=None, start_s=start_s, end_s=end_s, size=self._size, crop=self._picture.box, threads=1
        ):
            thin = thinned(frame.image)
            repeated += before is not None and float(cv2.absdiff(thin, before[1]).mean()) < SAME_BELOW
            read += 1
            if on_grid(None if before is None else before[0], frame.time_s, RATE_HZ):
                frames.append(frame)
            before = frame.time_s, thin
        if len(frames) < 2:
            return None
        decoded = np.stack([_smaller(frame.image, self._network) for frame in frames])
        return SampledStretch(
            np.array([frame.time_s for frame in frames]),
            decoded,
            np.stack([self._view(image) for image in decoded]),
            np.stack([grey(self._large(frame.image)) for frame in frames]),
            read,
            repeated,
        )


def classified(stretch: SampledStretch, classifier: FrameClassifier) -> SampledStretch:
    """The stretch with what the frame classifier says about its samples."""
    frames = (
        Frame(k, float(t), image) for k, (t, image) in enumerate(zip(stretch.time_s, stretch.decoded, strict=True))
    )
    seen = Observations.concatenated([found for _, found in classifier.observe(classifier.samples(frames))])
    return replace(stretch, seen=seen)


def _smaller(image: Image, size: tuple[int, int]) -> Image:
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
