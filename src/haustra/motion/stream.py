"""Stages 3 to 5 over chunks of samples: undistort the pictures, measure the motion of successive ones, find the lumen.

Pairs with a dropped frame are measured, too: a measurement comes with its predicted standard deviation, so a blurred
frame counts for little. Such measurements are similar from one pair to the next, so the network runs, without the
refinement, on every second of these pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import cv2
import numpy as np

from haustra.camera import Camera
from haustra.core.arrays import FloatArray, Image
from haustra.core.onnx import batches
from haustra.motion.canonical_frames import CanonicalView
from haustra.motion.estimator_pool import EstimatorPool
from haustra.motion.lumen import LumenView
from haustra.motion.parameters import PairParameters
from haustra.quality.classifier import Map
from haustra.quality.samples import SampledFrame
from haustra.results.observations import Observations
from haustra.video import Picture


@dataclass(frozen=True)
class PreviousFrame:
    """The last frame so far that shows anything: the next pair begins with it."""

    time_s: float
    picture: Image
    kept: bool


@dataclass(frozen=True)
class _Pair:
    row: int  # of the second frame
    clear: bool  # both frames are kept
    a: Image
    b: Image


class MotionStream:
    """Measures a recording whose `picture` was taken with the lens `camera`. No pair lies across one of the breaks."""

    def __init__(
        self, estimators: EstimatorPool, picture: Picture, camera: Camera, breaks_s: Sequence[float] = ()
    ) -> None:
        self._estimators, self.parameters = estimators, estimators.parameters
        self._breaks_s = breaks_s
        self._straighten = CanonicalView(picture, camera, estimators.size, estimators.fov_deg)
        self._lumen = LumenView(self._straighten.mask, estimators.fov_deg, self.parameters.lumen)
        self.camera = self._straighten.camera

    def observe(
        self,
        chunks: Iterable[tuple[Sequence[SampledFrame], Observations]],
        previous: PreviousFrame | None = None,
        run: Map = map,
    ) -> Iterator[Observations]:
        """The chunks with motion and lumen; `previous` is the frame, as decoded, before the first of them."""
        if previous is not None:
            previous = replace(previous, picture=self._straighten(previous.picture))
        for samples, seen in chunks:
            shown = [i for i, sample in enumerate(samples) if not sample.reason]
            straight = run(self._straighten, [samples[i].picture for i in shown])
            pictures = dict(zip(shown, straight, strict=True))
            pairs, previous = _pairs(seen, pictures, previous, self.parameters.pairs, self._breaks_s)
            motion, std = self._motion(len(seen), pairs, run)
            yield replace(seen, motion=motion, motion_std=std, lumen=self._lumens(seen, pictures, run))

    def _motion(self, count: int, pairs: Sequence[_Pair], run: Map) -> tuple[FloatArray, FloatArray]:
        """Motion and its standard deviation, each (count, 6), in the rows of the pairs' second frames."""

        def measure(batch: Sequence[_Pair]) -> tuple[FloatArray, FloatArray]:
            a, b = (np.stack(frames) for frames in zip(*((pair.a, pair.b) for pair in batch), strict=True))
            with self._estimators.borrowed() as estimator:
                found = (estimator.measure if batch[0].clear else estimator.measure_low_quality)(a, b)
            return found.motion, found.std

        motion, std = np.full((2, count, 6), np.nan)
        alike = [batch for clear in (True, False) for batch in batches([p for p in pairs if p.clear is clear])]
        for batch, found in zip(alike, run(measure, alike), strict=True):
            rows = [pair.row for pair in batch]
            motion[rows], std[rows] = found
        return motion, std

    def _lumens(self, seen: Observations, pictures: Mapping[int, Image], run: Map) -> FloatArray:
        kept = np.flatnonzero(seen.kept).tolist()
        result = np.full((len(seen), 3), np.nan)
        for i, lumen in zip(kept, run(self._lumen, [pictures[i] for i in kept]), strict=True):
            result[i] = lumen
        return result


def _pairs(
    seen: Observations,
    pictures: Mapping[int, Image],
    previous: PreviousFrame | None,
    parameters: PairParameters,
    breaks_s: Sequence[float] = (),
) -> tuple[list[_Pair], PreviousFrame | None]:
    """The pairs of a chunk to measure, and the frame that the first pair of the next chunk begins with."""
    pairs = []
    for i, picture in pictures.items():
        frame = PreviousFrame(float(seen.time_s[i]), picture, bool(seen.kept[i]))
        if previous is not None and _are_neighbours(previous.time_s, frame.time_s, parameters.longest_s, breaks_s):
            clear = frame.kept and previous.kept
            if clear or i % parameters.low_quality_every == 0:
                pairs.append(_Pair(i, clear, previous.picture, picture))
        previous = frame
    return pairs, previous


def _are_neighbours(a_s: float, b_s: float, longest_s: float, breaks_s: Sequence[float]) -> bool:
    return b_s - a_s <= longest_s and not any(a_s < break_s <= b_s for break_s in breaks_s)


@contextmanager
def opencv_on_one_thread() -> Iterator[None]:
    """Set OpenCV's number of threads, which belongs to the process, to one, and back at the end.

    DIS flow cuts the picture into as many stripes as OpenCV has threads: its result would depend on them.
    """
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)
