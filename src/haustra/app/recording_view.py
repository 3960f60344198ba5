"""A recording to look at before it is located: any frame at once, the picture that was found, a proposed start."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import cv2
import numpy as np

from haustra.app.library import LibraryEntry
from haustra.camera.presets import MEASURED, PRESETS, camera_for_picture, load_camera
from haustra.camera.undistort import Undistorter
from haustra.core.arrays import Image
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import AUTO, GENERIC
from haustra.quality.cecum_classifier import central_square, open_cecum_network
from haustra.quality.thumbnails import to_jpeg
from haustra.video import Picture, Recording, find_picture, open_recording

LENSES = (GENERIC, AUTO, *MEASURED)
SIDE = 720  # pixels of the longer side of a frame that is shown
STILLS = 48
LIKELY_CECUM = 0.7
_OPEN_AT_A_TIME = 4

T = TypeVar("T")


@dataclass(eq=False)
class RecordingView:
    """One recording, opened; a decoder serves one question at a time."""

    recording: Recording
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @cached_property
    def picture(self) -> Picture:
        return find_picture(self.recording)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Length, size, the box of the endoscope picture, and the last moment that looks like the cecum."""
        with self._lock:
            box, problem = None, ""
            try:
                box = list(self.picture.box)
            except HaustraError as error:
                problem = str(error)
            times, scores = self._cecum_scores()
            likely = [time_s for time_s, score in zip(times, scores, strict=True) if score >= LIKELY_CECUM]
            return {
                "duration_s": self.recording.duration_s or (max(times) if times else 0.0),
                "size": [self.recording.width, self.recording.height],
                "box": box,
                "problem": problem,
                "cecum": {"t": times, "p": scores},
                "proposed_s": max(likely) if likely else None,
                "lenses": LENSES,
            }

    def frame(self, time_s: float, lens: str = "") -> bytes:
        """The frame at a time, or the last one before it ended, as JPEG; straightened where a lens is named."""
        with self._lock:
            image = self._image(time_s)
            if lens:
                image = self._straightened(image, lens)
        return _jpeg(image)

    def _image(self, time_s: float) -> Image:
        for earlier_s in (0.0, 0.5, 2.0, 10.0):  # a stated length may lie behind the last frame
            start_s = max(time_s - earlier_s, 0.0)
            try:
                frame = next(iter(self.recording.frames(rate_hz=None, start_s=start_s, threads=1)), None)
            except HaustraError:
                frame = None
            if frame is not None:
                return frame.image
        raise HaustraError("there is no frame at this time")

    def _straightened(self, image: Image, lens: str) -> Image:
        if lens not in PRESETS:
            raise HaustraError(f"'{lens}' is no lens to look through: choose of {', '.join(PRESETS)}")
        box = self.picture.box
        size = (box.width, box.height)
        camera = load_camera(GENERIC, size) if lens == GENERIC else load_camera(lens)
        if lens != GENERIC:
            camera = camera_for_picture(camera, (self.recording.width, self.recording.height), box)
        cut = image[box.y : box.y + box.height, box.x : box.x + box.width]
        return np.asarray(Undistorter(camera, size=(480, 480))(cut))

    def _cecum_scores(self) -> tuple[list[float], list[float]]:
        """How much a few frames spread over the recording look like the cecum: a quick look, not a measurement."""
        network = open_cecum_network()
        stills = sorted(self.recording.stills(STILLS), key=lambda still: still[0])
        scores = [float(network(central_square(image)[None])[0]) for _, image in stills]
        return [round(time_s, 2) for time_s, _ in stills], [round(score, 3) for score in scores]


class Recent(Generic[T]):
    """The last few that were asked for; what is made takes a moment to make."""

    def __init__(self, most: int = _OPEN_AT_A_TIME) -> None:
        self._kept: OrderedDict[tuple[Any, ...], T] = OrderedDict()
        self._lock = threading.Lock()
        self._most = most

    def get(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = make()
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return self._kept[key]


class RecordingViews:
    """Opened recordings, by their files as they are now."""

    def __init__(self) -> None:
        self._recent: Recent[RecordingView] = Recent()

    def of(self, source: LibraryEntry) -> RecordingView:
        marks = tuple((file, _changed(Path(file))) for file in source.files)
        return self._recent.get(marks, lambda: RecordingView(_opened(source)))


def _opened(source: LibraryEntry) -> Recording:
    return open_recording([Path(file) for file in source.files], fps=source.options.get("fps"))


def _changed(file: Path) -> int:
    return file.stat().st_mtime_ns if file.exists() else 0


def _jpeg(image: Image) -> bytes:
    scale = SIDE / max(image.shape[:2])
    if scale < 1:
        size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return to_jpeg(image)
