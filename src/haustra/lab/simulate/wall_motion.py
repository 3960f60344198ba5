"""Breathing, peristalsis and insufflation: where the material points of the wall are at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from haustra.core.arrays import FloatArray

from .colon import Colon


@dataclass(frozen=True)
class WallMotion:
    """Breathing shifts the colon along the body, most where it hangs under the diaphragm; peristalsis narrows it."""

    seed: int = 0
    breathing_mm: float = 3.0
    breathing_period_s: float = 4.0
    peristalsis: float = 0.15
    wave_mm_per_s: float = 8.0
    wave_spacing_mm: float = 260.0
    insufflation: float = 0.0
    insufflation_period_s: float = 30.0

    def displaced(self, colon: Colon, vertices: FloatArray, first_row: int, time_s: float) -> FloatArray:
        """Vertices of the rows from `first_row` on, at `time_s`."""
        arc = np.arange(first_row, first_row + len(vertices), dtype=np.float64)
        centre = colon.centreline_mm[first_row : first_row + len(vertices)]
        scale = (1.0 - self._squeeze(arc, time_s)) * self._filled(time_s)
        shift = self._shift(colon, arc, time_s)
        return np.ascontiguousarray((centre + shift)[:, None] + (vertices - centre[:, None]) * scale[:, None, None])

    def _phase(self) -> float:
        return float(np.random.default_rng([self.seed, 404]).uniform(0, 2 * np.pi))

    def _squeeze(self, arc: FloatArray, time_s: float) -> FloatArray:
        """Share by which the lumen is narrowed: rings that travel towards the rectum."""
        offset = arc - self.wave_mm_per_s * time_s - self._phase() / (2 * np.pi) * self.wave_spacing_mm
        offset = (offset + self.wave_spacing_mm / 2) % self.wave_spacing_mm - self.wave_spacing_mm / 2
        return self.peristalsis * np.exp(-0.5 * (offset / 16.0) ** 2)

    def _filled(self, time_s: float) -> float:
        """Calibre as a share of the mean: the operator fills the colon with gas and lets it out again."""
        turn = 2 * np.pi * time_s / self.insufflation_period_s + 1.7 * self._phase()
        return float(1.0 + self.insufflation * np.sin(turn))

    def _shift(self, colon: Colon, arc: FloatArray, time_s: float) -> FloatArray:
        """Down and forward while breathing in; nothing at the rectum, which is fixed to the pelvis."""
        breath = 0.5 - 0.5 * np.cos(2 * np.pi * time_s / self.breathing_period_s + self._phase())
        share = np.interp(arc, colon.boundaries_mm, [0.5, 0.6, 1.0, 0.9, 0.4, 0.15, 0.0])
        return self.breathing_mm * breath * share[:, None] * np.array([0.0, -0.9, 0.4])
