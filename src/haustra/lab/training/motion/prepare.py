"""From what a user has to frame pairs: a cohort, a folder of recordings, single videos, or pairs that exist already."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra import __version__
from haustra.camera import camera_to_dict, load_camera, picture_camera
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.files import is_hidden
from haustra.core.poses import from_translation_quaternion
from haustra.core.progress import progress_bar
from haustra.core.times import LONGEST_STEP_S, nearest
from haustra.core.vocabulary import GENERIC, SEGMENTS
from haustra.flow import Flow, flow_weights, open_flow
from haustra.flow.methods import DEFAULT_FLOW
from haustra.lab.training.motion.pairs import PairShard, ShardArrays, find_shards, is_finished, write_shard
from haustra.motion.canonical import CANONICAL_FOV_DEG
from haustra.motion.canonical_frames import CanonicalFrames
from haustra.quality import QualityModel, assess_recording
from haustra.results.run import file_digest, recording_digest, value_digest
from haustra.video import find_picture, open_recording

log = logging.getLogger("haustra")

VIDEO_SUFFIXES = {".mp4", ".mkv", ".mov", ".avi", ".mpg", ".mpeg", ".ts", ".m4v", ".dcm"}
ROLES = {"train": "train", "training": "train", "validation": "validation", "val": "validation", "test": "test"}
MAX_FRAMES = 6000  # of one recording, in memory while its shard is made: 0.3 GB of frames and 1.6 GB of flow at 128


@dataclass(frozen=True)
class PairSource:
    """A recording to make pairs from; with a simulated one its truth lies beside it."""

    video: Path
    name: str
    role: str

    @property
    def truth(self) -> Path:
        return self.video.with_name("truth.parquet")


@dataclass(frozen=True)
class PairOptions:
    """What pairs depend on beside their recording: side of the picture, lens (None: the recording's own), flow."""

    size: int
    camera: str | None = None
    flow: str = DEFAULT_FLOW


def prepare_pairs(data: Path, cache: Path, options: PairOptions, *, quiet: bool = False) -> list[PairShard]:
    """Shards of everything in `data`; what `cache` holds already, made from just this, is not computed again."""
    if data.is_dir() and (shards := find_shards(data)):
        return _checked(shards, options)
    sources = find_sources(data)
    folders = []
    with progress_bar("pairs", len(sources), unit="recordings", quiet=quiet) as report:
        for done, source in enumerate(sources, 1):
            identity = pair_identity(source, options)
            folder = cache / f"{source.name}-{value_digest(identity)[:12]}"
            if not is_finished(folder, identity):
                make_recording_shard(source, folder, options, identity)
            folders.append(folder)
            report(done, source.name)
    return [PairShard(folder) for folder in folders]


def _checked(shards: list[PairShard], options: PairOptions) -> list[PairShard]:
    """Ready pairs have their size and flow; a lens cannot be given to them any more."""
    for shard in shards:
        for name, wanted in (("size", options.size), ("flow", options.flow)):
            if shard.description[name] != wanted:
                raise HaustraError(
                    f"the pairs in {shard.folder} have {name} {shard.description[name]}, not {wanted}: make them again"
                )
    if options.camera is not None:
        raise HaustraError(f"ready pairs are undistorted already, --camera {options.camera} is too late: leave it out")
    return shards


def pair_identity(source: PairSource, options: PairOptions) -> dict[str, Any]:
    """Everything that the pairs of a recording depend on, files by their contents."""
    truth = source.truth.is_file()
    camera, weights = _camera_name(source, options), flow_weights(options.flow)
    return {
        "haustra": __version__,
        "recording": recording_digest(source.video),
        "truth": file_digest(source.truth) if truth else None,
        "quality": None if truth else file_digest(QualityModel().path),
        "camera": f"{GENERIC} by the rim" if camera == GENERIC else camera_to_dict(load_camera(camera)),
        "flow": options.flow,
        "flow_weights": None if weights is None else file_digest(weights),
        "size": options.size,
        "fov_deg": CANONICAL_FOV_DEG,
    }


def _camera_name(source: PairSource, options: PairOptions) -> str:
    """What the user gave, else the calibration beside the video, else a typical lens."""
    beside = source.video.with_name("camera.json")
    return options.camera or (str(beside) if beside.is_file() else GENERIC)


def find_sources(data: Path) -> list[PairSource]:
    """All videos in or below `data`, in the order of their paths; split names in a path (train, test) give the role."""
    if not data.exists():
        raise HaustraError(f"no such file or folder: {data}")
    videos = [data] if data.is_file() else sorted(p for p in data.rglob("*") if _is_video(p.relative_to(data)))
    if not videos:
        raise HaustraError(f"no video was found in {data}: give recordings such as .mp4 or .mkv files, or frame pairs")
    # Set 2 and Set 3 of a cohort are for the template and the final test: the motion network never sees them.
    chosen = [video for video in videos if "set1" in video.parts] or videos
    base = data.parent if data.is_file() else data
    return [_source(video, base) for video in chosen]


def _is_video(path: Path) -> bool:
    return path.suffix.lower() in VIDEO_SUFFIXES and not is_hidden(path)


def _source(video: Path, base: Path) -> PairSource:
    return PairSource(video, "-".join(video.relative_to(base).with_suffix("").parts), role_of(video, base))


def role_of(video: Path, base: Path) -> str:
    """The split that a folder between `base` and the video, or its own name, stands for; else nothing."""
    parts = video.relative_to(base).parts if video.is_relative_to(base) else ()
    names = [Path(part).stem.lower() for part in parts]
    return next((ROLES[name] for name in names if name in ROLES), "")


def make_recording_shard(source: PairSource, folder: Path, options: PairOptions, identity: dict[str, Any]) -> None:
    """Decode, undistort and pair one recording, without the frames that its truth, or else the shipped classifier,
    calls non-informative or a biopsy."""
    recording = open_recording(source.video)
    picture, size = find_picture(recording), options.size
    view = CanonicalFrames(recording, picture, picture_camera(_camera_name(source, options), picture), size)
    kept = _Truth(source.truth) if source.truth.is_file() else None
    judged = None if kept else assess_recording(recording, QualityModel())
    useful = set() if judged is None else {t for t, keep in zip(judged.labels, judged.kept, strict=True) if keep}
    frames: list[NDArray[np.uint8]] = []
    times: list[float] = []
    poses: list[FloatArray] = []
    segments: list[int] = []
    for frame in view(threads=1):
        row = kept.row(frame.time_s) if kept else None
        if row is None and frame.time_s not in useful:
            continue
        frames.append(frame.image)
        times.append(frame.time_s)
        if kept and row is not None:
            poses.append(kept.poses[row])
            segments.append(kept.segments[row])
        if len(frames) == MAX_FRAMES:
            log.warning(
                "note: %s: %d usable frames, up to %.0f s, the rest is left out", source.name, MAX_FRAMES, frame.time_s
            )
            break
    pairs = neighbours(times)
    arrays = ShardArrays(
        frames=np.stack(frames) if frames else np.zeros((0, size, size, 3), np.uint8),
        mask=view.mask[None],
        pairs=pairs,
        flow=pair_flow(frames, pairs, open_flow(options.flow), size),
        poses=np.stack(poses) if poses else None,
        segments=np.array(segments, np.int8) if segments else None,
    )
    about = {"fov_deg": CANONICAL_FOV_DEG, "flow": options.flow, "source": source.name, "role": source.role}
    write_shard(folder, arrays, {**about, "identity": identity})


def neighbours(times_s: Sequence[float]) -> NDArray[np.int32]:
    """Pairs (m, 2) of kept frames that follow one another closely enough to be compared."""
    steps = np.diff(np.asarray(times_s, np.float64))
    first = np.flatnonzero(steps <= LONGEST_STEP_S)
    return np.stack([first, first + 1], axis=1).astype(np.int32)


def pair_flow(
    frames: Sequence[NDArray[np.uint8]], pairs: NDArray[np.int32], flow: Flow, size: int
) -> NDArray[np.float16]:
    """Flow (m, 2, S, S, 2) of pairs, forward and backward."""
    result = np.zeros((len(pairs), 2, size, size, 2), np.float16)
    for number, (a, b) in enumerate(pairs):
        result[number, 0] = flow(frames[a], frames[b])
        result[number, 1] = flow(frames[b], frames[a])
    return result


class _Truth:
    """What is known about the informative frames of a simulated withdrawal, by their time."""

    def __init__(self, path: Path) -> None:
        table = pl.read_parquet(path)
        usable = table["informative"].to_numpy() & ~table["forceps"].to_numpy()
        usable &= (table["phase"] == "withdrawal").to_numpy()
        self._times = table["time_s"].to_numpy()
        translation = table.select("tx", "ty", "tz").to_numpy()
        self.poses = from_translation_quaternion(translation, table.select("qx", "qy", "qz", "qw").to_numpy())
        self.segments = [SEGMENTS.index(name) + 1 for name in table["segment"]]
        self._usable = usable

    def row(self, time_s: float) -> int | None:
        """The row of the frame at this time; None where the frame is of no use for motion."""
        row = int(nearest(self._times, np.array([time_s]))[0])
        return row if self._usable[row] else None
