"""The lens found beside the true one: angles, whether deviations hold, what it is worth for the location."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.coverage import Covered
from benchmarks.lens import AUTO, GENERIC, TRUE, FoundLens, half_angle_deg, report

from haustra.camera.presets import picture_camera
from haustra.video import Box, Picture


def test_the_angle_half_way_to_the_rim_of_a_round_picture() -> None:
    rows, columns = np.mgrid[:300, :300]
    picture = Picture(Box(0, 0, 300, 300), np.hypot(columns - 150, rows - 150) <= 140, 300, 300)
    camera = picture_camera("generic", picture)
    assert half_angle_deg(camera, picture) == pytest.approx(float(np.degrees(camera.angle(np.array(70.0)))), abs=0.3)


def test_the_report_counts_lenses_that_are_close_and_deviations_that_hold() -> None:
    close = FoundLens("close", True, 100, 30.0, 31.0, 1.0, 25.0)
    off = FoundLens("off", True, 80, 30.0, 36.0, 2.0, 33.0)
    unsure = FoundLens("unsure", False, 5, 30.0, 32.0, 6.0, 32.0)
    text = report([close, off, unsure], [])
    assert "3 recordings; 2 said enough" in text
    assert "within 4 degrees on 2 (typical lens: 2)" in text
    assert "nearer than the typical one on 1" in text
    assert "Two stated deviations hold on 2." in text
    assert "5: typical" in text


def test_locations_are_compared_with_those_by_the_true_lens() -> None:
    def case(error: float) -> Covered:
        return Covered("one", np.linspace(0, 1, 10), np.full(10, error), np.full(10, 0.02), np.full(10, 0.1))

    lens = FoundLens("one", True, 100, 30.0, 31.0, 1.0, 25.0)
    text = report([lens], [{TRUE: case(0.02), AUTO: case(0.03), GENERIC: case(0.05)}])
    assert "Mean error over that with the true lens: auto 1.50, generic 2.50." in text
    row = next(line for line in text.splitlines() if line.startswith("| one") and "0.020" in line)
    assert [cell.strip() for cell in row.split("|")[2:-1]] == ["0.020", "0.030", "0.050", "1.000", "1.000", "0.000"]
