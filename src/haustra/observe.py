"""Everything that looks at pixels, in one pass over the recording: video, quality, camera, flow, motion.

The recording is worked through in chunks of ten seconds. A finished chunk lies in the journal, and nothing in it
depends on the number of threads or on how often the run was interrupted: batches never cross a chunk, and each
network runs on one thread while several batches run side by side.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.errors import HaustraError
from haustra.motion import MotionEstimator
from haustra.motion.frames import CanonicalView
from haustra.path import ESTIMATED_GAP_S
from haustra.progress import Progress, silent
from haustra.quality import PreFilter, QualityModel, Thresholds, ask_sparsely, decide
from haustra.quality.thumbnails import Thumbnail, clearest, pack, unpack
from haustra.resume import Journal
from haustra.video import Box, Recording
from haustra.video.read_ahead import ahead

CHUNK_S = 10.0
BATCH = 8  # what the networks keep in between then stays in the cache
READ_AHEAD = 48  # frames; a few megabytes

Arrays = dict[str, NDArray[Any]]
_NOTHING = np.empty((2, 0), np.float32)


@dataclass(frozen=True)
class Eyes:
    """What looks at the recording: where the picture is, the lens, the networks.

    Without a `quality` network nothing is removed (the paper's row "with all frames"). `motion` makes an estimator;
    each thread has its own, because optical flow keeps buffers.
    """

    box: Box
    decoded_size: tuple[int, int]
    straighten: CanonicalView
    quality: QualityModel | None
    thresholds: Thresholds
    motion: Callable[[], MotionEstimator]


@dataclass(frozen=True)
class Observations:
    """One row per sampled frame. `motion` is s(a->b) from the kept frame before it, NaN where none was estimated."""

    time_s: NDArray[np.float64]
    p_noninformative: NDArray[np.float32]
    p_forceps: NDArray[np.float32]
    kept: NDArray[np.bool_]
    reason: tuple[str, ...]
    motion: NDArray[np.float64]
    thumbnails: tuple[Thumbnail, ...] = ()


@dataclass(frozen=True)
class _Sample:
    time_s: float
    kind: str
    picture: NDArray[np.uint8]


def observe(
    recording: Recording,
    eyes: Eyes,
    journal: Journal,
    *,
    start_s: float,
    end_s: float | None,
    threads: int,
    progress: Progress = silent,
) -> Observations:
    """Sample the recording, judge every frame, and estimate the motion between kept ones."""
    done = _finished(journal)
    known_s = float(done[-1]["time_s"][-1]) if done else None
    # The last known sample is read again: the one after it may be the same picture, frozen.
    samples = _samples(recording, eyes, start_s if known_s is None else known_s, end_s, threads)
    estimator = _per_thread(eyes.motion)
    waiting: tuple[list[_Sample], Arrays] | None = None

    def finish(chunk: list[_Sample], judged: Arrays, after: Arrays | None) -> None:
        arrays = _with_motion(chunk, judged, done[-1] if done else None, after, eyes, pool, estimator)
        journal.save(len(done), arrays)
        done.append(arrays)
        progress(float(arrays["time_s"][-1]) - start_s)

    with _opencv_on_one_thread(), ThreadPoolExecutor(threads) as pool, ahead(samples, READ_AHEAD) as read:
        new = (sample for sample in read if known_s is None or sample.time_s > known_s)
        for chunk in _chunks(new):
            judged = _judge(chunk, eyes, pool)
            if waiting is not None:
                finish(*waiting, judged)
            waiting = chunk, judged
        if waiting is not None:
            finish(*waiting, None)
    return _joined(done, eyes.thresholds)


@contextmanager
def _opencv_on_one_thread() -> Iterator[None]:
    """DIS flow cuts the picture into as many stripes as OpenCV has threads: the result would depend on them."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def _finished(journal: Journal) -> list[Arrays]:
    """Chunks in the journal from the first on, without a hole."""
    found: list[Arrays] = []
    while (arrays := journal.load(len(found))) is not None:
        found.append(arrays)
    return found


def _samples(recording: Recording, eyes: Eyes, start_s: float, end_s: float | None, threads: int) -> Iterator[_Sample]:
    """Runs in the reading thread: decode, take out frames that need no network."""
    prefilter = PreFilter()
    stream = recording.frames(start_s=start_s, end_s=end_s, size=eyes.decoded_size, crop=eyes.box, threads=threads)
    for frame in stream:
        kind = prefilter(frame.image) if eyes.quality is not None else ""
        yield _Sample(frame.time_s, kind, frame.image)


def _chunks(samples: Iterable[_Sample]) -> Iterator[list[_Sample]]:
    for _, chunk in groupby(samples, key=lambda sample: int(sample.time_s // CHUNK_S)):
        yield list(chunk)


def _judge(chunk: Sequence[_Sample], eyes: Eyes, pool: ThreadPoolExecutor) -> Arrays:
    """Both probabilities of every sample; NaN where the network was not asked."""
    times_s = np.array([sample.time_s for sample in chunk])
    probabilities = np.full((2, len(chunk)), np.nan, np.float32)
    model = eyes.quality
    if model is not None:
        live = np.array([i for i, sample in enumerate(chunk) if not sample.kind], np.intp)

        def classify(positions: Sequence[int]) -> NDArray[np.float32]:
            chances = model.classify([chunk[i].picture for i in positions])
            return np.stack([chances.noninformative, chances.forceps])

        def ask(positions: NDArray[np.intp]) -> NDArray[np.float32]:
            return np.concatenate([_NOTHING, *pool.map(classify, _batches(live[positions].tolist()))], axis=1)

        probabilities[:, live] = ask_sparsely(times_s[live], ask, eyes.thresholds)
    return {
        "time_s": times_s,
        "p_noninformative": probabilities[0],
        "p_forceps": probabilities[1],
        "kind": np.array([sample.kind for sample in chunk], dtype="U8"),
    }


def _with_motion(
    chunk: Sequence[_Sample],
    judged: Arrays,
    before: Arrays | None,
    after: Arrays | None,
    eyes: Eyes,
    pool: ThreadPoolExecutor,
    estimator: Callable[[], MotionEstimator],
) -> Arrays:
    """The chunk with the motion of its pairs, and its last kept frame for the first pair of the next chunk."""
    around = [arrays for arrays in (before, judged, after) if arrays is not None]
    first = 0 if before is None else len(before["time_s"])
    kept = _decide(around, eyes.thresholds)[0][first : first + len(chunk)]
    last_s, last = (np.nan, None) if before is None else (float(before["last_s"]), before["last"])
    used = np.flatnonzero(kept).tolist()
    pairs: list[tuple[int, NDArray[np.uint8], NDArray[np.uint8]]] = []
    for i, straight in zip(used, pool.map(eyes.straighten, [chunk[i].picture for i in used]), strict=True):
        if last is not None and chunk[i].time_s - last_s <= ESTIMATED_GAP_S:
            pairs.append((i, last, straight))
        last_s, last = chunk[i].time_s, straight
    motion = np.full((len(chunk), 6), np.nan)

    def estimate(batch: Sequence[tuple[int, NDArray[np.uint8], NDArray[np.uint8]]]) -> None:
        positions, a, b = zip(*batch, strict=True)
        motion[list(positions)] = estimator().estimate(np.stack(a), np.stack(b))

    list(pool.map(estimate, _batches(pairs)))
    side = eyes.straighten.size
    shown = clearest(judged["time_s"], kept, judged["p_noninformative"])
    thumbnails = pack([chunk[i].time_s for i in shown], [chunk[i].picture for i in shown])
    return (
        judged
        | thumbnails
        | {
            "motion": motion,
            "last_s": np.array(last_s),
            "last": np.zeros((side, side, 3), np.uint8) if last is None else last,
        }
    )


def _decide(chunks: Sequence[Arrays], thresholds: Thresholds) -> tuple[NDArray[np.bool_], list[str]]:
    joined = {
        name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0] if chunks[0][name].ndim == 1
    }
    return decide(
        joined["time_s"], joined["p_noninformative"], joined["p_forceps"], thresholds, joined["kind"].tolist()
    )


def _joined(chunks: Sequence[Arrays], thresholds: Thresholds) -> Observations:
    if not chunks:
        raise HaustraError("no frame lies between the start and the end that were asked for: choose a longer part")
    kept, reason = _decide(chunks, thresholds)
    column = {
        name: np.concatenate([c[name] for c in chunks])
        for name in ("time_s", "p_noninformative", "p_forceps", "motion")
    }
    thumbnails = tuple(thumbnail for chunk in chunks for thumbnail in unpack(chunk))
    return Observations(**column, kept=kept, reason=tuple(reason), thumbnails=thumbnails)


def _batches(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[start : start + BATCH] for start in range(0, len(items), BATCH)]


def _per_thread(make: Callable[[], MotionEstimator]) -> Callable[[], MotionEstimator]:
    local = threading.local()

    def get() -> MotionEstimator:
        if not hasattr(local, "made"):
            local.made = make()
        made: MotionEstimator = local.made
        return made

    return get
