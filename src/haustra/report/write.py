"""Stage 8, all of it: writes every file of a result that a user looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from haustra.anatomy import Template
from haustra.anatomy.findings import place_findings
from haustra.anatomy.frame_places import Located, shown_colon
from haustra.anatomy.intervals import intervals_table
from haustra.core.files import write_json
from haustra.core.progress import progress_bar
from haustra.core.vocabulary import SEGMENTS
from haustra.path.trajectory_files import write_kitti, write_tum
from haustra.path.withdrawal import Withdrawal
from haustra.report.overlay import write_overlay
from haustra.report.page import OverlayVideo, write_report
from haustra.report.review_data import review_data
from haustra.report.strip import strip_of
from haustra.results.folder import FINDINGS, INTERVALS, OVERLAY, REPORT, SUMMARY, TEMPLATE, TRAJECTORIES
from haustra.results.observations import Thumbnail
from haustra.results.table import write_csv, write_frames
from haustra.results.versions import Version
from haustra.video import Box, Recording


def write_result(
    folder: Path,
    recording: Recording | None,
    withdrawal: Withdrawal,
    located: Located,
    thumbnails: Sequence[Thumbnail],
    summary: Mapping[str, Any],
    template: Template,
    *,
    crop: Box,
    threads: int,
    quiet: bool,
) -> None:
    """Tables, trajectory, report and, of the `recording` if there is one, the overlay video."""
    overlay = None
    if recording is not None:
        colon = shown_colon(located.table, template)
        overlay = _overlay(folder / OVERLAY, recording, withdrawal, located, colon, crop, threads, quiet)
    template.save(folder / TEMPLATE)
    write_placed(folder, withdrawal, located, thumbnails, summary, template, overlay)


def write_placed(
    folder: Path,
    withdrawal: Withdrawal,
    located: Located,
    thumbnails: Sequence[Thumbnail],
    summary: Mapping[str, Any],
    template: Template,
    overlay: OverlayVideo | None,
    versions: Sequence[Version] = (),
) -> None:
    """Everything that a correction changes; `versions` are those of the review, the one to write last.

    The page takes longest and comes first: table and summary then follow each other closely.
    """
    tum, kitti = TRAJECTORIES
    shown = shown_parts(located, thumbnails, summary, template, versions)
    write_report(folder / REPORT, located, summary, overlay=overlay, **shown)
    write_frames(folder, located.table)
    write_intervals(folder, located)
    write_csv(folder / FINDINGS, place_findings(located.findings, located.table))
    write_tum(folder / tum, withdrawal.trajectory.time_s, withdrawal.trajectory.T_w_c)
    write_kitti(folder / kitti, withdrawal.trajectory.T_w_c)
    write_json(folder / SUMMARY, summary)


def shown_parts(
    located: Located,
    thumbnails: Sequence[Thumbnail],
    summary: Mapping[str, Any],
    template: Template,
    versions: Sequence[Version] = (),
) -> dict[str, Any]:
    """What the page shows beside the table, as arguments of `page_data`: the same in the file and in the app."""
    return {
        "template": shown_colon(located.table, template),
        "findings": place_findings(replace(located, noted=()).findings, located.table),
        "strip": strip_of(thumbnails, located.table),
        "review": review_data(located.table, summary, versions),
    }


def write_intervals(folder: Path, located: Located) -> None:
    """segments.csv; the first segment was entered when the withdrawal started."""
    first = next((name for name in located.table["segment"] if name), "")
    set_by = {SEGMENTS[boundary.number]: boundary.set_by for boundary in located.boundaries}
    table = intervals_table(located.table, {first: located.started_by} | set_by, located.naming.value)
    write_csv(folder / INTERVALS, table)


def _overlay(
    target: Path,
    recording: Recording,
    withdrawal: Withdrawal,
    located: Located,
    template: Template,
    crop: Box,
    threads: int,
    quiet: bool,
) -> OverlayVideo:
    # The overlay shows what was sampled, one picture for each row.
    with progress_bar("overlay", located.table.height, quiet=quiet) as bar:
        first_s = write_overlay(
            recording,
            located.table,
            target,
            template=template,
            start_s=withdrawal.start_s,
            end_s=withdrawal.end_s + 1e-6,
            crop=crop,
            threads=threads,
            progress=bar,
        )
    return OverlayVideo(target, first_s)
