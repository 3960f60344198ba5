"""Epipolar refinement: robust Gauss-Newton on Sampson distances of flow points, with the network's motion as prior.

A network estimates the motion roughly, with a standard deviation for each number; a single point of the flow follows
the motion to a tenth of a pixel. Both together are one least-squares problem: x_b' E x_a = 0 for every point, in
pixels (Sampson), and a Gaussian prior about the network's six numbers. No point tells how far the camera went: the
length stays the network's. Points on moving tissue, highlights or bad flow are outliers (Geman-McClure weights).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from haustra.core.arrays import Float32Array, FloatArray, Image, Images, Mask
from haustra.core.poses import cross_matrix, euler_to_matrix, matrix_to_euler
from haustra.motion.canonical import rays
from haustra.motion.parameters import EpipolarParameters


@dataclass(frozen=True)
class Points:
    """Rays (N, P, 3) of the same points in both cameras, and the weight (N, P): 1 where a point may be used, else 0."""

    a: FloatArray
    b: FloatArray
    use: FloatArray


def flow_points(frames_a: Images, flow_ab: Float32Array, K: FloatArray, parameters: EpipolarParameters) -> Points:
    """A grid of points in frames (N, S, S, 3), and where the flow (N, S, S, 2) takes them."""
    side, across = frames_a.shape[1], parameters.points_across
    at = (np.arange(across) * side + side // 2) // across
    rows, columns = np.repeat(at, across), np.tile(at, across)
    here = np.stack([columns, rows], axis=1).astype(np.float64)
    there = here + flow_ab[:, rows, columns]
    use = np.stack([usable(frame, parameters)[rows, columns] for frame in frames_a]).astype(np.float64)
    return Points(rays(np.broadcast_to(here, there.shape), K), rays(there, K), use)


def refine_motion(
    motion: FloatArray, std: FloatArray, points: Points, focal_px: float, parameters: EpipolarParameters
) -> tuple[FloatArray, FloatArray]:
    """Maximum a posteriori s(a->b) (N, 6) given the points and a prior (`motion`, `std`), and its deviations (N, 6).

    The prior of the translation is isotropic, and its length is restored in the end: with the network's larger
    deviation along the axis it would grow longer wherever the points correct its direction.
    """
    start_R, start_t = euler_to_matrix(motion[:, 3:]), motion[:, :3]
    R, t, precision = start_R, start_t, std**-2.0
    isotropic = np.repeat(1.0 / np.mean(std[:, :3] ** 2, axis=1)[:, None], 3, axis=1)
    prior = np.concatenate([isotropic, precision[:, 3:]], axis=1)
    for _ in range(parameters.iterations):
        residual, jacobian = _linearise(R, t, points, focal_px)
        weight = _weights(residual, points.use, parameters)
        weighted = np.swapaxes(jacobian * weight[..., None], 1, 2)
        normal = weighted @ jacobian
        away = np.concatenate([t - start_t, _small_rotation(R @ np.swapaxes(start_R, 1, 2))], axis=1)
        right = -(weighted @ residual[..., None])[..., 0] - prior * away
        step = np.linalg.solve(normal + prior[:, :, None] * np.eye(6), right[..., None])[..., 0]
        R, t = euler_to_matrix(step[:, 3:]) @ R, t + step[:, :3]
    t = t * (np.linalg.norm(start_t, axis=1) / np.maximum(np.linalg.norm(t, axis=1), 1e-12))[:, None]
    spread = np.sqrt(np.diagonal(np.linalg.inv(normal + precision[:, :, None] * np.eye(6)), axis1=1, axis2=2))
    return np.concatenate([t, matrix_to_euler(R)], axis=1), spread


def usable(frame: Image, parameters: EpipolarParameters) -> Mask:
    """Where the lens shows the wall (frames are 0 elsewhere), away from the edge and from highlights."""
    hsv = cv2.cvtColor(frame, cv2.COLOR_RGB2HSV)
    pale, bright = hsv[..., 1] < parameters.highlight_saturation, hsv[..., 2] > parameters.highlight_value
    highlight, rim = (pale & bright).astype(np.uint8), np.ones((2 * parameters.rim_px + 1,) * 2, np.uint8)
    shown = cv2.morphologyEx((hsv[..., 2] > 0).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    return np.asarray((cv2.erode(shown, rim) > 0) & (cv2.dilate(highlight, rim) == 0))


def _linearise(R: FloatArray, t: FloatArray, points: Points, focal_px: float) -> tuple[FloatArray, FloatArray]:
    """Sampson distances (N, P) in pixels, and their Jacobian (N, P, 6) by a further translation and rotation (t, w).

    With y = R x_a the equation is x_b . (t x y) = 0: its derivative is y x x_b by t, y x (x_b x t) by a rotation of y.
    The length of t is not observable, so the derivative along t is projected out.
    """
    E = cross_matrix(t) @ R
    turned, lines_b = points.a @ np.swapaxes(R, 1, 2), points.a @ np.swapaxes(E, 1, 2)
    lines_a = points.b @ E
    gradient = np.sqrt(np.square(lines_b[..., :2]).sum(axis=-1) + np.square(lines_a[..., :2]).sum(axis=-1))
    per_px = focal_px / np.maximum(gradient, 1e-9)
    by_t = np.cross(turned, points.b)
    along = t / np.maximum(np.linalg.norm(t, axis=1, keepdims=True), 1e-9)
    by_t -= (by_t @ along[..., None]) * along[:, None]
    by_w = np.cross(turned, np.cross(points.b, t[:, None]))
    jacobian = np.concatenate([by_t, by_w], axis=-1) * per_px[..., None]
    return np.einsum("npi,npi->np", points.b, lines_b) * per_px, jacobian


def _weights(residual: FloatArray, use: FloatArray, parameters: EpipolarParameters) -> FloatArray:
    """Geman-McClure inverse variances (N, P) with the robust scale of each pair; 0 where too few points can be used."""
    used = np.where(use > 0, np.abs(residual), np.nan)
    enough = (use > 0).sum(axis=1) >= parameters.fewest_points
    scale = np.full((len(residual), 1), np.inf)
    scale[enough, 0] = np.maximum(1.4826 * np.nanmedian(used[enough], axis=1), parameters.sharpest_px)
    robust = (1.0 + np.square(residual / (parameters.outlier_scale * scale))) ** 2
    return use / robust / (parameters.redundancy * scale**2)


def _small_rotation(R: FloatArray) -> FloatArray:
    """Rotation vectors (N, 3) of small rotations."""
    return 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
