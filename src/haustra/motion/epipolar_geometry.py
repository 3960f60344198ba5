"""Epipolar geometry of point matches: Sampson error of a motion, and the essential matrix that fits them best."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from haustra.core.arrays import FloatArray
from haustra.core.poses import cross_matrix, invert
from haustra.motion.canonical import rays

AGREES_PX = 1.5  # inlier threshold, Sampson error at 384 px; matches of real neighbours scatter by about half a pixel
FEWEST = 30  # inliers; fewer do not constrain five degrees of freedom


def essential(T_a_b: FloatArray) -> FloatArray:
    """E with x_b' E x_a = 0 for rays of the same point; independent of the length of the translation."""
    T_b_a = invert(T_a_b)
    return cross_matrix(T_b_a[:3, 3] / max(float(np.linalg.norm(T_b_a[:3, 3])), 1e-12)) @ T_b_a[:3, :3]


def sampson_px(T_a_b: FloatArray, a: NDArray[Any], b: NDArray[Any], K: FloatArray) -> FloatArray:
    """Signed Sampson distance in pixels (first-order geometric error) of each match (N, 2)."""
    return _sampson(essential(T_a_b), rays(a, K), rays(b, K)) * float(K[0, 0])


def _sampson(E: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    lines_b, lines_a = a @ E.T, b @ E
    gradient = np.linalg.norm(np.column_stack([lines_b[:, :2], lines_a[:, :2]]), axis=1)
    return np.asarray((b * lines_b).sum(axis=1) / np.maximum(gradient, 1e-12))


def best_motion(a: NDArray[Any], b: NDArray[Any], K: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]] | None:
    """T_a_b (unit translation) of the essential matrix that fits the matches best, and its inliers.

    MAGSAC++, then twice least squares of the Sampson error with a soft L1 loss over the inliers (1.5 px). None where
    there are fewer than 30 inliers.
    """
    if len(a) < FEWEST:
        return None
    cv2.setRNGSeed(0)
    E, used = cv2.findEssentialMat(
        a.astype(np.float64), b.astype(np.float64), K, method=cv2.USAC_MAGSAC, prob=0.9999, threshold=AGREES_PX
    )
    if E is None or E.shape != (3, 3):
        return None
    _, R, t, _ = cv2.recoverPose(E, a.astype(np.float64), b.astype(np.float64), K, mask=used.copy())
    T_b_a = np.eye(4)
    T_b_a[:3, :3], T_b_a[:3, 3] = R, t[:, 0]
    T_a_b = invert(T_b_a)
    for _ in range(2):
        near = np.abs(sampson_px(T_a_b, a, b, K)) < AGREES_PX
        if near.sum() < FEWEST:
            return None
        T_a_b = _refined(T_a_b, a[near], b[near], K)
    T_a_b = _pointed(T_a_b, a[near], b[near], K)
    return T_a_b, np.abs(sampson_px(T_a_b, a, b, K)) < AGREES_PX


def _refined(T_a_b: FloatArray, a: NDArray[Any], b: NDArray[Any], K: FloatArray) -> FloatArray:
    """Five parameters: a rotation after the given one, and the translation on the unit sphere around the given one."""
    start_R, start_t = T_a_b[:3, :3], T_a_b[:3, 3] / np.linalg.norm(T_a_b[:3, 3])
    tangents = np.linalg.svd(start_t[None])[2][1:]
    rays_a, rays_b = rays(a, K), rays(b, K)

    def moved(step: FloatArray) -> FloatArray:
        T = np.eye(4)
        T[:3, :3] = start_R @ Rotation.from_rotvec(step[:3]).as_matrix()
        t = start_t + step[3:] @ tangents
        T[:3, 3] = t / np.linalg.norm(t)
        return T

    def residual(step: FloatArray) -> FloatArray:
        return _sampson(essential(moved(step)), rays_a, rays_b) * float(K[0, 0])

    found = least_squares(residual, np.zeros(5), loss="soft_l1", f_scale=0.5, x_scale=0.01, max_nfev=60)
    return moved(found.x)


def _pointed(T_a_b: FloatArray, a: NDArray[Any], b: NDArray[Any], K: FloatArray) -> FloatArray:
    """The translation reversed where most matches would lie behind the cameras (cheirality)."""
    if in_front_share(T_a_b, a, b, K) >= 0.5:
        return T_a_b
    turned = T_a_b.copy()
    turned[:3, 3] *= -1
    return turned


def parallax_px(T_a_b: FloatArray, a: NDArray[Any], b: NDArray[Any], K: FloatArray) -> FloatArray:
    """Displacement of each match (N, 2) that rotation does not explain, in pixels."""
    turned = rays(a, K) @ invert(T_a_b)[:3, :3].T
    return np.asarray((rays(b, K) - turned / turned[:, 2:])[:, :2] * float(K[0, 0]))


def in_front_share(T_a_b: FloatArray, a: NDArray[Any], b: NDArray[Any], K: FloatArray) -> float:
    """Share of the matches whose parallax has the sign of a point in front of the camera, weighted by its length."""
    T_b_a = invert(T_a_b)
    parallax = parallax_px(T_a_b, a, b, K)
    turned = rays(a, K) @ T_b_a[:3, :3].T
    towards = T_b_a[:2, 3] - T_b_a[2, 3] * turned[:, :2] / turned[:, 2:]
    along = (parallax * towards).sum(axis=1) / np.maximum(np.linalg.norm(towards, axis=1), 1e-12)
    return float(np.maximum(along, 0).sum() / max(float(np.abs(along).sum()), 1e-12))
