"""What went wrong while reading, as one line each: where the file ends too early, where packets do not decode."""

from __future__ import annotations

from haustra.times import format_time

# Bad packets closer together than this are reported as one place.
NEAR_S = 10.0


class Problems:
    """Collects lines into a list that the recording shows; reading twice does not say a thing twice."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._corrupt = 0
        self._since_s = 0.0
        self._told = ""
        self._sizes: set[str] = set()

    def add(self, line: str) -> None:
        if line not in self._lines:
            self._lines.append(line)

    def corrupt(self, time_s: float) -> None:
        """One more packet that did not decode cleanly, near this time; reported at once, and counted on."""
        if not self._corrupt or time_s > self._since_s + NEAR_S:
            self._corrupt, self._since_s, self._told = 0, time_s, ""
        self._corrupt += 1
        packets = "packet" if self._corrupt == 1 else "packets"
        line = f"{self._corrupt} corrupt {packets} near {format_time(self._since_s)}"
        if self._told in self._lines and line not in self._lines:
            self._lines[self._lines.index(self._told)] = line
        elif self._told in self._lines:
            self._lines.remove(self._told)
        else:
            self.add(line)
        self._told = line

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
