"""Stage 8: everything of a result that a user looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from haustra.anatomy import Template
from haustra.anatomy.findings import place_findings
from haustra.anatomy.places import Located, shown_colon
from haustra.chunks import Thumbnail
from haustra.files import write_json
from haustra.path.files import write_kitti, write_tum
from haustra.path.withdrawal import Withdrawal
from haustra.progress import progress_bar
from haustra.report.overlay import write_overlay
from haustra.report.page import OverlayVideo, write_report
from haustra.report.strip import strip_of
from haustra.result import OVERLAY, REPORT, SUMMARY, TEMPLATE, TRAJECTORIES
from haustra.table import write_frames
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
    tum, kitti = TRAJECTORIES
    write_frames(folder, located.table)
    template.save(folder / TEMPLATE)
    write_tum(folder / tum, withdrawal.trajectory.time_s, withdrawal.trajectory.T_w_c)
    write_kitti(folder / kitti, withdrawal.trajectory.T_w_c)
    overlay, colon = None, shown_colon(located.table, template)
    if recording is not None:
        overlay = _overlay(folder / OVERLAY, recording, withdrawal, located, colon, crop, threads, quiet)
    write_report(
        folder / REPORT,
        located,
        summary,
        template=colon,
        findings=place_findings(located.biopsies, located.table),
        strip=strip_of(thumbnails, located.table),
        overlay=overlay,
    )
    write_json(folder / SUMMARY, summary)


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
