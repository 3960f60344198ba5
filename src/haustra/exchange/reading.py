"""Corrections in a file: the review page's annotations.json, or a format of another program by its suffix."""

from __future__ import annotations

from pathlib import Path

from haustra.core.files import read_bytes
from haustra.exchange.content import read_content
from haustra.exchange.formats import FORMATS, format_named
from haustra.exchange.readback import corrections_in
from haustra.results.annotations import MOST_BYTES, Annotations, read_annotations_file


def read_corrections(source: Path, result: Path) -> Annotations:
    """What a person says about a result; of another program's file, where it differs from the newest version."""
    suffix = source.suffix.lower()
    readers = {found.suffix: found.read for found in map(format_named, FORMATS) if found.read is not None}
    if suffix not in readers:
        return read_annotations_file(source)
    read = readers[suffix](read_bytes(source, MOST_BYTES), str(source))
    return corrections_in(read, read_content(result), str(source))
