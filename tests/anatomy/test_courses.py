"""What the network of bends is given, by value; the network itself is replaced."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from haustra.anatomy.bends import BINS, STEPS, BendNetwork, bend_likelihood, path_features, resample_path
from haustra.anatomy.grid import TABULATED
from haustra.anatomy.parameters import BendParameters

PARAMETERS = BendParameters()


def made_path(count: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    index = np.sort(rng.random(count))
    index[[0, -1]] = 0.0, 1.0
    index[100:130] = np.sort(rng.uniform(0.2, 0.3, 30))  # to and fro
    positions = np.stack([np.cos(5 * index), np.sin(3 * index), index**2], axis=1) + 0.01 * rng.normal(size=(count, 3))
    return positions, index


def test_a_course_is_the_mean_path_at_even_places_of_length_one() -> None:
    positions, index = made_path()
    points, unsure = resample_path(positions, index, np.zeros(len(index)), PARAMETERS)
    fine = 4 * STEPS
    at, means = [0.0], [positions[0]]
    for k in range(fine):
        here = [i for i in range(len(index)) if min(int(index[i] * fine), fine - 1) == k]
        if here:
            at.append(float(index[here].mean()))
            means.append(positions[here].mean(axis=0))
    at.append(1.0)
    means.append(positions[-1])
    edges = np.linspace(0, 1, fine + 1)
    path = np.stack([np.interp(edges, at, [mean[k] for mean in means]) for k in range(3)], axis=1)
    path = gaussian_filter1d(path, 2.0, axis=0, mode="nearest")
    path[0], path[-1] = positions[0], positions[-1]
    length = sum(np.linalg.norm(path[k + 1] - path[k]) for k in range(fine))
    np.testing.assert_allclose(points, path[::4] / length)
    assert points.shape == (STEPS + 1, 3)
    assert not unsure.any()


def test_what_a_turn_is_off_by_is_spread_over_the_steps_up_to_it_and_going_back_takes_no_way() -> None:
    index = np.array([0.0, 0.25, 0.5, 0.4, 1.0])
    positions = np.stack([index, index**2, 0 * index], axis=1)
    _, unsure = resample_path(positions, index, np.array([9.0, 0.0, 0.4, 0.0, 0.2]), PARAMETERS)
    for k in range(STEPS):
        variance = 0.0 if k < 12 else 0.4**2 / 12 if k < 24 else 0.2**2 / 24
        assert unsure[k] == pytest.approx(np.sqrt(variance), abs=1e-9)


def plain_features(points: np.ndarray, unsure: np.ndarray) -> np.ndarray:
    """Of one course, quantity by quantity."""
    step = [(points[k + 1] - points[k]) * STEPS for k in range(STEPS)]
    middle = [(points[k + 1] + points[k]) / 2 for k in range(STEPS)]
    ends = (points[0] + points[-1]) / 2
    centre = np.mean(middle, axis=0)
    area = sum(np.cross(points[k] - centre, points[k + 1] - centre) for k in range(STEPS)) / 2
    area = area + np.cross(points[-1] - centre, points[0] - centre) / 2
    normal = area / np.linalg.norm(area)
    up = (centre - ends) - normal * ((centre - ends) @ normal)
    height = np.linalg.norm(up)
    up = up / height
    frame = np.stack([normal, up, np.cross(normal, up)], axis=1)
    unit = [s / np.linalg.norm(s) for s in step]
    coarse = [np.mean(unit[3 * k : 3 * k + 3], axis=0) for k in range(16)]
    angles = [coarse[i] @ coarse[j] for i in range(16) for j in range(i + 1, 16)]
    known = [
        np.exp(-sum(unsure[k] ** 2 for k in range(3 * i + 2, 3 * j + 2))) for i in range(16) for j in range(i + 1, 16)
    ]
    hands = [
        coarse[i] @ np.cross(coarse[i + k], coarse[i + 2 * k]) for k in (1, 2, 3) for i in range(16) if i + 2 * k < 16
    ]
    parts = [*(s @ frame for s in step), *(4 * (m - ends) @ frame for m in middle), known, angles]
    parts += [np.multiply(known, angles), hands]
    return np.concatenate([*parts, [20 * np.linalg.norm(area)], [4 * height]])


def test_features_of_a_course() -> None:
    rng = np.random.default_rng(1)
    courses, unsure = np.cumsum(rng.normal(size=(2, STEPS + 1, 3)), axis=1) / 60, 0.3 * rng.random((2, STEPS))
    found = path_features(courses, unsure)
    assert found.dtype == np.float32
    for one, points, std in zip(found, courses, unsure, strict=True):
        np.testing.assert_allclose(one, plain_features(points, std), atol=2e-5)


@pytest.mark.parametrize("weight", [1.0, 0.5])
def test_the_likelihood_is_the_ratio_of_the_network_to_its_training_set(weight: float) -> None:
    parameters = replace(PARAMETERS, weight=weight, floor=0.01)
    rng = np.random.default_rng(2)
    logits = rng.normal(size=(1, 5, BINS)) * 3
    prior = rng.dirichlet(np.ones(BINS), 5)
    given: list[np.ndarray] = []
    model = SimpleNamespace(run=lambda x: (given.append(x), [logits])[1], card=SimpleNamespace(prior=prior.tolist()))
    network = BendNetwork(model, Path("x"))  # type: ignore[arg-type]
    positions, index = made_path()
    found = bend_likelihood(network, positions, index, np.zeros(len(index)), parameters)
    points, step_std = resample_path(positions, index, np.zeros(len(index)), parameters)
    np.testing.assert_array_equal(given[0], path_features(points[None], step_std[None]))
    for k in range(5):
        probability = np.exp(logits[0, k]) / np.exp(logits[0, k]).sum()
        ratio = weight * np.log((probability + 0.01) / (prior[k] + 0.01))
        wanted = np.interp(np.linspace(0, 1, TABULATED), (np.arange(BINS) + 0.5) / BINS, ratio)
        np.testing.assert_allclose(found[k], wanted)
