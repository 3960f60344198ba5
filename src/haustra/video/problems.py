"""What was wrong with a recording while it was read: one line for each problem."""

from __future__ import annotations

from haustra.core.times import format_time

# A file that ends this much before its stated length was cut off.
CUT_OFF_S = 1.0
# Bad packets closer together than this are reported as one place.
NEAR_S = 10.0


class Problems:
    """Collects the problems of one reading of a recording in `lines`, while its frames are consumed."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.start_over()

    def start_over(self, first: int = 0) -> None:
        """A file is read from its start again: the lines from the `first` on are forgotten."""
        del self.lines[first:]
        self._corrupt = 0
        self._since_s = 0.0
        self._place = 0  # of the line that counts corrupt packets
        self._sizes: set[str] = set()

    def add(self, line: str) -> None:
        """One more line, unless it is there already."""
        if line not in self.lines:
            self.lines.append(line)

    def corrupt(self, time_s: float) -> None:
        """One more packet near this time that did not decode; reported at once, and counted in the same line."""
        if self._corrupt and time_s <= self._since_s + NEAR_S:
            self._corrupt += 1
            self.lines[self._place] = f"{self._corrupt} corrupt packets near {format_time(self._since_s)}"
        else:
            self._corrupt, self._since_s, self._place = 1, time_s, len(self.lines)
            self.lines.append(f"1 corrupt packet near {format_time(time_s)}")

    def gap(self, from_s: float, to_s: float) -> None:
        """Frames are missing between two times."""
        self.add(f"no frames between {format_time(from_s)} and {format_time(to_s)}")

    def restart(self, time_s: float) -> None:
        """The clock of the stream starts again at this time."""
        self.add(f"time stamps start again at {format_time(time_s)}: times continue from there")

    def size_changes(self, found: str, expected: str, time_s: float) -> None:
        """From this time on frames have another size than the first one."""
        if found not in self._sizes:
            self._sizes.add(found)
            self.add(f"the frame size changes to {found} near {format_time(time_s)}: scaled to {expected}")

    def cut_off(self, at_s: float, declared_s: float | None, name: str = "") -> None:
        """Reports a file, `name` where there are several, that ends well before its stated length."""
        if declared_s is not None and at_s < declared_s - CUT_OFF_S:
            said = f"cut off at {format_time(at_s)}: the file says it lasts {format_time(declared_s)}"
            self.add(f"{name} is {said}" if name else said)


class PartProblems(Problems):
    """The problems of one part of a recording, which begins at `start_s`: they are told with the recording's times."""

    def __init__(self, whole: Problems, start_s: float) -> None:
        self._whole, self._start_s = whole, start_s
        self._first = len(whole.lines)

    def start_over(self, first: int = 0) -> None:
        self._whole.start_over(self._first + first)

    def add(self, line: str) -> None:
        self._whole.add(line)

    def corrupt(self, time_s: float) -> None:
        self._whole.corrupt(self._start_s + time_s)

    def gap(self, from_s: float, to_s: float) -> None:
        self._whole.gap(self._start_s + from_s, self._start_s + to_s)

    def restart(self, time_s: float) -> None:
        self._whole.restart(self._start_s + time_s)
