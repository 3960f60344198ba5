"""Poses: camera-to-world 4x4, OpenCV axes. `T_w_c` takes camera points to the world, `T_a_b` points of b into a."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from haustra.core.arrays import FloatArray, Mask
from haustra.core.errors import HaustraError

# Whatever the unit of a colonoscope's path.
LARGEST = 1e9


def invert(T: NDArray[Any]) -> FloatArray:
    """Inverse of rigid transforms, shape (..., 4, 4)."""
    T = np.asarray(T, dtype=np.float64)
    R_t = np.swapaxes(T[..., :3, :3], -1, -2)
    result = np.zeros_like(T)
    result[..., :3, :3] = R_t
    result[..., :3, 3] = -(R_t @ T[..., :3, 3:])[..., 0]
    result[..., 3, 3] = 1.0
    return result


def arc_of(points: FloatArray) -> FloatArray:
    """Length of the way up to each of the points (n, 3)."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])


def cross_matrix(vectors: NDArray[Any]) -> FloatArray:
    """Matrices (..., 3, 3) that take x to v x x, the cross product."""
    x, y, z = np.moveaxis(np.asarray(vectors, dtype=np.float64), -1, 0)
    zero = np.zeros_like(x)
    rows = [np.stack(row, axis=-1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))]
    return np.stack(rows, axis=-2)


def from_translation_quaternion(translation: NDArray[Any], quaternion_xyzw: NDArray[Any]) -> FloatArray:
    """Transforms (..., 4, 4) from translations (..., 3) and quaternions x y z w (..., 4)."""
    translation = np.asarray(translation, dtype=np.float64)
    quaternion = np.asarray(quaternion_xyzw, dtype=np.float64)
    result = np.zeros((*translation.shape[:-1], 4, 4))
    result[..., :3, :3] = (
        Rotation.from_quat(quaternion.reshape(-1, 4)).as_matrix().reshape(*translation.shape[:-1], 3, 3)
    )
    result[..., :3, 3] = translation
    result[..., 3, 3] = 1.0
    return result


def checked_poses(translation: NDArray[Any], quaternion_xyzw: NDArray[Any], source: object) -> FloatArray:
    """The same from a file: finite, within what any colon can be, and quaternions that are rotations."""
    length = np.linalg.norm(quaternion_xyzw, axis=-1)
    wrong = ~((np.abs(translation) <= LARGEST).all(axis=-1) & (length > 1e-6) & (length < 1e6))
    if wrong.any():
        raise HaustraError(f"{source}: pose {int(np.argmax(wrong)) + 1} is not a position and a rotation")
    return from_translation_quaternion(translation, quaternion_xyzw)


def checked_matrices(T: FloatArray, source: object) -> FloatArray:
    """Poses (n, 4, 4) of a file as they are; a HaustraError where one is not a rotation and a position."""
    wrong = wrong_matrices(T)
    if wrong.any():
        raise HaustraError(f"{source}: pose {int(np.argmax(wrong)) + 1} is not a rotation and a position")
    return T


def wrong_matrices(T: FloatArray) -> Mask:
    """Which of the poses (n, 4, 4) are not rotations with positions within what any colon can be."""
    R, bounded = T[:, :3, :3], np.asarray((np.abs(T) <= LARGEST).all(axis=(1, 2)), np.bool_)
    R = np.where(bounded[:, None, None], R, 0.0)
    off = np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(axis=(1, 2))
    return np.asarray(~bounded | (off > 0.01) | (np.linalg.det(R) < 0), np.bool_)


def to_translation_quaternion(T: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Translations (..., 3) and quaternions x y z w with w >= 0 (..., 4)."""
    T = np.asarray(T, dtype=np.float64)
    quaternion = Rotation.from_matrix(T[..., :3, :3].reshape(-1, 3, 3)).as_quat(canonical=True)
    return T[..., :3, 3].copy(), quaternion.reshape(*T.shape[:-2], 4)


def euler_to_matrix(angles: NDArray[Any]) -> FloatArray:
    """R = Rx(r_x) Ry(r_y) Rz(r_z), the paper's order; angles (..., 3) in radians."""
    angles = np.asarray(angles, dtype=np.float64)
    return Rotation.from_euler("XYZ", angles.reshape(-1, 3)).as_matrix().reshape(*angles.shape[:-1], 3, 3)


def matrix_to_euler(R: NDArray[Any]) -> FloatArray:
    """The inverse of `euler_to_matrix`."""
    R = np.asarray(R, dtype=np.float64)
    return Rotation.from_matrix(R.reshape(-1, 3, 3)).as_euler("XYZ").reshape(*R.shape[:-2], 3)


def rotation_angle_deg(R: NDArray[Any]) -> FloatArray:
    """Angle of rotations (..., 3, 3) in degrees."""
    R = np.asarray(R, dtype=np.float64)
    return np.degrees(Rotation.from_matrix(R.reshape(-1, 3, 3)).magnitude()).reshape(R.shape[:-2])
