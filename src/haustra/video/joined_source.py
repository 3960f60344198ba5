"""A recording in parts, one file after the other, on one clock: each part begins where the one before ends."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path

from haustra.core.errors import HaustraError
from haustra.core.pictures import natural_key
from haustra.video.clock import RESTART_S
from haustra.video.problems import PartProblems, Problems
from haustra.video.source import Decoded, Source


@dataclass(frozen=True)
class Part:
    """One file of a recording in parts, and when it begins on the recording's clock."""

    path: Path
    name: str
    start_s: float
    duration_s: float | None


def part_notes(parts: Sequence[Part]) -> tuple[str, ...]:
    """What a user should know who gave several files: they count as one recording, in this order."""
    names = [part.name for part in parts]
    if not names:
        return ()
    taken = f"{len(names)} files are taken as one recording, in this order: {', '.join(names)}"
    sorted_names = sorted(names, key=natural_key)
    if names != sorted_names:
        return (f"{taken}; by their numbers it would be {', '.join(sorted_names)}: check it",)
    return (f"{taken} (many recordings: haustra cohort)",)


class JoinedSource:
    """Parts in the order given. What lay between two files is not known: they follow one another without a pause.

    Where a part begins follows from the stamps of those before it, all of them, and not from what the files state: it
    is the same wherever reading begins.
    """

    def __init__(self, paths: Sequence[Path], sources: Sequence[Source], names: Sequence[str]) -> None:
        _check_alike(paths, sources)
        self._sources = sources
        lengths = [length_by_stamps(source) for source in sources[:-1]]
        self._starts_s = [round(start_s, 9) for start_s in accumulate(lengths, initial=0.0)]
        last_s = sources[-1].properties.duration_s
        self.parts = tuple(map(Part, paths, names, self._starts_s, [*lengths, last_s]))
        self.properties = replace(
            sources[0].properties,
            duration_s=None if last_s is None else self._starts_s[-1] + last_s,
            codec=", ".join(dict.fromkeys(source.properties.codec for source in sources)),
        )

    def decode(
        self, start_s: float, threads: int, problems: Problems, rate_hz: float | None = None, offset_s: float = 0.0
    ) -> Generator[Decoded]:
        # The last part that begins before the start: it has a frame before it, too.
        first = max(bisect_left(self._starts_s, start_s) - 1, 0)
        for k in range(first, len(self.parts)):
            begins_s, ends_s = [*self._starts_s, float("inf")][k : k + 2]
            own_problems = PartProblems(problems, begins_s)
            local_s, name = max(start_s - begins_s, 0.0), self.parts[k].name
            decoded = self._sources[k].decode(local_s, threads, own_problems, rate_hz, offset_s + begins_s)
            with closing(decoded):
                for part_s, frame in decoded:
                    time_s = round(begins_s + part_s, 9)
                    if time_s >= ends_s:
                        problems.add(f"{name} goes on past its last time stamp: that end is left out")
                        break
                    yield time_s, frame
            if k + 1 < len(self.parts):
                problems.cut_off(ends_s - begins_s, self._sources[k].properties.duration_s, name)

    def spread(self, count: int, problems: Problems) -> Generator[Decoded]:
        """Each part has its share of the frames, by its length."""
        lengths = [part.duration_s or 0.0 for part in self.parts]
        ends = [round(count * end_s / (sum(lengths) or 1.0)) for end_s in accumulate(lengths, initial=0.0)]
        for source, begins_s, (before, after) in zip(self._sources, self._starts_s, pairwise(ends), strict=True):
            for part_s, frame in source.spread(after - before, problems) if after > before else ():
                yield begins_s + part_s, frame

    def stamps(self) -> Iterator[float | None]:
        for source, begins_s in zip(self._sources, self._starts_s, strict=True):
            yield from (None if stamp_s is None else begins_s + stamp_s for stamp_s in source.stamps())


def length_by_stamps(source: Source) -> float:
    """How long a file lasts by the stamps of all its frames, in one pass without decoding.

    A clock that starts again goes on from where it was (`clock.Clock`); without stamps the frames are counted.
    """
    frame_s = 1.0 / source.properties.frame_rate
    length_s, lowest_s, highest_s, before_s, since = 0.0, 0.0, 0.0, None, 0
    for stamp_s in source.stamps():
        since += 1
        if stamp_s is None:
            continue
        if before_s is not None and stamp_s < before_s - RESTART_S:
            length_s += highest_s - lowest_s + frame_s
            lowest_s = highest_s = stamp_s
        before_s, since, highest_s = stamp_s, 0, max(highest_s, stamp_s)
    return length_s + highest_s - lowest_s + (since if before_s is None else since + 1) * frame_s


def _check_alike(paths: Sequence[Path], sources: Sequence[Source]) -> None:
    """Parts of one recording come from one recorder: frames of the same size, and all videos or all folders."""
    several = "many recordings: haustra cohort"
    for path in paths:
        if sum(path.samefile(other) for other in paths) > 1:
            raise HaustraError(f"{path} is given twice as a part of one recording: give each part once ({several})")
    for path, source in zip(paths, sources, strict=True):
        expected, found = _shape(sources[0]), _shape(source)
        if found != expected:
            raise HaustraError(
                f"{paths[0]} has frames of {expected}, {path} of {found}: parts of one recording have the same size "
                f"({several})"
            )
        if source.properties.continuous != sources[0].properties.continuous:
            raise HaustraError(f"{paths[0]} and {path} cannot be parts of one recording: give videos, or folders")


def _shape(source: Source) -> str:
    width, height = source.properties.display
    turned = source.properties.rotation
    return f"{width}x{height} pixels" + (f" turned by {turned} degrees" if turned else "")
