"""True motion of the stretches that `haustra check` looks at, and how far ours is from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from haustra.camera import Camera
from haustra.checking.motion_agreement import FAR, chained
from haustra.checking.stretch_figures import StretchFigures
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.poses import invert, rotation_angle_deg
from haustra.core.times import nearest
from haustra.lab.datasets.dataset_recording import DatasetRecording

FEWEST = 3


def motion_error(ours: FloatArray, true: FloatArray) -> float:
    """Error of the translations T_a_b (n, 4, 4) as a share of their length, both summed, after one scale for all.

    NaN for fewer than three motions.
    """
    if len(ours) < FEWEST:
        return float("nan")
    t, t_true = ours[:, :3, 3], true[:, :3, 3]
    length = float(np.linalg.norm(t_true, axis=1).sum())
    scale = length / max(float(np.linalg.norm(t, axis=1).sum()), 1e-12)
    return float(np.linalg.norm(scale * t - t_true, axis=1).sum() / length)


def rotation_error_deg(ours: FloatArray, true: FloatArray) -> float:
    """Median angle between our rotations and the true ones."""
    return float(np.median(rotation_angle_deg((invert(ours) @ true)[:, :3, :3]))) if len(ours) else float("nan")


def step_pairs(stretches: Iterable[StretchFigures], recording: DatasetRecording) -> tuple[FloatArray, FloatArray]:
    """Our motions T_a_b (n, 4, 4) over six samples, and the true ones."""
    if recording.T_w_c is None:
        raise HaustraError(f"the poses of {recording.name} are not known")
    ours, true = [], []
    for stretch in stretches:
        if stretch.motion is None:
            continue
        T_w_c = recording.T_w_c[nearest(recording.time_s, stretch.motion.time_s)]
        for first in range(0, len(stretch.motion.T_a_b) - FAR + 1, FAR):
            ours.append(chained(stretch.motion.T_a_b[first : first + FAR]))
            true.append(invert(T_w_c[first]) @ T_w_c[first + FAR])
    both = np.array([ours, true]).reshape(2, -1, 4, 4)
    known = np.isfinite(both).all(axis=(0, 2, 3))
    return both[0][known], both[1][known]


def scaled_lens(camera: Camera, factor: float) -> Camera:
    """The lens with its angles off the axis multiplied: what a calibration of another instrument would say."""
    if factor == 1.0:
        return camera
    radius = np.linspace(1.0, 0.5 * float(np.hypot(camera.width, camera.height)), 60)
    at = np.column_stack([camera.center[0] + radius, np.full(60, camera.center[1])])
    rays = camera.unproject(at)
    angle = factor * np.arctan2(np.linalg.norm(rays[:, :2], axis=1), rays[:, 2])
    powers = np.array([0, 2, 3, 4])
    design = radius[:, None] ** powers * np.sin(angle)[:, None]
    unit = np.abs(design).max(axis=0)
    fitted, *_ = np.linalg.lstsq(design / unit, radius * np.cos(angle), rcond=None)
    coefficients = np.zeros(5)
    coefficients[powers] = fitted / unit
    return replace(camera, coefficients=tuple(coefficients.tolist()))
