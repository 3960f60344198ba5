"""A group's own recordings as material for adaptation: pairs from short stretches, all that the check measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from haustra.camera import camera_to_dict
from haustra.camera.recorded_lens import ChosenLens, choose_lens
from haustra.checking.stretch_figures import Examiner
from haustra.checking.stretches import StretchReader, classified
from haustra.core.addresses import paths_of
from haustra.core.arrays import Image
from haustra.core.times import LONGEST_STEP_S
from haustra.core.vocabulary import AUTO
from haustra.flow import open_flow
from haustra.lab.training.motion.pairs import PairShard, ShardArrays, is_finished, write_shard
from haustra.lab.training.motion.prepare import pair_flow, role_of
from haustra.motion import open_motion
from haustra.motion.canonical import CANONICAL_FOV_DEG
from haustra.motion.stream import opencv_on_one_thread
from haustra.options import LocateOptions, options_for
from haustra.quality import FrameClassifier, OverlayMask, QualityModel
from haustra.results.run import file_digest, recording_digest, value_digest
from haustra.video import Picture, Recording, find_picture, open_recording

# Name, the video or its parts, options of `locate` as a user wrote them.
Listed = tuple[str, Sequence[str], Mapping[str, Any]]


@dataclass(frozen=True)
class OwnRecording:
    """A recording with the options that `locate` would have; `role` in training, where its folder is named by one."""

    name: str
    paths: tuple[Path, ...]
    options: LocateOptions
    role: str = ""

    @cached_property
    def recording(self) -> Recording:
        return open_recording(self.paths, fps=self.options.fps)

    @cached_property
    def picture(self) -> Picture:
        return find_picture(self.recording)

    @cached_property
    def lens(self) -> ChosenLens:
        beside = self.paths[0].with_name("camera.json")
        given = self.options.camera
        return choose_lens(str(beside) if given == AUTO and beside.is_file() else given, self.recording, self.picture)

    @property
    def between_s(self) -> tuple[float, float | None]:
        """The withdrawal, as far as it was given."""
        return self.options.withdrawal_start or 0.0, self.options.withdrawal_end

    def examiner(self, motion: Path | None) -> Examiner:
        """What `haustra check` measures with this motion network."""
        estimator = open_motion(motion)
        return Examiner(self.recording, self.picture, self.lens.camera, estimator, QualityModel())


def own_recordings(listed: Iterable[Listed], base: Path) -> list[OwnRecording]:
    """The recordings of a list; folders below `base` may name their role."""
    found = []
    for name, videos, options in listed:
        paths = paths_of(videos)
        found.append(OwnRecording(name, paths, options_for(paths[0], options), role_of(paths[0], base)))
    return found


def stretch_shard(own: OwnRecording, cache: Path, size: int, flow: str) -> PairShard:
    """Pairs of neighbouring usable frames from stretches all over the recording; made once."""
    identity = _identity(own, size, flow)
    folder = cache / f"{own.name}-{value_digest(identity)[:12]}"
    if not is_finished(folder, identity):
        _make_shard(own, folder, size, flow, identity)
    return PairShard(folder)


def _identity(own: OwnRecording, size: int, flow: str) -> dict[str, Any]:
    return {
        "recording": recording_digest(*own.recording.paths),
        "camera": camera_to_dict(own.lens.camera),
        "quality": file_digest(QualityModel().path),
        "between_s": list(own.between_s),
        "flow": flow,
        "size": size,
    }


def _make_shard(own: OwnRecording, folder: Path, size: int, flow: str, identity: dict[str, Any]) -> None:
    reader = StretchReader(own.recording, own.picture, own.lens.camera, size, CANONICAL_FOV_DEG)
    frames: list[Image] = []
    pairs: list[list[int]] = []
    with opencv_on_one_thread():
        for stretch in reader.stretches(*own.between_s):
            height, width = stretch.decoded.shape[1:3]
            classifier = FrameClassifier(QualityModel(), sparse=False, mask=OverlayMask(own.picture, (width, height)))
            usable = np.flatnonzero(classified(stretch, classifier).kept)
            near = (np.diff(usable) == 1) & (np.diff(stretch.time_s[usable]) <= LONGEST_STEP_S)
            first = len(frames) + np.flatnonzero(near)
            pairs += np.stack([first, first + 1], axis=1).tolist()
            frames += list(stretch.frames[usable])
        rows = np.array(pairs, np.int32).reshape(-1, 2)
        arrays = ShardArrays(
            frames=np.stack(frames) if frames else np.zeros((0, size, size, 3), np.uint8),
            mask=reader.mask[None],
            pairs=rows,
            flow=pair_flow(frames, rows, open_flow(flow), size),
        )
    about = {"fov_deg": CANONICAL_FOV_DEG, "flow": flow, "source": own.name, "role": own.role}
    write_shard(folder, arrays, {**about, "identity": identity})
