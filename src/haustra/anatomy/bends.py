"""What the course of the path says about the boundaries: flexures, the sigmoid's loops, how the ends lie.

A network reads the whole course (directions and places along it in a frame of its own, angles between directions,
handedness, and how well the turns between any two stretches are known) and says for each of the five inner boundaries
how probable every place is. It was trained on simulated courses only, made as wrong as estimated paths are
(haustra.training.bends). The probabilities divided by those before looking are a likelihood for the decoder.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from haustra.onnx_models import OnnxModel, open_model, shipped
from haustra.poses import FloatArray

TASK = "bends"
PLACES = 48
_COARSE = 16
_FINE = 4 * PLACES
BINS = 60
GRID = 121
# The five answers rest on the same path and err together, the more the less a course is like those that were learnt:
# at full weight they count too much. Smaller networks said most of families that they had not learnt at 0.6 to 1.0, by
# boundary and family. Where locations are uncertain more than the turns is wrong, which the network is not told: 35
# located recordings that report nothing are named best at 0.8 up to a deviation of 0.04, at 0.35 to 0.5 beyond it.
# MISREAD was set on made withdrawals.
_KNOWN, _UNKNOWN = 0.027, 0.05  # mean deviation of the location
_WEIGHT_KNOWN, _WEIGHT_UNKNOWN = 0.9, 0.4
_FLOOR = 1e-3
MOST_UNSURE = 1.5  # radians: what is off by more has lost its direction altogether


def bend_likelihood(positions: FloatArray, index: FloatArray, std: FloatArray, turn_std: FloatArray) -> FloatArray:
    """Log-likelihood (5, GRID) of each inner boundary on an even grid over the path.

    `positions` (n, 3) and `index` (n,) of the kept frames with the deviations of the latter; `turn_std` (n,) is how far
    off the turn since the one before may be, in radians.
    """
    points, unsure = course_of(positions, index, turn_std)
    return likelihood_of(course_features(points[None], unsure[None]), std, shipped_model())


def likelihood_of(features: NDArray[np.float32], std: FloatArray, model: OnnxModel) -> FloatArray:
    """The same from the features (1, n) of one course."""
    logits = model.run(features)[0][0].astype(np.float64)
    chance = np.exp(logits - logits.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    before = np.array(model.metadata["prior"])
    weight = np.interp(std.mean(), [_KNOWN, _UNKNOWN], [_WEIGHT_KNOWN, _WEIGHT_UNKNOWN])
    ratio = weight * np.log((chance + _FLOOR) / (before + _FLOOR))
    centres = (np.arange(BINS) + 0.5) / BINS
    return np.stack([np.interp(np.linspace(0.0, 1.0, GRID), centres, row) for row in ratio])


@lru_cache(maxsize=1)
def shipped_model() -> OnnxModel:
    """The network of bends."""
    return open_model(shipped(TASK), task=TASK)


def course_of(positions: FloatArray, index: FloatArray, turn_std: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The path at even steps of the index, (PLACES + 1, 3) with length 1, and how far off each step's turn may be."""
    bins = np.clip((index * _FINE).astype(np.intp), 0, _FINE - 1)
    count = np.bincount(bins, minlength=_FINE)
    seen = count > 0
    at = np.r_[0.0, np.bincount(bins, index, _FINE)[seen] / count[seen], 1.0]
    edges = np.linspace(0.0, 1.0, _FINE + 1)
    fine = np.empty((_FINE + 1, 3))
    for axis in range(3):
        mean = np.bincount(bins, positions[:, axis], _FINE)[seen] / count[seen]
        fine[:, axis] = np.interp(edges, at, np.r_[positions[0, axis], mean, positions[-1, axis]])
    fine = gaussian_filter1d(fine, 2.0, axis=0, mode="nearest")
    fine[[0, -1]] = positions[[0, -1]]
    length = float(np.linalg.norm(np.diff(fine, axis=0), axis=1).sum())
    return fine[::4] / max(length, 1e-12), unsure_at(edges[::4], np.maximum.accumulate(index), turn_std[1:] ** 2)


def unsure_at(edges: FloatArray, at: FloatArray, variance: FloatArray) -> FloatArray:
    """Deviation of the turn between every two `edges`, from the variances of the turns between successive places."""
    added = np.interp(edges, at, np.concatenate([[0.0], np.cumsum(variance)]))
    return np.minimum(np.sqrt(np.maximum(np.diff(added), 0.0)), MOST_UNSURE)


def course_features(points: FloatArray, unsure: FloatArray) -> NDArray[np.float32]:
    """Input of the network from courses (n, PLACES + 1, 3) of length 1 and deviations of their turns (n, PLACES)."""
    n = len(points)
    step = np.diff(points, axis=1) * PLACES
    middle = 0.5 * (points[:, 1:] + points[:, :-1])
    ends = 0.5 * (points[:, :1] + points[:, -1:])
    frame, area, height = _own_frame(points, middle, ends[:, 0])
    unit = step / (np.linalg.norm(step, axis=2, keepdims=True) + 1e-9)
    coarse = unit.reshape(n, _COARSE, PLACES // _COARSE, 3).mean(axis=2)
    first, second = np.triu_indices(_COARSE, 1)
    angles = (coarse @ coarse.transpose(0, 2, 1))[:, first, second]
    variance = np.cumsum(unsure**2, axis=1)[:, PLACES // _COARSE // 2 :: PLACES // _COARSE]
    known = np.exp(variance[:, first] - variance[:, second])  # what is left of an angle on average when turns are off
    parts = [(step @ frame).reshape(n, -1), ((middle - ends) @ frame * 4).reshape(n, -1), known, angles, known * angles]
    return np.concatenate([*parts, _handedness(coarse), area * 20, height * 4], axis=1).astype(np.float32)


def _own_frame(points: FloatArray, middle: FloatArray, ends: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Axes (n, 3, 3) that turn with the course: normal of the area it encloses, from the ends to its middle, third."""
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
    """Triple products of directions one to three coarse steps apart: they tell left-handed loops from right ones."""
    products = [
        np.einsum("bi,bi->b", coarse[:, i], np.cross(coarse[:, i + k], coarse[:, i + 2 * k]))
        for k in (1, 2, 3)
        for i in range(_COARSE - 2 * k)
    ]
    return np.stack(products, axis=1)
