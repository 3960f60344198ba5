"""Stages 3 to 5 over the stream of judged chunks: undistort the pictures, flow and motion of successive ones.

Dropped frames are asked, too: each motion comes with its uncertainty, so a blurred frame says what it knows. What they
know is little and alike from one to the next: the network alone is asked, about every second of them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera import Camera
from haustra.chunks import Chunk, Image, Judged, SampledFrame, Thumbnail, batches, joined
from haustra.motion.frames import CanonicalView
from haustra.motion.lumen import LumenView
from haustra.motion.methods import MotionMethod, open_motion
from haustra.poses import FloatArray
from haustra.quality import Thresholds, decide
from haustra.quality.judge import Map
from haustra.quality.thumbnails import clearest, to_jpeg
from haustra.video import Picture

# Up to here a pair is worth estimating; flow over a longer time has nothing to hold on to.
LONGEST_PAIR_S = 0.5

# Of the pairs with a dropped frame one in so many is asked: locations are as good, at half of the cost.
POOR_EVERY = 2

JudgedChunk = tuple[Sequence[SampledFrame], Judged]
_Pair = tuple[int, Image, Image]  # the place of the second frame in its chunk, and both frames


class MotionStream:
    """The lens, the flow and the motion network of a run; each thread has an estimator of its own.

    `method` is what `open_motion` opens (None: the shipped network), `flow` a name (None: what it was trained on).
    """

    def __init__(self, picture: Picture, camera: Camera, method: str | Path | None, flow: str | None) -> None:
        self._method, self._flow = method, flow
        self._local = threading.local()
        first = self._make()
        self._unused = [first]
        self.path, self.recipe, self.flow_name = first.path, first.recipe, flow or first.flow_name
        self._straighten = CanonicalView(picture, camera, first.size, first.fov_deg)
        self._lumen = LumenView(self._straighten.mask, first.fov_deg)
        self.camera = self._straighten.camera

    def chunks(
        self, judged: Iterable[JudgedChunk], before: Chunk | None, thresholds: Thresholds, run: Map = map
    ) -> Iterator[Chunk]:
        """The chunks with the motion of their pairs, each as soon as the one after it has been judged.

        A biopsy takes out a second on either side, so what is kept depends on the chunks `before` and after.
        """
        held: JudgedChunk | None = None
        for chunk in judged:
            if held is not None:
                before = self._chunk(*held, before, chunk[1], thresholds, run)
                yield before
            held = chunk
        if held is not None:
            yield self._chunk(*held, before, None, thresholds, run)

    def _chunk(
        self,
        samples: Sequence[SampledFrame],
        judged: Judged,
        before: Chunk | None,
        after: Judged | None,
        thresholds: Thresholds,
        run: Map,
    ) -> Chunk:
        around = joined([chunk for chunk in (before, judged, after) if chunk is not None])
        first = 0 if before is None else len(before)
        every = decide(around, thresholds)[0]
        kept = every[first : first + len(judged)]
        pictures = self._straight(samples, run)
        measured, last_s, last = self._motion(samples, pictures, kept, before, bool(first and every[first - 1]), run)
        shown = [samples[i] for i in clearest(judged.time_s, kept, judged.p_noninformative)]
        return Chunk(
            judged.time_s,
            judged.p_noninformative,
            judged.p_forceps,
            judged.kind,
            motion=measured[:, :6],
            motion_std=measured[:, 6:],
            lumen=self._lumens(pictures, _beside_dropped(every)[first : first + len(judged)]),
            last_s=last_s,
            last=last,
            thumbnails=tuple(Thumbnail(sample.time_s, to_jpeg(sample.picture)) for sample in shown),
        )

    def _straight(self, samples: Sequence[SampledFrame], run: Map) -> dict[int, Image]:
        """By their places the pictures that show anything, in the canonical camera."""
        used = [i for i, sample in enumerate(samples) if not sample.kind]
        return dict(zip(used, run(self._straighten, [samples[i].picture for i in used]), strict=True))

    def _lumens(self, pictures: Mapping[int, Image], wanted: NDArray[np.bool_]) -> FloatArray:
        result = np.full((len(wanted), 3), np.nan)
        for i in np.flatnonzero(wanted).tolist():
            result[i] = self._lumen(pictures[i])
        return result

    def _motion(
        self,
        samples: Sequence[SampledFrame],
        pictures: Mapping[int, Image],
        kept: NDArray[np.bool_],
        before: Chunk | None,
        last_kept: bool,
        run: Map,
    ) -> tuple[FloatArray, float, Image]:
        """What is said of each frame that shows anything and the one before, and the last with its time."""
        side = self._straighten.size
        last_s, last = np.nan, np.zeros((side, side, 3), np.uint8)
        if before is not None:
            last_s, last = before.last_s, before.last
        clear: list[_Pair] = []
        poor: list[_Pair] = []
        for i, picture in pictures.items():
            both = bool(kept[i]) and last_kept
            if samples[i].time_s - last_s <= LONGEST_PAIR_S and (both or i % POOR_EVERY == 0):  # never for NaN
                (clear if both else poor).append((i, last, picture))
            last_s, last, last_kept = samples[i].time_s, picture, bool(kept[i])
        measured = np.full((len(samples), 12), np.nan)

        def estimate(batch: tuple[bool, Sequence[_Pair]]) -> None:
            both, pairs = batch
            positions, a, b = zip(*pairs, strict=True)
            estimator = self._estimator()
            found = (estimator.measure if both else estimator.measure_poor)(np.stack(a), np.stack(b))
            measured[list(positions)] = np.concatenate([found.motion, found.std], axis=1)

        list(
            run(estimate, [(both, batch) for both, pairs in ((True, clear), (False, poor)) for batch in batches(pairs)])
        )
        return measured, last_s, last

    def _estimator(self) -> MotionMethod:
        """This thread's own: optical flow keeps buffers. The first to ask gets the one that is open already."""
        if not hasattr(self._local, "estimator"):
            try:
                self._local.estimator = self._unused.pop()
            except IndexError:
                self._local.estimator = self._make()
        estimator: MotionMethod = self._local.estimator
        return estimator

    def _make(self) -> MotionMethod:
        return open_motion(self._method, flow=self._flow)


def _beside_dropped(kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Kept samples with a dropped one before or behind them."""
    around = np.concatenate([kept[:1], kept, kept[-1:]])
    return np.asarray(kept & ~(around[:-2] & around[2:]), np.bool_)


@contextmanager
def opencv_on_one_thread() -> Iterator[None]:
    """DIS flow cuts the picture into as many stripes as OpenCV has threads: the result would depend on them."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)
