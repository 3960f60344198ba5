"""Bootstrap intervals: they hold what they promise on a known distribution, and recordings are drawn, not frames."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.lab.evaluate import bootstrap
from haustra.lab.evaluate.bootstrap import ConfidenceInterval, interval_of, mean_interval, pooled_interval


@pytest.mark.parametrize(("draw", "mean"), [("normal", 0.0), ("exponential", 1.0)])
def test_nineteen_of_twenty_intervals_hold_the_mean(draw: str, mean: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "DRAWS", 400)
    rng = np.random.default_rng(0)
    found = [mean_interval(getattr(rng, draw)(size=30)) for _ in range(200)]
    assert 0.88 <= np.mean([one.low <= mean <= one.high for one in found]) <= 0.99


def test_the_interval_shrinks_with_the_root_of_the_count() -> None:
    rng = np.random.default_rng(1)
    widths = [np.mean([(i := mean_interval(rng.normal(size=n))).high - i.low for _ in range(8)]) for n in (16, 144)]
    assert widths[0] / widths[1] == pytest.approx(3.0, rel=0.25)


def test_a_skewed_sample_has_a_longer_side() -> None:
    found = mean_interval(np.random.default_rng(2).exponential(size=30))
    assert found.high - found.value > found.value - found.low


def test_frames_of_one_recording_are_not_many_witnesses() -> None:
    rng = np.random.default_rng(3)
    recordings = [np.full(1000, rng.random() < 0.5) for _ in range(20)]
    found = pooled_interval(recordings)
    assert found.high - found.low > 0.3
    assert pooled_interval([np.array([1.0]), np.zeros(3)]).value == 0.25


def test_what_has_no_spread_and_a_single_recording() -> None:
    assert mean_interval([0.2, 0.2, 0.2]) == ConfidenceInterval(
        pytest.approx(0.2), pytest.approx(0.2), pytest.approx(0.2)
    )
    alone = mean_interval([0.2])
    assert alone.text() == "0.200"
    assert not alone.excludes_zero


def test_differences_say_their_sign_and_whether_zero_is_out() -> None:
    found = mean_interval([0.10, 0.12, 0.09, 0.11])
    assert found.excludes_zero
    assert found.text(2, signed=True).startswith("+0.10 [+0.0")
    assert not mean_interval([-0.1, 0.1, -0.2, 0.2]).excludes_zero
    assert interval_of(4, lambda rows: float(len(set(rows.tolist())))).value == 4
