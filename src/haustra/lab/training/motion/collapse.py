"""Detects training that runs but has collapsed: no motion, saturated disparity, or no valid pixels."""

from __future__ import annotations

from collections.abc import Mapping

from haustra.core.errors import HaustraError

WINDOWS = 3  # consecutive log windows, after the first
MOVING_FLOW_PX = 0.2
NO_MOTION = 1e-6
LEAST_VALID = 0.05
MOST_SATURATED = 0.95


class CollapseError(HaustraError):
    """Training has collapsed."""


def name_collapse(signs: Mapping[str, float]) -> str | None:
    """The kind of collapse that these means over a log window show, or None."""
    if signs.get("valid", 1.0) < LEAST_VALID:
        return "nothing valid: the estimated motion throws every pixel out of the picture"
    if signs.get("saturated", 0.0) > MOST_SATURATED:
        return "saturated disparity: the disparity map is flat or at its limit everywhere"
    if signs.get("flow", 0.0) > MOVING_FLOW_PX and signs.get("motion", 1.0) < NO_MOTION:
        return "zero motion: the pictures move but the estimated motion is zero"
    return None


class CollapseWatch:
    """Raises after WINDOWS consecutive windows with the same collapse."""

    def __init__(self) -> None:
        self._name: str | None = None
        self._count = 0

    def see(self, step: int, signs: Mapping[str, float]) -> None:
        name = name_collapse(signs)
        self._count = self._count + 1 if name is not None and name == self._name else int(name is not None)
        self._name = name
        if name is not None and self._count >= WINDOWS:
            raise CollapseError(
                f"training collapsed before step {step} ({name}): start again with a lower learning rate or other data"
            )
