"""Synthetic test sets are the same on every call and in every version, or scores could not be compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from haustra.lab.evaluate.classifier_test import sized
from haustra.lab.evaluate.degraded.degrade import DEGRADATIONS, degrade
from haustra.lab.evaluate.degraded.instruments import draw_instrument
from haustra.lab.evaluate.degraded.outside import outside_picture
from haustra.lab.evaluate.degraded.synthetic_tests import MADE_SEED, degraded_test, instrument_test
from haustra.quality.labelled import INFORMATIVE, Sample

KEPT = Path(__file__).parents[2] / "data" / "degraded.json"
SIDE, SEEDS = 96, 40


def still() -> np.ndarray:
    """Patterned tissue in a circle."""
    rng = np.random.default_rng(0)
    tissue = cv2.resize(rng.integers(60, 200, (12, 12, 3), dtype=np.uint8), (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
    y, x = np.mgrid[:SIDE, :SIDE] - SIDE / 2
    return np.where((np.hypot(x, y) < 0.47 * SIDE)[..., None], np.maximum(tissue, 30), 0).astype(np.uint8)


def fingerprint(made: Callable[[np.random.Generator], np.ndarray]) -> list[list[float]]:
    """Each picture against a few random patterns: every pixel counts."""
    signs = np.random.default_rng(7).choice([-1.0, 1.0], (3, SIDE * SIDE * 3)) / SIDE
    return [(signs @ made(np.random.default_rng(seed)).ravel()).round(2).tolist() for seed in range(SEEDS)]


MADE: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    **{kind: lambda rng, kind=kind: degrade(still(), rng, kind) for kind in DEGRADATIONS},
    "any": lambda rng: degrade(still(), rng),
    "instrument": lambda rng: draw_instrument(still(), rng),
    "room": lambda rng: outside_picture(SIDE, rng),
}


@pytest.mark.parametrize("name", MADE)
def test_what_is_drawn_from_a_seed_stays_as_it_was(name: str) -> None:
    """After an intended change run `python tests/lab/evaluate/test_synthetic_tests.py`; old scores are then void."""
    np.testing.assert_allclose(fingerprint(MADE[name]), json.loads(KEPT.read_text())[name], atol=0.06)


def test_every_good_picture_is_asked_twice() -> None:
    rng = np.random.default_rng(1)
    pictures = rng.integers(30, 220, (12, SIDE, SIDE, 3), dtype=np.uint8)
    labels = [INFORMATIVE, "blur", *([INFORMATIVE] * 9), "forceps"]
    samples = [Sample(Path("x"), label, f"r{k}", "test", source="film") for k, label in enumerate(labels)]
    good = [k for k, label in enumerate(labels) if label == INFORMATIVE]
    kinds = list(DEGRADATIONS)
    for task, test in ((0, degraded_test(samples, pictures, 48)), (1, instrument_test(samples, pictures, 48))):
        assert test.recordings == [f"film r{k}" for k in good] * 2
        wanted = np.zeros((20, 2))
        wanted[10:, task] = 1
        np.testing.assert_array_equal(test.labels, wanted)
        np.testing.assert_array_equal(test.pictures[:10], sized(pictures[good], 48))
        for number, k in enumerate(good):
            if task:
                made = draw_instrument(pictures[k], np.random.default_rng((MADE_SEED, 1, number)))
            else:
                made = degrade(pictures[k], np.random.default_rng((MADE_SEED, number)), kinds[number % len(kinds)])
            np.testing.assert_array_equal(test.pictures[10 + number], sized([made], 48)[0])


if __name__ == "__main__":
    KEPT.write_text(json.dumps({name: fingerprint(made) for name, made in MADE.items()}) + "\n")
