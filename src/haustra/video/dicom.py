"""The video stream inside a DICOM file, read where it lies: nothing is unpacked to disk or into memory.

An encapsulated video is cut into fragments; joined in order they are the stream (DICOM PS3.5, A.4). Of the header
only the transfer syntax and the frame rate are looked at, nothing about the patient.
"""

from __future__ import annotations

import io
import struct
import warnings
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO

from haustra.core.errors import HaustraError, require

# MPEG-2, MPEG-4 AVC/H.264 and HEVC/H.265 transfer syntaxes; ".1" at the end marks the fragmentable variants.
VIDEO_SYNTAXES = tuple(f"1.2.840.10008.1.2.4.{number}" for number in range(100, 109))
_PIXEL_DATA = b"\xe0\x7f\x10\x00"
_ITEM = b"\xfe\xff\x00\xe0"
_UNDEFINED = 0xFFFFFFFF
SLOWEST, FASTEST = 0.1, 1000.0  # frames a second
Span = tuple[int, int]  # offset in the file, length


def is_dicom(path: Path) -> bool:
    """By the four letters behind the preamble of a DICOM file."""
    with path.open("rb") as file:
        return file.read(132)[128:] == b"DICM"


class DicomVideo:
    """Where the stream lies in the file; `open` gives it as one file object."""

    def __init__(self, path: Path) -> None:
        pydicom = require("pydicom", "dicom")
        self._path = path
        with path.open("rb") as file:
            syntax = _read(path, lambda: pydicom.filereader.read_file_meta_info(path).TransferSyntaxUID)
            if not str(syntax).removesuffix(".1").startswith(VIDEO_SYNTAXES):  # a deflated one would be unpacked
                raise HaustraError(
                    f"{path} is a DICOM file without video (transfer syntax {syntax}): give MPEG-2, H.264 or HEVC video"
                )
            header = _read(path, lambda: pydicom.dcmread(file, stop_before_pixels=True))
            self._spans = _fragments(file)
        if not self._spans:
            raise HaustraError(f"{path} has no encapsulated video: its pixel data is missing or empty")
        self.fps = _frames_a_second(header)

    def open(self) -> BinaryIO:
        return io.BufferedReader(_SpanFile(self._path, self._spans))


class _SpanFile(io.RawIOBase):
    """Parts of a file as one read-only file."""

    def __init__(self, path: Path, spans: list[Span]) -> None:
        self._file = path.open("rb")
        self._spans = spans
        self._ends = list(accumulate(length for _, length in spans))
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = (0, self._at, self._ends[-1])[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        number = bisect_right(self._ends, self._at)
        if number == len(self._spans):
            return 0
        left = self._ends[number] - self._at
        self._file.seek(sum(self._spans[number]) - left)
        count = self._file.readinto(memoryview(buffer)[:left])
        self._at += count
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


def _fragments(file: BinaryIO) -> list[Span]:
    """Fragments after the offset table; the file stands at the pixel data. A cut-off file gives those it has."""
    head = file.read(12)
    if head[:4] != _PIXEL_DATA or struct.unpack("<I", head[8:12])[0] != _UNDEFINED:
        return []
    spans = []
    while (item := file.read(8))[:4] == _ITEM and len(item) == 8:
        length = struct.unpack("<I", item[4:])[0]
        spans.append((file.tell(), length))
        file.seek(length, io.SEEK_CUR)
    return [span for span in spans[1:] if span[1]]


def _read(path: Path, read: Callable[[], Any]) -> Any:
    """What pydicom reads of a header, which raises many types where it cannot."""
    try:
        with warnings.catch_warnings(action="ignore"):  # odd but readable headers are common
            return read()
    except Exception as error:
        raise HaustraError(f"{path} is not a DICOM file that can be read") from error


def _frames_a_second(header: object) -> float | None:
    """The first possible rate that the header tells."""
    for keyword, per_second in (("FrameTime", False), ("CineRate", True), ("RecommendedDisplayFrameRate", True)):
        try:
            value = float(getattr(header, keyword, 0) or 0)
        except Exception:  # several values, or one that is no number: pydicom converts when asked
            continue
        rate = value if per_second or value <= 0 else 1000.0 / value
        if SLOWEST <= rate <= FASTEST:
            return rate
    return None
