"""Frames of a recording as the networks see them: the endoscope picture in the canonical camera, decoded small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from haustra.camera import Camera, camera_for_picture
from haustra.motion.canonical import CANONICAL_FOV_DEG, canonical_view
from haustra.video import Frame, Picture, Recording
from haustra.video.standard import masked

# Height of the decoded picture over that of the network's: a typical lens then gives 1.5 pixels for each of its own.
DECODE_SCALE = 1.6


class CanonicalView:
    """Resamples the endoscope picture, at any resolution, to the canonical camera; `camera` is that of the picture.

    `mask` (size, size) is True where the lens shows something; outside it, on the surround and on insets, frames are 0.
    """

    def __init__(self, picture: Picture, camera: Camera, size: int, fov_deg: float = CANONICAL_FOV_DEG) -> None:
        self.size = size
        self.camera = camera_for_picture(camera, (picture.frame_width, picture.frame_height), picture.box)
        self._view = canonical_view(self.camera, size, fov_deg)
        self.mask: NDArray[np.bool_] = self._view.undistort_mask(picture.mask)

    def __call__(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return np.asarray(masked(self._view(picture), self.mask), np.uint8)


class CanonicalFrames:
    """Frames of `recording` in the canonical camera, decoded no larger than it needs."""

    def __init__(
        self, recording: Recording, picture: Picture, camera: Camera, size: int, fov_deg: float = CANONICAL_FOV_DEG
    ) -> None:
        self._recording, self._box = recording, picture.box
        height = round(DECODE_SCALE * size)
        self._size = (max(2, round(picture.box.width * height / picture.box.height)), height)
        self._view = CanonicalView(picture, camera, size, fov_deg)
        self.mask = self._view.mask

    def __call__(
        self, *, start_s: float = 0.0, end_s: float | None = None, rate_hz: float = 15.0, threads: int | None = None
    ) -> Iterator[Frame]:
        """Undistorted frames with their index and time."""
        frames = self._recording.frames(
            rate_hz=rate_hz, start_s=start_s, end_s=end_s, size=self._size, crop=self._box, threads=threads
        )
        for frame in frames:
            yield replace(frame, image=self._view(frame.image))
