"""What was wrong with a recording while it was read: one line for each problem."""

from __future__ import annotations

from haustra.core.times import format_time

# Bad packets closer together than this are reported as one place.
NEAR_S = 10.0


class Problems:
    """Collects the problems of one reading of a recording in `lines`, while its frames are consumed."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._corrupt = 0
        self._since_s = 0.0
        self._place = 0  # of the line that counts corrupt packets
        self._sizes: set[str] = set()

    def add(self, line: str) -> None:
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
        self.add(f"no frames between {format_time(from_s)} and {format_time(to_s)}")

    def restart(self, time_s: float) -> None:
        self.add(f"time stamps start again at {format_time(time_s)}: times continue from there")

    def size_changes(self, found: str, expected: str, time_s: float) -> None:
        if found not in self._sizes:
            self._sizes.add(found)
            self.add(f"the frame size changes to {found} near {format_time(time_s)}: scaled to {expected}")

    def cut_off(self, at_s: float, declared_s: float) -> None:
        self.add(f"cut off at {format_time(at_s)}: the file says it lasts {format_time(declared_s)}")
