"""export(): a result in a format of another program."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from haustra.core.errors import HaustraError, printable
from haustra.core.files import replacing
from haustra.core.sharing import is_shared, sharing
from haustra.exchange.content import read_content
from haustra.exchange.formats import Asked, format_named
from haustra.results.folder import LOG, OUTPUTS, SUMMARY

log = logging.getLogger("haustra")


@dataclass(frozen=True)
class Exported:
    """A file that is not written yet."""

    name: str
    media_type: str
    data: bytes


def make_export(result: str | Path, to: str, asked: Asked | None = None) -> Exported:
    """The newest version of a result in a format of `haustra.exchange.formats.FORMATS`."""
    wanted = format_named(to)
    content = read_content(result)
    if not content.intervals:
        log.warning("note: no segment is named in %s: what is exported has none", printable(str(content.folder)))
    return Exported(content.stem + wanted.suffix, wanted.media_type, wanted.write(content, asked or Asked()))


def export(
    result: str | Path,
    to: str,
    out: str | Path | None = None,
    *,
    fps: float | None = None,
    source: str | Path | None = None,
) -> Path:
    """Write a result for another program and return the file: `out`, else one in the result folder.

    `fps` are frames a second in the other program, where it counts frames; `source` is the DICOM file of the recording.
    """
    made = make_export(result, to, Asked(fps, None if source is None else Path(source)))
    folder = Path(result) if Path(result).is_dir() else Path(result).parent
    target = folder / made.name if out is None else Path(out)
    if target.is_dir() or not target.suffix:  # a name without an ending is a folder
        target /= made.name
    taken = [folder / name for name in (*OUTPUTS, LOG)] + ([] if source is None else [Path(source)])
    if any(target.absolute() == other.absolute() for other in taken):
        raise HaustraError(f"{target} would be written over: choose another file with --out")
    with sharing(is_shared(folder / SUMMARY)), replacing(target) as temporary:
        temporary.write_bytes(made.data)
    return target
