"""Motion of a pair from flow and disparity by robust Gauss-Newton with a Gaussian prior (ours).

For small motions X_b = X_a + w x X_a + t the flow at a pixel is disparity * A t + B w: linear in the motion. We
linearise about a first guess, weight residuals robustly (IRLS, Cauchy), and keep a prior about the start: in a narrow
tube rotation and sideways translation look alike, and there a trained network knows better than the equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray, Mask
from haustra.core.poses import euler_to_matrix, matrix_to_euler
from haustra.motion.canonical import rays
from haustra.motion.parameters import LeastSquaresParameters

Prior = tuple[float, float]  # standard deviations of translation and of rotation (radians) about the start


def solve_motion(
    motion: NDArray[Any],
    flow_ab: NDArray[Any],
    disparity_a: NDArray[Any],
    K: NDArray[Any],
    valid: Mask,
    *,
    prior: Prior,
    parameters: LeastSquaresParameters,
) -> FloatArray:
    """s(a->b) (N, 6) that explains flow (N, H, W, 2) and disparity (N, H, W) best, with a prior about `motion`."""
    motion = np.asarray(motion, np.float64)
    stride = flow_ab.shape[2] // parameters.samples_across
    grid = (slice(None), slice(stride // 2, None, stride), slice(stride // 2, None, stride))
    flow, disparity = (
        np.asarray(x[grid], np.float64).reshape(len(motion), -1, *x.shape[3:]) for x in (flow_ab, disparity_a)
    )
    weight = valid[grid].reshape(disparity.shape).astype(np.float64)
    pixels = _grid_pixels(flow_ab.shape[1:3], stride)
    R, t = euler_to_matrix(motion[:, 3:]), motion[:, :3].copy()
    total = np.zeros_like(motion)
    for _ in range(parameters.iterations):
        residual, jacobian = _linearise(pixels, flow, disparity, K, R, t)
        robust = weight * _cauchy(residual, weight, parameters.flow_noise_px)
        step = _solve(jacobian, residual, robust, total, prior, parameters)
        total += step
        rotation = euler_to_matrix(step[:, 3:])
        R, t = rotation @ R, np.einsum("nij,nj->ni", rotation, t) + step[:, :3]
    return np.concatenate([t, matrix_to_euler(R)], axis=1)


def _grid_pixels(shape: tuple[int, ...], stride: int) -> FloatArray:
    ys, xs = np.mgrid[stride // 2 : shape[0] : stride, stride // 2 : shape[1] : stride]
    return np.stack([xs, ys], axis=-1).reshape(-1, 2).astype(np.float64)


def _linearise(
    pixels: FloatArray, flow: FloatArray, disparity: FloatArray, K: NDArray[Any], R: FloatArray, t: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Residual of the flow (N, P, 2) under the present motion, and its Jacobian (N, P, 2, 6) by a further (t, w)."""
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


def _cauchy(residual: FloatArray, weight: FloatArray, noise_px: float) -> FloatArray:
    """Cauchy weights (N, P): outliers of the flow, highlights and occlusions count little."""
    size = np.linalg.norm(residual, axis=-1)
    spread = np.median(np.where(weight > 0, size, 0.0), axis=1, keepdims=True)
    return 1.0 / (1.0 + (size / np.maximum(1.5 * spread, noise_px)) ** 2)


def _solve(
    jacobian: FloatArray,
    residual: FloatArray,
    weight: FloatArray,
    total: FloatArray,
    prior: Prior,
    parameters: LeastSquaresParameters,
) -> FloatArray:
    """One weighted least-squares step; the prior is on the sum of all steps."""
    information = weight / (parameters.redundancy * parameters.flow_noise_px**2)
    weighted = jacobian * information[..., None, None]
    normal = np.einsum("npki,npkj->nij", weighted, jacobian)
    right = np.einsum("npki,npk->ni", weighted, residual)
    precision = np.array([prior[0]] * 3 + [prior[1]] * 3) ** -2.0
    normal += np.diag(precision)
    result: FloatArray = np.linalg.solve(normal, (right - precision * total)[..., None])[..., 0]
    return result
