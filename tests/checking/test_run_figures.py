"""Figures of a run that say whether its recording suits the tool."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.checking.run_figures import light_note, run_figures
from haustra.core.vocabulary import Reason
from haustra.lab.evaluate.degraded.recordings import COPIES
from haustra.quality.thumbnails import to_jpeg
from haustra.results.observations import Observations


def _seen(picture: np.ndarray | None, reasons: list[Reason]) -> Observations:
    """Samples a tenth of a second apart; the camera draws back along its axis, the lumen lies 30 degrees beside it."""
    count = len(reasons)
    motion = np.tile([0.0, 0.0, 0.1, 0.0, 0.0, 0.0], (count, 1))
    return Observations(
        time_s=np.arange(count) / 10,
        reason=tuple(reasons),
        thumbnail=(b"" if picture is None else to_jpeg(picture),) * count,
        motion=motion,
        motion_std=np.full((count, 6), 0.02),
        lumen=np.tile([np.tan(np.radians(30.0)), 0.0, 0.1], (count, 1)),
    )


def _mucosa() -> np.ndarray:
    rng = np.random.default_rng(2)
    return np.clip(np.array([180, 105, 80]) + rng.normal(0, 12, (80, 100, 3)), 0, 255).astype(np.uint8)


def test_usable_repeated_and_the_longest_gap_are_counted() -> None:
    reasons = [Reason.KEPT] * 5 + [Reason.FROZEN] * 2 + [Reason.NON_INFORMATIVE] * 3 + [Reason.KEPT] * 10
    found = run_figures(_seen(_mucosa(), reasons))
    assert found.usable == pytest.approx(15 / 20)
    assert found.repeated == pytest.approx(2 / 20)
    assert found.longest_unusable_s == pytest.approx(0.6)
    assert found.stated == pytest.approx(np.sqrt(3) * 0.2)
    assert found.lumen_deg == pytest.approx(30.0)


def test_narrow_band_pictures_are_told_and_white_light_is_not() -> None:
    kept = [Reason.KEPT] * 10
    white = run_figures(_seen(_mucosa(), kept))
    change = COPIES["narrow band"].change
    assert change is not None
    narrow = run_figures(_seen(change(_mucosa(), np.random.default_rng(0)), kept))
    assert (white.other_light, narrow.other_light) == (0.0, 1.0)
    assert not light_note(white)
    assert "narrow-band" in light_note(narrow)[0]


def test_without_pictures_nothing_is_said_about_them() -> None:
    found = run_figures(_seen(None, [Reason.KEPT] * 10))
    assert found.blur is None
    assert found.other_light is None
    assert not light_note(found)
