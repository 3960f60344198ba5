"""locate(): from a recording to the place of every frame. `prepare`, then the stages in the order of the data."""

from __future__ import annotations

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from haustra.anatomy import Template, load_template
from haustra.anatomy.bends import open_bend_network
from haustra.anatomy.cecum import start_log_likelihood
from haustra.anatomy.findings import Finding
from haustra.anatomy.findings_file import read_findings
from haustra.anatomy.frame_places import ends_of, place_withdrawal
from haustra.anatomy.landmarks import parse_landmarks
from haustra.anatomy.segment_labels import Labelling
from haustra.anatomy.template import published_names
from haustra.camera.recorded_lens import ChosenLens, choose_lens
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.progress import progress_bar
from haustra.core.sharing import sharing
from haustra.core.times import format_time
from haustra.core.vocabulary import NO_QUALITY
from haustra.corrections import corrected_again
from haustra.identity import identify, lens_identity
from haustra.localization import Localization, open_result
from haustra.motion.estimator_pool import EstimatorPool
from haustra.motion.resumption import read_from, resumed
from haustra.motion.stream import MotionStream, opencv_on_one_thread
from haustra.options import LocateOptions, with_options
from haustra.path import PathParameters
from haustra.path.indices import read_scopeguide, scopeguide_index
from haustra.path.withdrawal import Ends, Withdrawal, follow_withdrawal
from haustra.quality import FrameClassifier, OverlayMask, QualityModel, fitted_size
from haustra.quality.cecum_classifier import CecumNetwork, CecumScores, open_cecum_network, score_cecum
from haustra.quality.thumbnails import restored, with_thumbnails
from haustra.report.summary import summarise, summarise_parts
from haustra.report.write import write_result
from haustra.results.folder import ResultFolder, known_lens
from haustra.results.journal import Journal
from haustra.results.observations import Observations
from haustra.results.run import Run, recording_digest
from haustra.results.table import SCOPEGUIDE_COLUMN, part_columns
from haustra.video import Picture, Problems, Recording, find_picture, open_recording
from haustra.video.joined_source import part_notes
from haustra.video.read_ahead import ahead

log = logging.getLogger("haustra")

# Longer side of the decoded picture: enough for all networks, cheap to convert.
DECODED_SIDE = 256
PAST_END_S = 1.0  # an end that was given may lie this much past the last frame
READ_AHEAD = 48  # frames; a few megabytes


@dataclass(frozen=True)
class LocateJob:
    """A recording that was opened and checked, with all that its stages need: no stage opens anything by itself."""

    options: LocateOptions
    recording: Recording
    picture: Picture
    classifier: FrameClassifier
    cecum_network: CecumNetwork
    lens: ChosenLens
    notes: tuple[str, ...]  # what the reader of the result should know
    motions: MotionStream
    ends: Ends
    path: PathParameters
    labelling: Labelling
    scopeguide: tuple[FloatArray, FloatArray] | None
    findings: tuple[Finding, ...]
    run: Run
    folder: ResultFolder

    @property
    def start_s(self) -> float:
        """Where reading begins."""
        return self.options.withdrawal_start or 0.0

    @property
    def overlaid(self) -> Recording | None:
        """The recording, if an overlay is to be made of it."""
        return self.recording if self.options.overlay and self.options.pictures else None

    @property
    def threads(self) -> int:
        return self.options.threads or os.cpu_count() or 1


@with_options(LocateOptions)
def locate(paths: tuple[Path, ...], options: LocateOptions) -> Localization:
    """Locate every frame of the withdrawal in `video`, write the result folder and return what it holds.

    `video` is a file, a folder of pictures, or a list of such: the parts of one recording in their order. Times are
    seconds, or text such as "12:40". Options that are not given come from a `haustra.toml` beside the recording (its
    first part), if there is one.
    """
    with sharing(options.share):
        return _locate(prepare(paths, options), options)


def _locate(job: LocateJob, options: LocateOptions) -> Localization:
    folder = job.folder
    if folder.is_finished(job.recording.name, pictures=options.pictures, overlay=options.overlay):
        log.info("%s is finished already: nothing to do", folder.path)
        return _told(open_result(folder.path), options)
    with folder.claimed() as journal:
        if options.from_file:
            log.info(options.from_file)
        for note in part_notes(job.recording.parts):  # at once: it may not be what was meant
            log.info(note)
        seen = folder.observations(with_pictures=options.pictures)
        if seen is None:
            seen = observe(job, journal)  # 1 video to 5 motion
        support = partial(start_log_likelihood, CecumScores.of(seen), parameters=job.labelling.parameters.cecum)
        withdrawal = follow_withdrawal(  # 6 path
            seen, options.withdrawal_start, job.ends, support, lens_std=job.lens.relative_std, parameters=job.path,
            **options.keywords_of(follow_withdrawal),
        )  # fmt: skip
        cecum = CecumScores.of(withdrawal.seen)
        located = place_withdrawal(withdrawal, job.labelling, cecum, _beside(job, withdrawal))  # 7 anatomy
        located = replace(located, given=job.findings)
        notes = (*job.notes, *_end_notes(options.withdrawal_end, seen))
        shown = seen if options.pictures else seen.without_thumbnails()
        summary = summarise(
            job.recording, shown, job.picture, job.run, withdrawal, located, job.lens, notes, pictures=options.pictures
        )
        with folder.writing(shown):
            write_result(  # 8 report
                folder.path, job.overlaid, withdrawal, located, shown.thumbnails, summary,
                job.labelling.template, crop=job.picture.box, threads=job.threads, quiet=options.quiet,
            )  # fmt: skip
        journal.discard()
    return _told(corrected_again(folder.path) or Localization(folder.path, located.table, summary), options)


def _told(result: Localization, options: LocateOptions) -> Localization:
    """The result, its warnings said: in a notebook nobody has opened the report yet."""
    for note in () if options.quiet else result.warnings:
        log.warning("note: %s", note)
    return result


def prepare(paths: tuple[Path, ...], options: LocateOptions) -> LocateJob:
    """Open the recording, the networks and all other files, check them, and name the run by what they hold.

    The user's own files come first: finding the lens takes seconds, too long to wait to be told of a wrong cell.
    Each network runs on one thread: results then do not depend on how many there are, and batches run side by side.
    """
    path, template = PathParameters(), load_template(options.template).without(options.missing)
    marks = parse_landmarks(options.landmarks)
    labelling = Labelling(template, options.segments, marks, open_bend_network(), options.abstain)
    ends = ends_of(options.from_place, options.to_place, template)
    scopeguide = None if options.scopeguide is None else read_scopeguide(options.scopeguide)
    findings = () if options.findings is None else read_findings(options.findings)
    recording = open_recording(paths, fps=options.fps, id=options.id)
    picture = find_picture(recording)
    network = None if options.quality == NO_QUALITY else QualityModel(options.quality)
    classifier = FrameClassifier(network, sparse=True, mask=OverlayMask(picture, _decoded_size(picture)))
    cecum_network = open_cecum_network()
    digest, out = (
        recording_digest(*recording.paths),
        options.out or Path(f"{options.id or recording.path.stem}-haustra"),
    )
    lens = choose_lens(options.camera, recording, picture, lens_identity(digest, picture), known_lens(out))
    estimators = EstimatorPool(options.motion, options.flow)
    motions = MotionStream(estimators, picture, lens.camera, recording.breaks_s)
    run = identify(
        digest, picture, motions.camera, estimators, classifier, cecum_network, path, labelling, options,
        lens_std=lens.relative_std,
    )  # fmt: skip
    return LocateJob(
        options=options,
        recording=recording,
        picture=picture,
        classifier=classifier,
        cecum_network=cecum_network,
        lens=lens,
        notes=(*part_notes(recording.parts), *picture.notes, *lens.notes, *_template_notes(template, options)),
        motions=motions,
        ends=ends,
        path=path,
        labelling=labelling,
        scopeguide=scopeguide,
        findings=findings,
        run=run,
        folder=ResultFolder(
            out, run, [*recording.paths, *options.files()], {} if options.id is None else recording.shown_as
        ),
    )


def observe(job: LocateJob, journal: Journal) -> Observations:
    """Stages 1 to 5 in one pass: everything that looks at pixels, in chunks of ten seconds that are kept on disk."""
    done = [chunk.without_thumbnails() for chunk in journal.chunks()]
    problems, end_s = Problems(), job.options.withdrawal_end
    frames = job.recording.frames(  # 1 video
        start_s=read_from(done, job.start_s, job.motions.parameters.pairs.longest_s),
        end_s=end_s,
        size=_decoded_size(job.picture),
        crop=job.picture.box,
        threads=job.threads,
        problems=problems,
    )
    with (
        progress_bar("frames", _length_s(job, end_s), unit="s", quiet=job.options.quiet) as progress,
        opencv_on_one_thread(),
        ThreadPoolExecutor(job.threads) as pool,
        ahead(job.classifier.samples(frames), READ_AHEAD) as samples,
    ):
        before = Observations.concatenated(done) if done else None
        previous, new = (None, samples) if before is None else resumed(samples, before)
        classified = job.classifier.observe(new, before, pool.map)  # 2 quality
        pictured = ((chunk, with_thumbnails(chunk, seen)) for chunk, seen in classified)
        for seen in job.motions.observe(pictured, previous, pool.map):  # 3 camera, 4 flow, 5 motion
            chunk = replace(seen, problems=tuple(problems.lines))
            journal.save(len(done), chunk)
            done.append(chunk.without_thumbnails())
            progress(float(seen.time_s[-1]) - job.start_s)
    if not done:
        raise HaustraError("no frame lies between the given start and end: choose a longer part")
    # Which thumbnails are scored depends on how many there are, so this waits for the last chunk.
    return score_cecum(job.cecum_network, restored(Observations.concatenated(done), journal.chunks()))


def _beside(job: LocateJob, withdrawal: Withdrawal) -> dict[str, Any]:
    """The part of a recording in parts; the location index of ScopeGuide, where there is a track."""
    time_s = withdrawal.seen.time_s
    columns = part_columns(time_s, summarise_parts(job.recording))
    if job.scopeguide is not None:
        columns[SCOPEGUIDE_COLUMN] = scopeguide_index(time_s, *job.scopeguide).index
    return columns


def _template_notes(template: Template, options: LocateOptions) -> tuple[str, ...]:
    """Those that are published name the publication, and not each recording."""
    notes = ["" if options.template in published_names() else template.few_note]
    if template.missing and options.from_place is None and options.to_place is None:
        notes.append(f"without {', '.join(template.missing)}: what is left was taken to be seen from end to end")
    return tuple(note for note in notes if note)


def _end_notes(end_s: float | None, seen: Observations) -> tuple[str, ...]:
    last_s = float(seen.time_s[-1])
    if end_s is None or end_s <= last_s + PAST_END_S:
        return ()
    given, last = format_time(end_s), format_time(last_s)
    return (f"the end of the withdrawal was given as {given}, but the recording ends at {last}: that was taken",)


def _decoded_size(picture: Picture) -> tuple[int, int]:
    return fitted_size(picture.box.width, picture.box.height, DECODED_SIDE)


def _length_s(job: LocateJob, end_s: float | None) -> float | None:
    stated_s = job.recording.duration_s
    length_s = end_s if stated_s is None else min(stated_s, end_s or stated_s)
    return None if length_s is None else max(length_s - job.start_s, 0.0)
