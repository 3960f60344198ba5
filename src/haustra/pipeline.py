"""locate(): from a recording to the place of every frame. `prepare`, then the stages in the order of the data."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from haustra.anatomy import load_template
from haustra.anatomy.bends import open_bend_network
from haustra.anatomy.cecum import start_log_likelihood
from haustra.anatomy.frame_places import place_of, place_withdrawal
from haustra.anatomy.landmarks import parse_landmarks
from haustra.anatomy.segment_labels import Labelling
from haustra.camera.recorded_lens import ChosenLens, choose_lens
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.progress import progress_bar
from haustra.corrections import corrected_again
from haustra.identity import identify
from haustra.localization import Localization, open_result
from haustra.motion.estimator_pool import EstimatorPool
from haustra.motion.stream import MotionStream, PreviousFrame, opencv_on_one_thread
from haustra.options import LocateOptions, with_options
from haustra.path import PathParameters
from haustra.path.indices import read_scopeguide, scopeguide_index
from haustra.path.withdrawal import Ends, Withdrawal, follow_withdrawal
from haustra.quality import BLANK, FrameClassifier, OverlayMask, QualityModel, fitted_size
from haustra.quality.cecum_classifier import CecumNetwork, CecumScores, open_cecum_network, score_cecum
from haustra.quality.samples import SampledFrame
from haustra.quality.thumbnails import with_thumbnails
from haustra.report.summary import summarise
from haustra.report.write import write_result
from haustra.results.folder import ResultFolder
from haustra.results.journal import Journal
from haustra.results.observations import Observations
from haustra.results.run import Run
from haustra.results.table import SCOPEGUIDE_COLUMN
from haustra.video import Picture, Problems, Recording, find_picture, open_recording
from haustra.video.read_ahead import ahead

log = logging.getLogger("haustra")

NO_QUALITY = "none"
# Longer side of the decoded picture: enough for all networks, cheap to convert.
DECODED_SIDE = 256
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
    motions: MotionStream
    ends: Ends
    path: PathParameters
    labelling: Labelling
    scopeguide: tuple[FloatArray, FloatArray] | None
    run: Run
    folder: ResultFolder

    @property
    def start_s(self) -> float:
        """Where reading begins."""
        return self.options.withdrawal_start or 0.0

    @property
    def threads(self) -> int:
        return self.options.threads or os.cpu_count() or 1


@with_options(LocateOptions)
def locate(video: Path, options: LocateOptions) -> Localization:
    """Locate every frame of the withdrawal in `video`, write the result folder and return what it holds.

    Times are seconds, or text such as "12:40". Options that are not given come from a `haustra.toml` beside the
    recording, if there is one.
    """
    job = prepare(video, options)
    folder = job.folder
    if folder.is_finished(with_overlay=options.overlay):
        log.info("%s is finished already: nothing to do", folder.path)
        return open_result(folder.path)
    with folder.claimed() as journal:
        if options.from_file:
            log.info(options.from_file)
        seen = folder.observations()
        if seen is None:
            seen = observe(job, journal)  # 1 video to 5 motion
        support = partial(start_log_likelihood, CecumScores.of(seen), parameters=job.labelling.parameters.cecum)
        withdrawal = follow_withdrawal(  # 6 path
            seen, options.withdrawal_start, job.ends, support, index=options.index, parameters=job.path
        )
        cecum = CecumScores.of(withdrawal.seen)
        located = place_withdrawal(withdrawal, job.labelling, cecum, _beside(job, withdrawal))  # 7 anatomy
        summary = summarise(job.recording, seen, job.picture, job.run, withdrawal, located, job.lens.notes)
        with folder.writing(seen):
            write_result(  # 8 report
                folder.path, job.recording if options.overlay else None, withdrawal, located, seen.thumbnails, summary,
                job.labelling.template, crop=job.picture.box, threads=job.threads, quiet=options.quiet,
            )  # fmt: skip
        journal.discard()
    return corrected_again(folder.path) or Localization(folder.path, located.table, summary)


def prepare(video: Path, options: LocateOptions) -> LocateJob:
    """Open the recording, the networks and all other files, check them, and name the run by what they hold.

    Each network runs on one thread: results then do not depend on how many there are, and batches run side by side.
    """
    recording = open_recording(video, fps=options.fps)
    picture = find_picture(recording)
    network = None if options.quality == NO_QUALITY else QualityModel(options.quality)
    classifier = FrameClassifier(network, sparse=True, mask=OverlayMask(picture, _decoded_size(picture)))
    cecum_network = open_cecum_network()
    lens = choose_lens(options.camera, recording, picture)
    estimators = EstimatorPool(options.motion, options.flow)
    motions = MotionStream(estimators, picture, lens.camera)
    path, template = PathParameters(), load_template(options.template)
    labelling = Labelling(template, options.segments, parse_landmarks(options.landmarks), open_bend_network())
    run = identify(recording, picture, motions.camera, estimators, classifier, cecum_network, path, labelling, options)
    out = options.out or Path(f"{recording.path.stem}-haustra")
    return LocateJob(
        options=options,
        recording=recording,
        picture=picture,
        classifier=classifier,
        cecum_network=cecum_network,
        lens=lens,
        motions=motions,
        ends=(place_of(options.from_place, template), place_of(options.to_place, template)),
        path=path,
        labelling=labelling,
        scopeguide=None if options.scopeguide is None else read_scopeguide(options.scopeguide),
        run=run,
        folder=ResultFolder(out, run, [recording.path, *options.files()]),
    )


def observe(job: LocateJob, journal: Journal) -> Observations:
    """Stages 1 to 5 in one pass: everything that looks at pixels, in chunks of ten seconds that are kept on disk."""
    done, problems, end_s = journal.chunks(), Problems(), job.options.withdrawal_end
    frames = job.recording.frames(  # 1 video
        start_s=_read_from(done, job.start_s, job.motions.parameters.pairs.longest_s),
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
        previous, new = (None, samples) if before is None else _resumed(samples, before)
        classified = job.classifier.observe(new, before, pool.map)  # 2 quality
        pictured = ((chunk, with_thumbnails(chunk, seen)) for chunk, seen in classified)
        for seen in job.motions.observe(pictured, previous, pool.map):  # 3 camera, 4 flow, 5 motion
            done.append(replace(seen, problems=tuple(problems.lines)))
            journal.save(len(done) - 1, done[-1])
            progress(float(seen.time_s[-1]) - job.start_s)
    if not done:
        raise HaustraError("no frame lies between the given start and end: choose a longer part")
    # Which thumbnails are scored depends on how many there are, so this waits for the last chunk.
    return score_cecum(job.cecum_network, Observations.concatenated(done))


def _read_from(done: list[Observations], start_s: float, longest_pair_s: float) -> float:
    """Where a run that was interrupted reads on.

    The last samples are read again: the next one may be the same picture, frozen, and makes a pair with the last that
    shows anything. After damage a decoder goes on with what it has, which is not what it would have after a seek: such
    a recording is read from its start.
    """
    return start_s if not done or done[-1].problems else max(float(done[-1].time_s[-1]) - longest_pair_s, start_s)


def _resumed(
    samples: Iterator[SampledFrame], before: Observations
) -> tuple[PreviousFrame | None, Iterator[SampledFrame]]:
    """The last known sample that shows anything, and the samples after the known ones."""
    reasons = dict(zip(before.time_s.tolist(), before.reason, strict=True))
    previous = None
    for sample in samples:
        if sample.time_s > before.time_s[-1]:
            return previous, chain([sample], samples)
        reason = reasons.get(sample.time_s)
        if reason is not None and reason not in BLANK:
            previous = PreviousFrame(sample.time_s, sample.picture, kept=not reason)
    return previous, samples


def _beside(job: LocateJob, withdrawal: Withdrawal) -> dict[str, FloatArray]:
    """The location index of ScopeGuide, where there is a track."""
    if job.scopeguide is None:
        return {}
    return {SCOPEGUIDE_COLUMN: scopeguide_index(withdrawal.seen.time_s, *job.scopeguide).index}


def _decoded_size(picture: Picture) -> tuple[int, int]:
    return fitted_size(picture.box.width, picture.box.height, DECODED_SIDE)


def _length_s(job: LocateJob, end_s: float | None) -> float | None:
    stated_s = job.recording.duration_s
    length_s = end_s if stated_s is None else min(stated_s, end_s or stated_s)
    return None if length_s is None else max(length_s - job.start_s, 0.0)
