"""A pair's motion by linear least squares (ours): with flow and disparity known, motion explains flow linearly.

For small motions X_b = X_a + w x X_a + t the flow at a pixel is disparity * A t + B w. We linearise about a first guess
(Gauss-Newton), weigh residuals robustly (IRLS, Cauchy), and hold the solution near its start by a prior: in a narrow
tube a turn and a sideways move look alike, and there a trained network knows better than the equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.motion.canonical import rays
from haustra.poses import euler_to_matrix, matrix_to_euler

FloatArray = NDArray[np.float64]
Prior = tuple[float, float]  # of translation and of rotation (radians)
FREE: Prior = (0.1, 0.1)  # for a start that knows nothing yet
ITERATIONS = 4
SAMPLES = 16  # along an edge of the picture
FLOW_NOISE_PX = 0.3
# Flow errors of neighbouring pixels go together: so many samples carry the information of one.
CORRELATED = 16.0


def solve_motion(
    motion: NDArray[Any],
    flow_ab: NDArray[Any],
    disparity_a: NDArray[Any],
    K: NDArray[Any],
    valid: NDArray[np.bool_],
    *,
    prior: Prior,
    stride: int,
    iterations: int,
) -> FloatArray:
    """s(a->b) (N, 6) that explains flow (N, H, W, 2) and disparity (N, H, W) best, near the given `motion`.

    `prior`: how far that is expected to be off.
    """
    motion = np.asarray(motion, np.float64)
    grid = (slice(None), slice(stride // 2, None, stride), slice(stride // 2, None, stride))
    flow, disparity = (
        np.asarray(x[grid], np.float64).reshape(len(motion), -1, *x.shape[3:]) for x in (flow_ab, disparity_a)
    )
    weight = valid[grid].reshape(disparity.shape).astype(np.float64)
    pixels = _grid_pixels(flow_ab.shape[1:3], stride)
    R, t = euler_to_matrix(motion[:, 3:]), motion[:, :3].copy()
    total = np.zeros_like(motion)
    for _ in range(iterations):
        residual, jacobian = _linearise(pixels, flow, disparity, K, R, t)
        robust = weight * _cauchy(residual, weight)
        step = _solve(jacobian, residual, robust, total, prior)
        total += step
        turn = euler_to_matrix(step[:, 3:])
        R, t = turn @ R, np.einsum("nij,nj->ni", turn, t) + step[:, :3]
    return np.concatenate([t, matrix_to_euler(R)], axis=1)


def _grid_pixels(shape: tuple[int, ...], stride: int) -> FloatArray:
    ys, xs = np.mgrid[stride // 2 : shape[0] : stride, stride // 2 : shape[1] : stride]
    return np.stack([xs, ys], axis=-1).reshape(-1, 2).astype(np.float64)


def _linearise(
    pixels: FloatArray, flow: FloatArray, disparity: FloatArray, K: NDArray[Any], R: FloatArray, t: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What the present motion leaves of the flow (N, P, 2), and its derivative (N, P, 2, 6) by a further (t, w)."""
    focal = np.array([K[0, 0], K[1, 1]])
    centre = np.array([K[0, 2], K[1, 2]])
    moved = np.einsum("nij,pj->npi", R, rays(pixels, K)) + t[:, None] * disparity[..., None]
    depth = np.maximum(moved[..., 2], 0.05)
    x, y = moved[..., 0] / depth, moved[..., 1] / depth
    residual = pixels + flow - (np.stack([x, y], axis=-1) * focal + centre)
    d = disparity / depth
    zero, one = np.zeros_like(x), np.ones_like(x)
    row_x = np.stack([d, zero, -d * x, -x * y, one + x * x, -y], axis=-1)
    row_y = np.stack([zero, d, -d * y, -(one + y * y), x * y, x], axis=-1)
    return residual, np.stack([row_x, row_y], axis=-2) * focal[:, None]


def _cauchy(residual: FloatArray, weight: FloatArray) -> FloatArray:
    """Weights (N, P): outliers of the flow, highlights and occlusions count little."""
    size = np.linalg.norm(residual, axis=-1)
    spread = np.median(np.where(weight > 0, size, 0.0), axis=1, keepdims=True)
    return 1.0 / (1.0 + (size / np.maximum(1.5 * spread, FLOW_NOISE_PX)) ** 2)


def _solve(
    jacobian: FloatArray, residual: FloatArray, weight: FloatArray, total: FloatArray, prior: Prior
) -> FloatArray:
    """One weighted least-squares step; the prior pulls the sum of all steps to zero."""
    information = weight / (CORRELATED * FLOW_NOISE_PX**2)
    weighted = jacobian * information[..., None, None]
    normal = np.einsum("npki,npkj->nij", weighted, jacobian)
    right = np.einsum("npki,npk->ni", weighted, residual)
    hold = np.array([prior[0]] * 3 + [prior[1]] * 3) ** -2.0
    normal += np.diag(hold)
    result: FloatArray = np.linalg.solve(normal, (right - hold * total)[..., None])[..., 0]
    return result
