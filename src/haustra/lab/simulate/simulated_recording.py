"""Simulated recordings: as an iterator of frames with their truth, and as a folder of files.

A folder holds `video.mp4`, `camera.json`, `truth.parquet`, `annotations.json` (seconds at which each segment is entered
in the withdrawal, and the stop), `scopeguide.csv`, `contact_sheet.png` and `recording.json` (how it was made); one of
a part of a withdrawal has neither the seven times nor the track. It is written under a temporary name and renamed: it
is complete or absent.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera.jsonfile import write_camera
from haustra.core.errors import HaustraError
from haustra.core.files import write_json, write_text
from haustra.core.progress import Progress, silent
from haustra.lab.simulate.contact_sheet import contact_sheet, sheet_frames
from haustra.lab.simulate.courses import CourseName, check_course
from haustra.lab.simulate.ground_truth import Truth, annotated_times, truth_table
from haustra.lab.simulate.maps import MapWriter
from haustra.lab.simulate.procedure import Procedure, make_plan
from haustra.lab.simulate.recorder import Recorder, VideoWriter
from haustra.lab.simulate.scopeguide import make_track
from haustra.lab.simulate.seeds import check_recording_seed
from haustra.lab.simulate.timeline import Timeline
from haustra.lab.simulate.wide import WorldName, check_world

SMALLEST = 32


@dataclass(frozen=True)
class Settings:
    """What a recording is made from; the same settings give the same bytes.

    `part`: from which to which share of the withdrawal's time the recording runs, None for all of it.
    """

    seed: int
    seconds: float
    width: int = 480
    height: int = 480
    rate_hz: float = 15.0
    insertion_s: float = 0.0
    wall_motion: bool = False
    world: WorldName = "plain"
    course: CourseName | None = None
    spoilt: float | None = None
    slip: float | None = None
    part: tuple[float, float] | None = None
    recorder: Recorder | None = None

    def as_dict(self) -> dict[str, Any]:
        """As files list it; what is None (the world's own course, the usual share of spoilt frames) is not named."""
        found = {name: value for name, value in asdict(self).items() if value is not None}
        return found | ({} if self.part is None else {"part": list(self.part)})

    def shown(self, timeline: Timeline) -> range:
        """The frames of the procedure that are recorded."""
        if self.part is None:
            return range(timeline.frames)
        first, last = self.part
        if not 0 <= first < last <= 1:
            raise HaustraError(f"the part from {first:g} to {last:g}: give two shares of the withdrawal in order")
        start, span = timeline.start_s, timeline.stop_s - timeline.start_s
        ends = [round((start + share * span) * timeline.rate_hz) for share in self.part]
        return range(ends[0], ends[1] + 1)

    def procedure(self) -> Procedure:
        if min(self.width, self.height) < SMALLEST or self.width % 2 or self.height % 2:
            raise HaustraError(
                f"{self.width}x{self.height} is no size for a video: give even numbers from {SMALLEST} on, e.g. 480x480"
            )
        check_recording_seed(self.seed)
        course = None if self.course is None else check_course(self.course)
        world = check_world(self.world)
        spoilt, slip = self.spoilt, self.slip
        plan = make_plan(self.seed, self.seconds, self.rate_hz, self.insertion_s, world, course, spoilt, slip)
        return Procedure(plan, (self.width, self.height), wall_motion=self.wall_motion)


def simulate_withdrawal(seed: int, seconds: float, **settings: Any) -> Iterator[tuple[NDArray[np.uint8], Truth]]:
    """Frames (RGB) of a simulated recording with their truth; `settings` are the other fields of `Settings`."""
    for shot in Settings(seed, seconds, **settings).procedure().shots():
        yield shot.picture, shot.truth


def write_recording(
    out: Path, settings: Settings, *, maps: tuple[str, ...] = (), progress: Progress = silent
) -> dict[str, Any]:
    """Make the recording folder `out`, which must not exist, and return what `recording.json` says."""
    if out.exists():
        raise HaustraError(f"{out} exists already: choose another folder or remove it")
    if maps and (settings.part is not None or settings.recorder is not None):
        raise HaustraError("depth, flow and highlights are those of a whole procedure as it was rendered")
    procedure = settings.procedure()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise HaustraError(f"cannot write {out}: {error.strerror or error}") from error
    try:
        rows = _write_frames(temporary, procedure, settings, maps, progress)
        summary = _write_tables(temporary, procedure, settings, rows)
        temporary.chmod(0o755)
        temporary.replace(out)
    except OSError as error:
        raise HaustraError(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return summary


def _write_frames(
    folder: Path, procedure: Procedure, settings: Settings, maps: tuple[str, ...], progress: Progress
) -> list[Truth]:
    """Video, contact sheet and maps in one pass; memory does not grow with the length but for the truth."""
    rows: list[Truth] = []
    tiles: list[tuple[NDArray[np.uint8], Truth]] = []
    frames = settings.shown(procedure.plan.timeline)
    shown = set(sheet_frames(len(frames)))
    writer = MapWriter(folder, procedure, maps)
    size = settings.width, settings.height
    with VideoWriter(folder / "video.mp4", settings.seed, size, settings.rate_hz, settings.recorder) as video:
        for frame, shot in enumerate(procedure.shots(frames)):
            video.add(shot.picture)
            writer.add(shot)
            rows.append(replace(shot.truth, frame=frame, time_s=frame / settings.rate_hz))
            if frame in shown:
                tiles.append((shot.picture, rows[-1]))
            progress(len(rows))
    cv2.imwrite(str(folder / "contact_sheet.png"), contact_sheet(tiles)[..., ::-1])
    return rows


def _write_tables(folder: Path, procedure: Procedure, settings: Settings, rows: list[Truth]) -> dict[str, Any]:
    plan = procedure.plan
    camera, recorder = procedure.scope.camera, settings.recorder
    write_camera(folder / "camera.json", camera if recorder is None else camera.resized(*recorder.size(*camera.size)))
    truth_table(rows).write_parquet(folder / "truth.parquet")
    summary = {**settings.as_dict(), "frames": len(rows)}
    if settings.part is None:
        write_json(folder / "annotations.json", annotated_times(rows, plan.colon.boundaries_mm))
        arc = np.array([row.arc_mm for row in rows])
        track = make_track(settings.seed, plan.timeline, arc, plan.colon.length_mm)
        write_text(folder / "scopeguide.csv", track.csv())
        summary |= {"withdrawal_start_s": plan.timeline.start_s, "withdrawal_stop_s": plan.timeline.stop_s}
    summary |= {
        "non_informative": round(float(np.mean([not row.informative for row in rows])), 4),
        "forceps": round(float(np.mean([row.forceps for row in rows])), 4),
    }
    if plan.slip is not None:
        summary |= {"slip_start_s": plan.slip.start_s, "slip_end_s": plan.slip.end_s}
    write_json(folder / "recording.json", summary)
    return summary
