"""The formats, by the name that `haustra export --to` takes; each is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from haustra.core.errors import HaustraError

if TYPE_CHECKING:  # the command line names the formats in its help: nothing heavy is imported for that
    from haustra.exchange.content import Content
    from haustra.exchange.readback import ReadBack

# A format is a module here with a `FORMAT`; the words say what it is for.
FORMATS: Final = {
    "csv": "a table of segments and events (apply reads it)",
    "elan": "ELAN annotation document, .eaf (apply reads it)",
    "webvtt": "subtitles of browsers and VLC, .vtt",
    "srt": "subtitles of nearly every player, .srt",
    "labelstudio": "Label Studio tasks with the segments as predictions, .json",
    "cvat": "CVAT for video 1.1, .xml",
    "evo": "camera path for evo, .tum",
    "dicom-sr": "DICOM structured report (TID 1500), .dcm; needs --source",
}


@dataclass(frozen=True)
class Asked:
    """What else a format may need: frames a second in the other program, and the DICOM file of the recording."""

    fps: float | None = None
    source: Path | None = None


@dataclass(frozen=True)
class Format:
    """`write` makes the file's bytes; `read`, where there is one, says what stands in a file that a person changed."""

    suffix: str
    media_type: str
    write: Callable[[Content, Asked], bytes]
    read: Callable[[bytes, str], ReadBack] | None = None


def format_named(name: str) -> Format:
    """The format of that name."""
    if name not in FORMATS:
        raise HaustraError(f"'{name}' is no format to export to: choose of {', '.join(FORMATS)}")
    found: Format = import_module(f"haustra.exchange.{name.replace('-', '_')}").FORMAT
    return found


def frame_rate(content: Content, asked: Asked) -> float:
    """Frames a second in the other program: as given, else the recording's own."""
    rate = asked.fps or content.frame_rate
    if not rate:
        raise HaustraError("the frame rate of this recording is not known: give it with --fps")
    return rate
