"""apply_corrections(): one more version of a result, with what a person set; every output then shows it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from haustra.anatomy.findings import Finding
from haustra.core.errors import HaustraError
from haustra.correctable import Correctable, Corrected, open_correctable
from haustra.exchange.reading import read_corrections
from haustra.localization import Localization
from haustra.report.page import OverlayVideo
from haustra.report.write import write_placed
from haustra.results.annotations import FORMAT, TIMES, Annotations
from haustra.results.folder import OVERLAY, held, rewriting
from haustra.results.versions import Version, append, history, next_version

log = logging.getLogger("haustra")


def apply_corrections(
    result: str | Path, annotations: str | Path | Annotations, *, by: str = "", on_top: bool = False
) -> Localization:
    """Make the corrected version of a result; every output in its folder then shows it.

    `annotations` is what the report page gives out, a file with times (docs: annotations.json), or what was exported
    to ELAN or csv and changed there; times alone leave findings and comments as they are. What was made from an older
    version than the newest is refused unless it is to be put `on_top`. `by` is who says so, where the file does not
    tell.
    """
    folder = Path(result)
    with held(folder):
        opened = open_correctable(folder)
        read = annotations if isinstance(annotations, Annotations) else read_corrections(Path(annotations), folder)
        before = history(folder)
        said = before[-1].annotations if before else Annotations(FORMAT)
        if read.format == TIMES:
            read = replace_times(said, read.times_s)
        elif not isinstance(annotations, Annotations):
            _refuse_unchanged(Path(annotations), read, said)
        newest = None if on_top or read.version is None else read.version
        return save_corrections(opened, read, by=read.by or by, newest=newest)


def save_corrections(
    opened: Correctable, annotations: Annotations, *, by: str, newest: int | None = None, parent: int | None = None
) -> Localization:
    """One more version and its outputs, or nothing where the corrections do not fit. The caller holds the folder."""
    known = opened.summary["run"]["recording"]
    if annotations.recording not in ("", known):
        raise HaustraError(f"these annotations belong to another recording than {opened.folder}: check which is which")
    annotations = opened.on_frames(annotations)
    version = next_version(opened.folder, annotations, by=by, newest=newest, parent=parent)
    versions = [*history(opened.folder), version]
    corrected = opened.corrected(annotations, versions)
    append(opened.folder, version)
    return write_corrected(opened, corrected, versions)


def write_corrected(opened: Correctable, corrected: Corrected, versions: Sequence[Version]) -> Localization:
    """The outputs of the newest version."""
    folder, overlay = opened.folder, opened.folder / OVERLAY
    with rewriting(folder, opened.summary["run"], len(versions)):
        write_placed(
            folder,
            corrected.withdrawal,
            corrected.located,
            opened.seen.thumbnails,
            corrected.summary,
            opened.labelling.template,
            OverlayVideo(overlay, float(opened.table["time_s"][0])) if overlay.is_file() else None,
            versions,
        )
    return Localization(folder, corrected.located.table, corrected.summary)


def show_findings(result: Path, findings: Sequence[Finding]) -> None:
    """Put other findings into a result of `haustra locate` and its page; its places stay."""
    with held(result):
        opened = replace(open_correctable(result), given=tuple(findings))
        versions = history(result)
        said = versions[-1].annotations if versions else Annotations(FORMAT)
        write_corrected(opened, opened.corrected(said, versions), versions)


def corrected_again(folder: Path) -> Localization | None:
    """The newest version of a result that was located anew; None where it was never reviewed, or no longer fits."""
    versions = history(folder)
    if not versions:
        return None
    try:
        with held(folder):
            opened = open_correctable(folder)
            return write_corrected(opened, opened.corrected(versions[-1].annotations, versions), versions)
    except HaustraError as error:
        log.warning(
            "note: version %d of the review does not fit this result and is not shown: %s", len(versions), error
        )
        return None


def _refuse_unchanged(source: Path, read: Annotations, said: Annotations) -> None:
    """An export that was not changed; of our own format a second reader may say the same."""
    exported = source.suffix.lower() != ".json"
    if exported and structs.replace(read, recording=said.recording, version=said.version, by=said.by) == said:
        raise HaustraError(f"{source} says nothing that the result does not say already: was the change saved?")


def replace_times(said: Annotations, times_s: Mapping[str, float]) -> Annotations:
    """What was said, with other times."""
    kept = {name: getattr(said, name) for name in said.__struct_fields__}
    return Annotations(**kept | {"times_s": dict(times_s), "version": None, "by": ""})
