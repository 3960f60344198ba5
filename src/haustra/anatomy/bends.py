"""Likelihood of the boundaries from the shape of the path, by a network that recognises flexures and sigmoid loops.

The path is resampled evenly in location index and described by features that do not depend on its pose and scale:
directions and positions in a frame of its own, angles between directions, handedness, and how certain the rotation
between any two parts is. For each boundary the network gives a probability over the path. It was trained on simulated
courses distorted as estimated paths are (`haustra.lab.training.bends`). The ratio of its probabilities to those of its
training set is the likelihood used by the decoder.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from haustra.anatomy.grid import location_grid
from haustra.anatomy.parameters import BendParameters
from haustra.core.arrays import FloatArray
from haustra.core.onnx import NetworkCard, OnnxModel, Shape, open_model, shipped
from haustra.core.vocabulary import BOUNDARIES

TASK: Final = "bends"
# The network's input and output, fixed when it was trained: steps of the resampled path, of its coarse version, and
# bins of the location index.
STEPS = 48
_COARSE = 16
BINS = 60
LARGEST_TURN_STD = 1.5  # radians: with more the direction is lost altogether
_FINE = 4 * STEPS  # steps in which frames are averaged before smoothing


Row = Annotated[tuple[Annotated[float, Meta(ge=0, le=1)], ...], Meta(min_length=BINS, max_length=BINS)]


class BendCard(NetworkCard, frozen=True):
    """`prior` is the mean of its probabilities over the training set, a row for each boundary."""

    task: Literal["bends"]
    prior: Annotated[tuple[Row, ...], Meta(min_length=len(BOUNDARIES), max_length=len(BOUNDARIES))]

    def inputs(self) -> list[Shape]:
        return [path_features(np.zeros((1, STEPS + 1, 3)), np.zeros((1, STEPS))).shape[1:]]

    def outputs(self) -> dict[str, Shape]:
        return {"logits": (len(BOUNDARIES), BINS)}


@dataclass(frozen=True)
class BendNetwork:
    """An opened bend network; `path` identifies it."""

    model: OnnxModel[BendCard]
    path: Path

    def __call__(self, features: NDArray[np.float32]) -> FloatArray:
        """Probabilities (boundaries, BINS) of one path from its features (1, n)."""
        logits = self.model.run(features)[0][0].astype(np.float64)
        probability = np.exp(logits - logits.max(axis=1, keepdims=True))
        probability /= probability.sum(axis=1, keepdims=True)
        return probability

    @property
    def prior(self) -> FloatArray:
        """Mean probabilities over the training set."""
        return np.array(self.model.card.prior)


def open_bend_network(path: Path | None = None) -> BendNetwork:
    """The network in `path`, or the shipped one."""
    source = shipped(TASK) if path is None else path
    return BendNetwork(open_model(source, BendCard), source)


def bend_likelihood(
    network: BendNetwork,
    positions: FloatArray,
    index: FloatArray,
    turn_std: FloatArray,
    parameters: BendParameters,
) -> FloatArray:
    """Log-likelihood (boundaries, TABULATED) of each boundary over the location index.

    `positions` (n, 3) of the kept frames, their location index (n,), and the standard deviation (n,) of the rotation
    since the frame before, in radians.
    """
    points, step_std = resample_path(positions, index, turn_std, parameters)
    return feature_likelihood(network, path_features(points[None], step_std[None]), parameters)


def feature_likelihood(network: BendNetwork, features: NDArray[np.float32], parameters: BendParameters) -> FloatArray:
    """`bend_likelihood` from the features (1, n) of one path."""
    probability, prior = network(features) + parameters.floor, network.prior + parameters.floor
    ratio = parameters.weight * np.log(probability / prior)
    centres = (np.arange(BINS) + 0.5) / BINS
    return np.stack([np.interp(location_grid(), centres, row) for row in ratio])


def resample_path(
    positions: FloatArray, index: FloatArray, turn_std: FloatArray, parameters: BendParameters
) -> tuple[FloatArray, FloatArray]:
    """The path at even steps of the index: points (STEPS + 1, 3) of total length 1 and rotation std (STEPS,)."""
    bins = np.clip((index * _FINE).astype(np.intp), 0, _FINE - 1)
    count = np.bincount(bins, minlength=_FINE)
    seen = count > 0
    at = np.r_[0.0, np.bincount(bins, index, _FINE)[seen] / count[seen], 1.0]
    edges = np.linspace(0.0, 1.0, _FINE + 1)
    fine = np.empty((_FINE + 1, 3))
    for axis in range(3):
        mean = np.bincount(bins, positions[:, axis], _FINE)[seen] / count[seen]
        fine[:, axis] = np.interp(edges, at, np.r_[positions[0, axis], mean, positions[-1, axis]])
    fine = gaussian_filter1d(fine, parameters.smoothing_steps, axis=0, mode="nearest")
    fine[[0, -1]] = positions[[0, -1]]
    length = float(np.linalg.norm(np.diff(fine, axis=0), axis=1).sum())
    step_std = turn_std_between(edges[::4], np.maximum.accumulate(index), turn_std[1:] ** 2)
    return fine[::4] / max(length, 1e-12), step_std


def turn_std_between(edges: FloatArray, at: FloatArray, variance: FloatArray) -> FloatArray:
    """Standard deviation of the rotation between neighbouring `edges`, from variances between the places `at`."""
    total = np.interp(edges, at, np.concatenate([[0.0], np.cumsum(variance)]))
    return np.minimum(np.sqrt(np.maximum(np.diff(total), 0.0)), LARGEST_TURN_STD)


def path_features(points: FloatArray, step_std: FloatArray) -> NDArray[np.float32]:
    """The network's input from paths (n, STEPS + 1, 3) of length 1 and their rotation std (n, STEPS)."""
    n = len(points)
    step = np.diff(points, axis=1) * STEPS
    middle = 0.5 * (points[:, 1:] + points[:, :-1])
    ends = 0.5 * (points[:, :1] + points[:, -1:])
    frame, area, height = _intrinsic_frame(points, middle, ends[:, 0])
    unit = step / (np.linalg.norm(step, axis=2, keepdims=True) + 1e-9)
    coarse = unit.reshape(n, _COARSE, STEPS // _COARSE, 3).mean(axis=2)
    first, second = np.triu_indices(_COARSE, 1)
    cosine = (coarse @ coarse.transpose(0, 2, 1))[:, first, second]
    variance = np.cumsum(step_std**2, axis=1)[:, STEPS // _COARSE // 2 :: STEPS // _COARSE]
    kept = np.exp(variance[:, first] - variance[:, second])  # expected shrinkage of the cosine by rotation errors
    parts = [(step @ frame).reshape(n, -1), ((middle - ends) @ frame * 4).reshape(n, -1), kept, cosine, kept * cosine]
    return np.concatenate([*parts, _handedness(coarse), area * 20, height * 4], axis=1).astype(np.float32)


def _intrinsic_frame(
    points: FloatArray, middle: FloatArray, ends: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Axes (n, 3, 3) that turn with the path: normal of the enclosed area, from the ends to the centre, and the third.

    Also the size of that area and the distance from the ends to the centre, each (n, 1).
    """
    centre = middle.mean(axis=1, keepdims=True)
    around = points - centre
    area = 0.5 * np.cross(around[:, :-1], around[:, 1:]).sum(axis=1) + 0.5 * np.cross(around[:, -1], around[:, 0])
    size = np.linalg.norm(area, axis=1, keepdims=True)
    normal = area / (size + 1e-9)
    up = centre[:, 0] - ends
    up = up - normal * (up * normal).sum(axis=1, keepdims=True)
    height = np.linalg.norm(up, axis=1, keepdims=True)
    up = up / (height + 1e-9)
    return np.stack([normal, up, np.cross(normal, up)], axis=2), size, height


def _handedness(coarse: FloatArray) -> FloatArray:
    """Triple products of directions one to three coarse steps apart: the sign tells left loops from right ones."""
    products = [
        np.einsum("bi,bi->b", coarse[:, i], np.cross(coarse[:, i + k], coarse[:, i + 2 * k]))
        for k in (1, 2, 3)
        for i in range(_COARSE - 2 * k)
    ]
    return np.stack(products, axis=1)
