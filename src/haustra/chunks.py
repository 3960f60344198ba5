"""What streams from stage to stage while the recording is read: typed chunks of ten seconds, each stage adds its own.

Nothing in a chunk depends on the number of threads or on how often the run was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.poses import FloatArray
from haustra.terms import Reason

CHUNK_S = 10.0
BATCH = 8  # pictures for a network at a time: what it keeps in between then stays in the cache

Arrays = Mapping[str, NDArray[Any]]
Image = NDArray[np.uint8]


@dataclass(frozen=True)
class SampledFrame:
    """Out of stage 1: one sample. `kind` says why the network need not look at it, if so."""

    time_s: float
    kind: Reason
    picture: Image


@dataclass(frozen=True)
class Thumbnail:
    """A small picture kept while the recording streams by: the report's strip needs no second decoding."""

    time_s: float
    jpeg: bytes


@dataclass(frozen=True)
class Judged:
    """Out of stage 2: both probabilities of every sample, NaN where the network was not run."""

    time_s: FloatArray
    p_noninformative: NDArray[np.float32]
    p_forceps: NDArray[np.float32]
    kind: tuple[Reason, ...]

    def __len__(self) -> int:
        return len(self.time_s)


@dataclass(frozen=True)
class Chunk(Judged):
    """Out of stage 5, and what is kept on disk: `motion` is s(a->b) from the sample before it, kept or not, and
    `motion_std` how far off each of its numbers may be; NaN where there is none. `lumen` (n, 3) is where the lumen lies
    (ray x, y of the canonical camera) and how far it spreads, in kept samples beside dropped ones; NaN elsewhere.

    `last` is the last picture so far in the canonical camera, taken at `last_s` (NaN: there was none): the first pair
    of the next chunk begins with it. `problems` is what was found wrong with the recording until then.
    """

    motion: FloatArray
    motion_std: FloatArray
    lumen: FloatArray
    last_s: float
    last: Image
    thumbnails: tuple[Thumbnail, ...] = ()
    problems: tuple[str, ...] = ()

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """For a file without pickles."""
        jpegs = [thumbnail.jpeg for thumbnail in self.thumbnails]
        return {
            "time_s": self.time_s,
            "p_noninformative": self.p_noninformative,
            "p_forceps": self.p_forceps,
            "kind": np.array(self.kind, dtype="U16"),
            "motion": self.motion,
            "motion_std": self.motion_std,
            "lumen": self.lumen,
            "last_s": np.array(self.last_s),
            "last": self.last,
            "thumbnail_s": np.array([thumbnail.time_s for thumbnail in self.thumbnails], dtype=np.float64),
            "thumbnail_end": np.cumsum([0, *map(len, jpegs)], dtype=np.int64),
            "thumbnail_jpeg": np.frombuffer(b"".join(jpegs), dtype=np.uint8),
            "problems": np.array(self.problems, dtype=np.str_),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Chunk:
        content, ends = arrays["thumbnail_jpeg"].tobytes(), arrays["thumbnail_end"].tolist()
        spans = zip(arrays["thumbnail_s"].tolist(), pairwise(ends), strict=True)
        return cls(
            time_s=arrays["time_s"],
            p_noninformative=arrays["p_noninformative"],
            p_forceps=arrays["p_forceps"],
            kind=tuple(Reason(text) for text in arrays["kind"].tolist()),
            motion=arrays["motion"],
            motion_std=arrays["motion_std"],
            lumen=arrays["lumen"],
            last_s=float(arrays["last_s"]),
            last=arrays["last"],
            thumbnails=tuple(Thumbnail(time_s, content[a:b]) for time_s, (a, b) in spans),
            problems=tuple(arrays["problems"].tolist()),
        )


@dataclass(frozen=True)
class Observations:
    """All samples of a recording with the decision: kept, or the reason why not; `motion` and `lumen` as in a chunk."""

    time_s: FloatArray
    p_noninformative: NDArray[np.float32]
    p_forceps: NDArray[np.float32]
    kept: NDArray[np.bool_]
    reason: tuple[Reason, ...]
    motion: FloatArray
    motion_std: FloatArray
    lumen: FloatArray

    def rows(self, rows: slice) -> Observations:
        return Observations(
            self.time_s[rows],
            self.p_noninformative[rows],
            self.p_forceps[rows],
            self.kept[rows],
            self.reason[rows],
            self.motion[rows],
            self.motion_std[rows],
            self.lumen[rows],
        )


def joined(chunks: Sequence[Judged]) -> Judged:
    """The samples of neighbouring chunks as one."""
    return Judged(
        np.concatenate([chunk.time_s for chunk in chunks]),
        np.concatenate([chunk.p_noninformative for chunk in chunks]),
        np.concatenate([chunk.p_forceps for chunk in chunks]),
        tuple(kind for chunk in chunks for kind in chunk.kind),
    )


def whole(chunks: Sequence[Chunk]) -> Chunk:
    """All that was seen of a recording as one chunk."""
    samples, last = joined(chunks), chunks[-1]
    return Chunk(
        samples.time_s,
        samples.p_noninformative,
        samples.p_forceps,
        samples.kind,
        motion=np.concatenate([chunk.motion for chunk in chunks]),
        motion_std=np.concatenate([chunk.motion_std for chunk in chunks]),
        lumen=np.concatenate([chunk.lumen for chunk in chunks]),
        last_s=last.last_s,
        last=last.last,
        thumbnails=tuple(thumbnail for chunk in chunks for thumbnail in chunk.thumbnails),
        problems=last.problems,
    )


def in_chunks(samples: Iterable[SampledFrame]) -> Iterator[list[SampledFrame]]:
    """The stream cut at full tens of seconds, wherever it begins."""
    for _, chunk in groupby(samples, key=lambda sample: int(sample.time_s // CHUNK_S)):
        yield list(chunk)


def batches(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[start : start + BATCH] for start in range(0, len(items), BATCH)]
