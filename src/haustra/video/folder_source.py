"""A folder of numbered pictures as a recording."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av

from haustra.core.errors import HaustraError
from haustra.core.pictures import numbered_pictures
from haustra.video.problems import Problems
from haustra.video.source import Decoded, Properties


class FolderSource:
    """Picture n of the folder, in the order of the numbers in the names, was taken at n / fps."""

    def __init__(self, folder: Path, *, fps: float) -> None:
        self._paths = numbered_pictures(folder)
        self._fps = fps
        frame = _decode_picture(self._paths[0])
        self.properties = Properties(
            width=frame.width,
            height=frame.height,
            rotation=round(frame.rotation / 90) * 90 % 360,
            pixel_aspect=Fraction(1),
            frame_rate=fps,
            duration_s=len(self._paths) / fps,
            start_time_s=0.0,
            codec=f"{self._paths[0].suffix[1:].lower()} pictures",
            continuous=False,
        )

    def decode(
        self,
        start_s: float,
        threads: int,  # noqa: ARG002
        problems: Problems,
        rate_hz: float | None = None,  # noqa: ARG002
        offset_s: float = 0.0,  # noqa: ARG002
    ) -> Generator[Decoded]:
        first = max(0, int(start_s * self._fps) - 1)
        yield from self._pictures(range(first, len(self._paths)), problems)

    def spread(self, count: int, problems: Problems) -> Generator[Decoded]:
        total = len(self._paths)
        yield from self._pictures(sorted({int(total * (i + 0.5) / count) for i in range(count)}), problems)

    def stamps(self) -> Iterator[float | None]:
        return (number / self._fps for number in range(len(self._paths)))

    def _pictures(self, numbers: range | list[int], problems: Problems) -> Generator[Decoded]:
        for number in numbers:
            path = self._paths[number]
            try:
                frame = _decode_picture(path)
            except HaustraError:
                problems.add(f"picture {number + 1} of {len(self._paths)} cannot be read and is left out")
                continue
            yield number / self._fps, frame


def _decode_picture(path: Path) -> Any:
    """The file is handed over open: ffmpeg would take a % or : in its name for a pattern or a protocol."""
    try:
        with path.open("rb") as file, av.open(file, "r") as container:
            return next(container.decode(video=0))
    except (av.FFmpegError, StopIteration, LookupError, ValueError, OSError) as error:
        raise HaustraError(f"{path} is not a picture that can be read") from error
