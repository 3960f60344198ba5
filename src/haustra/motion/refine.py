"""A pair's motion, refined by where the optical flow took single points.

A network says roughly how the camera moved and how far off each number may be; a point that is still tracks the motion
to a tenth of a pixel. Both together are one least-squares problem: for every point x_b' E x_a = 0, in pixels (Sampson),
and the six numbers near those of the network, each by its own standard deviation. How far the camera went is in no
point: length stays what the network says. Points on moving tissue, highlights or bad flow are told by how little they
fit, and count next to nothing (Geman-McClure).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.motion.canonical import rays
from haustra.poses import FloatArray, cross_matrix, euler_to_matrix, matrix_to_euler

ACROSS = 16  # points along a side of the picture
ROUNDS = 5
# Flow errors of neighbouring points go together: so many points carry the information of one. With it, 93 to 97 % of
# the errors on colons that no network has seen lie within two of the stated deviations.
ALIKE = 16.0
# A point that is off by this many times the usual distance of its pair counts a quarter.
FAR = 2.0
SHARPEST_PX = 0.05  # no flow is better than this at 128 pixels
FEWEST = 20  # points; fewer leave the motion as it was
# Highlights move with the lamp, not with the wall: unsaturated and bright (of 255), with a rim of two pixels.
_PALE, _BRIGHT = 60, 200
_RIM = np.ones((5, 5), np.uint8)


@dataclass(frozen=True)
class Points:
    """Rays (N, P, 3) of the same points in both cameras, and 1 where a point may be used, 0 where not (N, P)."""

    a: FloatArray
    b: FloatArray
    use: FloatArray


def flow_points(frames_a: NDArray[np.uint8], flow_ab: NDArray[np.float32], K: FloatArray) -> Points:
    """A grid of points in frames (N, S, S, 3), and where the flow (N, S, S, 2) takes them."""
    side = frames_a.shape[1]
    at = (np.arange(ACROSS) * side + side // 2) // ACROSS
    rows, columns = np.repeat(at, ACROSS), np.tile(at, ACROSS)
    here = np.stack([columns, rows], axis=1).astype(np.float64)
    there = here + flow_ab[:, rows, columns]
    use = np.stack([usable(frame)[rows, columns] for frame in frames_a]).astype(np.float64)
    return Points(rays(np.broadcast_to(here, there.shape), K), rays(there, K), use)


def refine_motion(
    motion: FloatArray, std: FloatArray, points: Points, focal_px: float
) -> tuple[FloatArray, FloatArray]:
    """s(a->b) (N, 6) that fits the points best, near the given one, and its standard deviations (N, 6).

    The translation is held alike in all directions, and has its length back in the end: held less along the axis than
    across, as networks say of themselves, it would grow longer wherever the points correct its direction.
    """
    start_R, start_t = euler_to_matrix(motion[:, 3:]), motion[:, :3]
    R, t, hold = start_R, start_t, std**-2.0
    alike = np.concatenate([np.repeat(1.0 / np.mean(std[:, :3] ** 2, axis=1)[:, None], 3, axis=1), hold[:, 3:]], axis=1)
    for _ in range(ROUNDS):
        residual, jacobian = _linearise(R, t, points, focal_px)
        weight = _weights(residual, points.use)
        weighted = np.swapaxes(jacobian * weight[..., None], 1, 2)
        normal = weighted @ jacobian
        away = np.concatenate([t - start_t, _small_turn(R @ np.swapaxes(start_R, 1, 2))], axis=1)
        right = -(weighted @ residual[..., None])[..., 0] - alike * away
        step = np.linalg.solve(normal + alike[:, :, None] * np.eye(6), right[..., None])[..., 0]
        R, t = euler_to_matrix(step[:, 3:]) @ R, t + step[:, :3]
    t = t * (np.linalg.norm(start_t, axis=1) / np.maximum(np.linalg.norm(t, axis=1), 1e-12))[:, None]
    spread = np.sqrt(np.diagonal(np.linalg.inv(normal + hold[:, :, None] * np.eye(6)), axis1=1, axis2=2))
    return np.concatenate([t, matrix_to_euler(R)], axis=1), spread


def usable(frame: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where the lens shows the wall (frames are 0 elsewhere), away from the rim and from highlights."""
    hsv = cv2.cvtColor(frame, cv2.COLOR_RGB2HSV)
    highlight = ((hsv[..., 1] < _PALE) & (hsv[..., 2] > _BRIGHT)).astype(np.uint8)
    shown = cv2.morphologyEx((hsv[..., 2] > 0).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    return np.asarray((cv2.erode(shown, _RIM) > 0) & (cv2.dilate(highlight, _RIM) == 0))


def _linearise(R: FloatArray, t: FloatArray, points: Points, focal_px: float) -> tuple[FloatArray, FloatArray]:
    """Sampson distances (N, P) in pixels, and their derivatives (N, P, 6) by a further (t, w).

    With y = R x_a the equation is x_b . (t x y) = 0: its derivative is y x x_b by t, y x (x_b x t) by a turn of y. A
    longer t changes nothing, so the part along t is taken out.
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


def _weights(residual: FloatArray, use: FloatArray) -> FloatArray:
    """Inverse variances (N, P), robust; none where too few points can be used."""
    used = np.where(use > 0, np.abs(residual), np.nan)
    enough = (use > 0).sum(axis=1) >= FEWEST
    usual = np.full(len(residual), np.inf)
    usual[enough] = np.maximum(1.4826 * np.nanmedian(used[enough], axis=1), SHARPEST_PX)
    scale = usual[:, None]
    return use / (1.0 + np.square(residual / (FAR * scale))) ** 2 / (ALIKE * scale**2)


def _small_turn(R: FloatArray) -> FloatArray:
    """Rotation vectors (N, 3) of small rotations."""
    return 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
