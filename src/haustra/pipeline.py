"""locate(): from a recording to the place of every frame. The stages in the order of the data, and nothing else."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from haustra.anatomy import Template, load_template
from haustra.anatomy.bends import TASK as BENDS
from haustra.anatomy.cecum import TASK as CECUM
from haustra.anatomy.cecum import cecum_sightings
from haustra.anatomy.landmarks import Landmark, parse_landmarks
from haustra.anatomy.naming import parse_naming
from haustra.anatomy.places import Located, place_of, place_withdrawal
from haustra.camera import camera_to_dict, conversion_notice, load_camera
from haustra.chunks import Chunk, in_chunks, whole
from haustra.errors import HaustraError
from haustra.flow import flow_weights
from haustra.motion.stream import MotionStream, opencv_on_one_thread
from haustra.onnx_models import shipped
from haustra.path.indices import read_scopeguide, scopeguide_index
from haustra.path.withdrawal import follow_withdrawal
from haustra.poses import FloatArray
from haustra.progress import progress_bar
from haustra.quality import Cover, Judge, QualityModel, decided, fitted_size
from haustra.report.summary import summarise
from haustra.report.write import write_result
from haustra.result import OBSERVATIONS, Localization, ResultFolder
from haustra.resume import Journal, load_chunk, save_chunk
from haustra.run import Run, array_digest, file_identity, recording_digest, value_digest
from haustra.table import SCOPEGUIDE_COLUMN, column, frames_table
from haustra.terms import DEFAULT_QUALITY, DEFAULT_TEMPLATE, GENERIC, Naming
from haustra.times import parse_time
from haustra.video import Picture, Recording, find_picture, open_recording
from haustra.video.read_ahead import ahead

log = logging.getLogger("haustra")

NO_QUALITY = "none"
# Longer side of the decoded picture: enough for both networks, cheap to convert.
DECODED_SIDE = 256
READ_AHEAD = 48  # frames; a few megabytes


def locate(
    video: str | Path,
    *,
    withdrawal_start: float | str | None = None,
    withdrawal_end: float | str | None = None,
    from_place: str | float | None = None,
    to_place: str | float | None = None,
    camera: str | Path = GENERIC,
    template: str | Path = DEFAULT_TEMPLATE,
    segments: str = Naming.DECODER,
    landmarks: Sequence[str] = (),
    flow: str | None = None,
    motion: str | Path | None = None,
    quality: str | Path = DEFAULT_QUALITY,
    scopeguide: str | Path | None = None,
    out: str | Path | None = None,
    overlay: bool = True,
    threads: int | None = None,
    fps: float | None = None,
    quiet: bool = True,
) -> Localization:
    """Locate every frame of the withdrawal in `video` and write the result folder `out`.

    Times are seconds or what a user would write (`12:40`). Without `withdrawal_start` the turning point is searched
    for; the end is the last informative frame before `withdrawal_end`. `from_place` and `to_place` say where a
    recording of a part begins and ends: a segment, or a location index from 0 to 1. `quality="none"` removes nothing.
    `segments` is "template" (the paper's way), "decoder" (location, time, bends and landmarks) or "time"; landmarks are
    written `hepatic=3:05`, the moment the withdrawal leaves a flexure or enters a segment, or come from an annotations
    file (.json). `flow` is a method by name, or the file of a PWC-Net. `scopeguide` is a table of inserted lengths
    (time_s,length_cm): it is shown beside our location and decides nothing.
    """
    start_s, end_s = _seconds(withdrawal_start), _seconds(withdrawal_end)
    naming, given = parse_naming(segments), parse_landmarks(landmarks)
    recording = open_recording(video, fps=fps)
    picture = find_picture(recording)
    # Each network runs on one thread: results then do not depend on how many there are, and batches run side by side.
    cover = Cover(picture, fitted_size(picture.box.width, picture.box.height, DECODED_SIDE))
    judge = Judge(None if quality == NO_QUALITY else QualityModel(quality), sparse=True, cover=cover)
    lens = load_camera(camera, (picture.box.width, picture.box.height) if camera == GENERIC else None)
    motions = MotionStream(picture, lens, motion, flow)
    colon = load_template(template)
    shown = {"picture": list(picture.box), "mask": array_digest(picture.mask)}
    reading = {"start_s": start_s or 0.0, "end_s": end_s, "fps": fps, **shown}
    ends = place_of(from_place, colon), place_of(to_place, colon)
    track = None if scopeguide is None else read_scopeguide(Path(scopeguide))
    placing = _placing(start_s, naming, given, scopeguide) | {"from": from_place, "to": to_place}
    run = _run(recording, motions, judge, reading, placing, colon)
    files = (camera, template, motion, flow, quality, scopeguide)
    inputs = [recording.path, *(Path(file) for file in files if file is not None)]
    folder = ResultFolder(_out_folder(out, recording), run, inputs)
    finished = folder.finished(with_overlay=overlay)
    if finished is not None:
        log.info("%s is finished already: nothing to do", folder.path)
        return finished
    workers = threads or os.cpu_count() or 1
    with folder.claimed() as journal:
        seen = load_chunk(folder.path / OBSERVATIONS, run.observed)
        if seen is None:
            seen = _observe(recording, picture, judge, motions, journal, start_s or 0.0, end_s, workers, quiet)
        cecum = cecum_sightings(seen.thumbnails)
        withdrawal = follow_withdrawal(decided(seen, judge.thresholds), start_s, ends, cecum.support)  # 6 path
        sightings = cecum.between(withdrawal.start_s, withdrawal.end_s)
        placed = _beside(place_withdrawal(withdrawal, colon, naming, given, sightings), track)  # 7 anatomy
        summary = summarise(recording, seen.problems, picture, run, withdrawal, placed, _notes(camera))
        with folder.writing():  # 8 report
            save_chunk(folder.path / OBSERVATIONS, seen, run.observed)
            write_result(
                folder.path, recording if overlay else None, withdrawal, placed, seen.thumbnails, summary, colon,
                crop=picture.box, threads=workers, quiet=quiet,
            )  # fmt: skip
        journal.discard()
    return Localization(folder.path, placed.table, summary)


def _placing(
    start_s: float | None, naming: Naming, landmarks: Sequence[Landmark], scopeguide: str | Path | None
) -> dict[str, Any]:
    """What decides the places besides the template, and what is shown beside them."""
    more = {"cecum": file_identity(shipped(CECUM))}
    more |= {"bends": file_identity(shipped(BENDS))} if naming is Naming.DECODER else {}
    more |= {} if scopeguide is None else {"scopeguide": file_identity(Path(scopeguide))}
    given = [asdict(landmark) for landmark in landmarks]
    return {"withdrawal_start_s": start_s, "segments": naming.value, "landmarks": given, **more}


def _beside(placed: Located, track: tuple[FloatArray, FloatArray] | None) -> Located:
    """The table with the location index of ScopeGuide, where there is a track."""
    if track is None:
        return placed
    index = scopeguide_index(column(placed.table, "time_s"), *track).index
    return replace(placed, table=frames_table({**placed.table.to_dict(), SCOPEGUIDE_COLUMN: index}))


def _run(
    recording: Recording,
    motions: MotionStream,
    judge: Judge,
    reading: dict[str, Any],
    placing: dict[str, Any],
    template: Template,
) -> Run:
    flow_file = flow_weights(motions.flow_name)
    return Run(
        recording=recording_digest(recording.path),
        camera=camera_to_dict(motions.camera),
        models={
            "flow": {"name": Path(motions.flow_name).name} | ({} if flow_file is None else file_identity(flow_file)),
            "motion": ({} if motions.path is None else file_identity(motions.path)) | {"recipe": motions.recipe},
            "quality": None if judge.model is None else file_identity(judge.model.path),
        },
        reading=reading,
        placing=placing,
        template={
            "name": template.name,
            "mean": template.mean.tolist(),
            "spread": value_digest(template.covariance.tolist()),
        },
    )


def _observe(
    recording: Recording,
    picture: Picture,
    judge: Judge,
    motions: MotionStream,
    journal: Journal,
    start_s: float,
    end_s: float | None,
    threads: int,
    quiet: bool,
) -> Chunk:
    """Stages 1 to 5 in one pass: everything that looks at pixels, chunk by chunk, each kept on disk."""
    done = journal.chunks()
    known_s = float(done[-1].time_s[-1]) if done else None
    frames = recording.frames(
        start_s=_read_from(done, start_s),
        end_s=end_s,
        size=fitted_size(picture.box.width, picture.box.height, DECODED_SIDE),
        crop=picture.box,
        threads=threads,
    )
    with (
        progress_bar("frames", _length_s(recording, start_s, end_s), unit="s", quiet=quiet) as progress,
        opencv_on_one_thread(),
        ThreadPoolExecutor(threads) as pool,
        ahead(judge.samples(frames), READ_AHEAD) as samples,  # 1 video
    ):
        new = (sample for sample in samples if known_s is None or sample.time_s > known_s)
        judged = ((chunk, judge(chunk, pool.map)) for chunk in in_chunks(new))  # 2 quality
        before = done[-1] if done else None
        for chunk in motions.chunks(judged, before, judge.thresholds, pool.map):  # 3 camera, 4 flow, 5 motion
            done.append(replace(chunk, problems=tuple(recording.problems)))
            journal.save(len(done) - 1, done[-1])
            progress(float(chunk.time_s[-1]) - start_s)
    if not done:
        raise HaustraError("no frame lies between the given start and end: choose a longer part")
    return whole(done)


def _read_from(done: list[Chunk], start_s: float) -> float:
    """Where a run that was interrupted reads on.

    The last known sample is read again: the one after it may be the same picture, frozen. After damage a decoder goes
    on with what it has, which is not what it would have after a seek: such a recording is read from its start.
    """
    return start_s if not done or done[-1].problems else float(done[-1].time_s[-1])


def _seconds(time: float | str | None) -> float | None:
    return parse_time(time) if isinstance(time, str) else time


def _out_folder(out: str | Path | None, recording: Recording) -> Path:
    return Path(out) if out is not None else Path(f"{recording.path.stem}-haustra")


def _length_s(recording: Recording, start_s: float, end_s: float | None) -> float | None:
    length_s = end_s if recording.duration_s is None else min(recording.duration_s, end_s or recording.duration_s)
    return None if length_s is None else max(length_s - start_s, 0.0)


def _notes(camera: str | Path) -> list[str]:
    if camera != GENERIC:
        notice = conversion_notice(camera)
        return [] if notice is None else [notice]
    return ["no calibration was given: a typical wide-angle lens was assumed (`haustra calibrate` measures yours)"]
