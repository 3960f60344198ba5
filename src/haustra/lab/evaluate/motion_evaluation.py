"""Camera motion of any method on any dataset with poses: the paper's ATE and RPE, recording by recording.

Non-informative frames and frames without a true pose are left out. Estimate and truth are chained over the same pairs,
so that a gap is cut out of both; pairs that a method failed on are filled by `path.trajectory.chain`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.camera import picture_camera
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.onnx import BATCH
from haustra.core.poses import invert, rotation_angle_deg
from haustra.core.progress import Progress, silent
from haustra.core.times import LONGEST_STEP_S
from haustra.core.vocabulary import GENERIC
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.dataset_recording import DatasetRecording, Rows
from haustra.lab.evaluate.trajectory_errors import (
    TrajectoryErrors,
    relative_poses,
    simcol_errors,
    snippet_ate,
    trajectory_errors,
)
from haustra.motion import MotionMethod, open_motion
from haustra.motion.canonical_frames import CanonicalView
from haustra.path.trajectory import Trajectory, chain
from haustra.path.trajectory_files import write_tum
from haustra.video import Picture, find_picture, open_recording
from haustra.video.picture import picture_mask
from haustra.video.types import Box

DEFAULT_METHODS = ("ours", "liu2013", "klt", "orb", "expansion", "constant", "zero")
FEWEST_PAIRS = 3
SNIPPET = 5
_STILLS = 12

Key = tuple[int, float]  # size and field of view
Undistorted = dict[Key, NDArray[np.uint8]]
Pair = tuple[int, int, Undistorted, Undistorted]


@dataclass(frozen=True)
class MotionResult:
    """One method on one recording: estimated and true path over the same pairs, and the errors between them.

    `protocols`: errors by the protocols of other works, under their names; `failed_share`: pairs without an estimate.
    """

    recording: str
    errors: TrajectoryErrors
    protocols: dict[str, float]
    failed_share: float
    path: Trajectory
    truth: Trajectory

    @property
    def pairs(self) -> int:
        return len(self.truth.time_s) - 1

    def as_dict(self) -> dict[str, Any]:
        return {"pairs": self.pairs, **asdict(self.errors), **self.protocols, "failed_share": self.failed_share}


@dataclass(frozen=True)
class MotionEvaluation:
    """Results by method and recording, and the unit of their lengths."""

    dataset: str
    length_unit: str
    results: dict[str, dict[str, MotionResult]]
    notes: tuple[str, ...] = ()

    @property
    def recordings(self) -> list[str]:
        return list(next(iter(self.results.values())))

    def as_dict(self) -> dict[str, Any]:
        methods = {m: {r: one.as_dict() for r, one in rows.items()} for m, rows in self.results.items()}
        return {"dataset": self.dataset, "length_unit": self.length_unit, "methods": methods, "notes": list(self.notes)}


def parse_methods(names: Sequence[str]) -> dict[str, str]:
    """`a,b=FILE` as label: name or file; the label of a file defaults to its stem."""
    found: dict[str, str] = {}
    for word in (part.strip() for name in names for part in name.split(",")):
        label, equals, file = word.partition("=")
        if word:
            found[label if equals else Path(word).stem if Path(word).suffix else word] = file if equals else word
    if not found:
        raise HaustraError(f"no method was given: write for example --methods {','.join(DEFAULT_METHODS[:3])}")
    return found


def evaluate_motion(
    data: Path,
    methods: Mapping[str, str | MotionMethod],
    *,
    dataset: str | None = None,
    camera: str | None = None,
    rate_hz: float | None = None,
    progress: Progress = silent,
) -> MotionEvaluation:
    """All methods (opened, or as `open_motion` takes them) on all recordings of `data` with poses; `camera` is the
    calibration of recordings without one."""
    entry, found = open_dataset(data, dataset)
    posed = {one.name: one for one in found if one.T_w_c is not None}
    if not posed:
        raise HaustraError(f"{data} ({entry.name}) has no camera poses: motion cannot be evaluated without them")
    if entry.name == "endoslam":
        from haustra.lab.datasets.endoslam import paper_videos

        posed = paper_videos(found) or posed
    opened = {label: open_motion(name) if isinstance(name, str) else name for label, name in methods.items()}
    results: dict[str, dict[str, MotionResult]] = {label: {} for label in opened}
    for done, (name, recording) in enumerate(posed.items()):
        for label, result in evaluate_recording_motion(recording, opened, camera=camera, rate_hz=rate_hz).items():
            results[label][name] = result
        progress(done + 1, name)
    units = {recording.length_unit for recording in posed.values()}
    notes = tuple(dict.fromkeys(note for recording in posed.values() for note in recording.notes))
    return MotionEvaluation(entry.name, " or ".join(sorted(units)), results, notes)


def evaluate_recording_motion(
    recording: DatasetRecording,
    methods: Mapping[str, MotionMethod],
    *,
    camera: str | None = None,
    rate_hz: float | None = None,
) -> dict[str, MotionResult]:
    """Each method on one recording, in one pass over its frames."""
    rows = usable_rows(recording, rate_hz)
    longest_s = LONGEST_STEP_S if rate_hz is None else max(LONGEST_STEP_S, 1.5 / rate_hz)
    estimates: dict[str, list[FloatArray]] = {label: [] for label in methods}
    pairs: list[tuple[int, int]] = []
    views = _views(recording, methods, camera)
    for batch in _batches(recording, rows, longest_s, views):
        pairs += [(a, b) for a, b, _, _ in batch]
        firsts, seconds = [first for _, _, first, _ in batch], [second for _, _, _, second in batch]
        for label, method in methods.items():
            key = (method.size, method.fov_deg)
            frames_a, frames_b = (np.stack([seen[key] for seen in side]) for side in (firsts, seconds))
            estimates[label].append(method.pair_motions(frames_a, frames_b))
    if len(pairs) < FEWEST_PAIRS or recording.T_w_c is None:
        raise HaustraError(f"{recording.name}: {len(pairs)} pairs of neighbouring frames with poses, too few")
    a, b = np.array(pairs).T
    truth = invert(recording.T_w_c[a]) @ recording.T_w_c[b]
    step_s = recording.time_s[b] - recording.time_s[a]
    return {label: _result(recording.name, np.concatenate(found), truth, step_s) for label, found in estimates.items()}


def usable_rows(recording: DatasetRecording, rate_hz: float | None) -> Rows:
    """Rows that are sampled, informative and have a pose."""
    keep = np.zeros(len(recording), dtype=bool)
    keep[recording.rows(rate_hz)] = True
    if recording.usable is not None:
        keep &= recording.usable
    if recording.T_w_c is not None:
        keep &= np.isfinite(recording.T_w_c).all(axis=(1, 2))
    return np.flatnonzero(keep)


def _result(name: str, estimate: FloatArray, truth: FloatArray, step_s: FloatArray) -> MotionResult:
    time_s = np.concatenate([[0.0], np.cumsum(step_s)])
    path, true_path = chain(estimate, time_s), chain(truth, time_s)
    failed = float((~np.isfinite(estimate).all(axis=(1, 2))).mean())
    errors, protocols = motion_errors(path.T_w_c, true_path.T_w_c), other_protocols(path.T_w_c, true_path.T_w_c)
    return MotionResult(name, errors, protocols, failed, path, true_path)


def other_protocols(estimate: FloatArray, truth: FloatArray) -> dict[str, float]:
    """Snippets of five frames (SfMLearner) and SimCol3D's medians; none for a path that never moves."""
    if len(truth) < SNIPPET or not float(np.ptp(estimate[:, :3, 3], axis=0).max()) > 0:
        return {}
    mean, std = snippet_ate(estimate, truth, frames=SNIPPET)
    return {"snippet_ate": mean, "snippet_ate_std": std, **simcol_errors(estimate, truth)}


def write_paths(folder: Path, found: MotionEvaluation) -> list[Path]:
    """Every path and its truth as TUM files, for evo and others: folder/<recording>/<method>.tum and truth.tum."""
    written = []
    for method, results in found.results.items():
        for name, one in results.items():
            for stem, path in ((method, one.path), ("truth", one.truth)):
                target = folder / name.replace("/", "-").replace(" ", "-") / f"{stem}.tum"
                write_tum(target, path.time_s, path.T_w_c)
                written.append(target)
    return list(dict.fromkeys(written))


def motion_errors(estimate: FloatArray, truth: FloatArray) -> TrajectoryErrors:
    """As `trajectory_errors`; a path without motion is placed at the mean of the true positions."""
    if float(np.ptp(estimate[:, :3, 3], axis=0).max()) > 0:
        return trajectory_errors(estimate, truth)
    ate = np.linalg.norm(truth[:, :3, 3] - truth[:, :3, 3].mean(axis=0), axis=1)
    true_step, step = relative_poses(truth), relative_poses(estimate)
    trans = np.linalg.norm(true_step[:, :3, 3], axis=1)
    rot = rotation_angle_deg(np.swapaxes(true_step[:, :3, :3], 1, 2) @ step[:, :3, :3])
    return TrajectoryErrors(
        float(np.sqrt((ate**2).mean())), float(ate.mean()), float(ate.std()), float(trans.mean()), float(trans.std()),
        float(rot.mean()), float(rot.std()), 0.0,
    )  # fmt: skip


def _batches(recording: DatasetRecording, rows: Rows, longest_s: float, views: _Undistort) -> Iterator[list[Pair]]:
    """Pairs of neighbouring usable rows, undistorted for every size that a method wants, in batches."""
    order = {int(row): place for place, row in enumerate(rows)}
    last: tuple[int, float, Undistorted] | None = None
    batch: list[Pair] = []
    for frame in recording.frames(rows):
        undistorted = views(frame.image)
        near = last is not None and order[frame.row] == order[last[0]] + 1 and frame.time_s - last[1] <= longest_s
        if last is not None and near:
            batch.append((last[0], frame.row, last[2], undistorted))
        if len(batch) == BATCH:
            yield batch
            batch = []
        last = frame.row, frame.time_s, undistorted
    if batch:
        yield batch


class _Undistort:
    """A frame of the recording in the canonical camera, once for each size."""

    def __init__(self, picture: Picture, views: dict[Key, CanonicalView]) -> None:
        self._box, self._views = picture.box, views

    def __call__(self, image: NDArray[np.uint8]) -> Undistorted:
        box = self._box
        cut = np.ascontiguousarray(image[box.y : box.y + box.height, box.x : box.x + box.width])
        return {key: view(cut) for key, view in self._views.items()}


def _views(recording: DatasetRecording, methods: Mapping[str, MotionMethod], camera: str | None) -> _Undistort:
    picture = _picture(recording)
    lens = recording.camera or picture_camera(camera or GENERIC, picture)
    sizes = {(method.size, method.fov_deg) for method in methods.values()}
    return _Undistort(picture, {(size, fov): CanonicalView(picture, lens, size, fov) for size, fov in sorted(sizes)})


def _picture(recording: DatasetRecording) -> Picture:
    """Where the endoscope picture lies in the frame; the whole frame where frames cannot be opened as a recording."""
    if recording.source is not None:
        return find_picture(open_recording(recording.source, fps=recording.fps))
    rows = np.unique(np.linspace(0, len(recording) - 1, _STILLS).astype(np.intp))
    images = np.stack([frame.image for frame in recording.frames(rows)])
    height, width = images.shape[1:3]
    return Picture(Box(0, 0, width, height), picture_mask(images)[0], width, height)
