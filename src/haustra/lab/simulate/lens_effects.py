"""What motion and nearness do to the light before the sensor: smear along the true motion, and loss of focus."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import Float32Array, FloatArray
from haustra.core.poses import invert, rotation_angle_deg

if TYPE_CHECKING:
    from haustra.camera.model import Camera

Light = Float32Array  # linear, not yet seen by the sensor
SHUTTER_S = 1 / 50  # processors read out slowly when they have little light
CELL = 8  # motion is smooth over the picture: computed on a grid and interpolated
SEEN_SMEAR = 0.006  # share of the width; shorter smears change nothing that anyone would see
NEAREST_SHARP_MM = 9.0


@lru_cache(maxsize=8)
def pixel_grid(width: int, height: int) -> tuple[Light, Light]:
    """x and y of every pixel (H, W), for remaps; the same arrays every time: not to be written to."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x.flags.writeable = y.flags.writeable = False
    return x, y


def smear_field(
    camera: Camera, rays: FloatArray, depth_mm: Light, T_open: FloatArray, T_close: FloatArray
) -> NDArray[np.float32] | None:
    """Motion in pixels (H, W, 2) of the scene while the shutter is open, or None when nothing would be seen of it."""
    T_close_open = invert(T_close) @ T_open
    sampled = rays[CELL // 2 :: CELL, CELL // 2 :: CELL]
    depth = depth_mm[CELL // 2 :: CELL, CELL // 2 :: CELL]
    valid = depth > 0
    if not valid.any():
        return None
    near = float(np.percentile(depth[valid], 30))
    turned = np.radians(float(rotation_angle_deg(T_close_open[:3, :3])))
    moved = float(np.linalg.norm(T_close_open[:3, 3])) / max(near, 1.0)
    if (turned + moved) * camera.coefficients[0] < SEEN_SMEAR * camera.width:
        return None
    distance = np.where(valid, depth / np.maximum(sampled[..., 2], 0.05), np.median(depth[valid]))
    seen = (sampled**2).sum(axis=-1) > 0
    points = sampled * distance[..., None]
    height, width = depth_mm.shape
    before = np.stack(np.meshgrid(np.arange(CELL // 2, width, CELL), np.arange(CELL // 2, height, CELL)), axis=-1)
    after = camera.project(points @ T_close_open[:3, :3].T + T_close_open[:3, 3])
    field = np.nan_to_num(after - before)
    field[~seen] = field[seen].mean(axis=0)
    smooth = cv2.GaussianBlur(field.astype(np.float32), (0, 0), 1.0)
    return np.asarray(cv2.resize(smooth, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def smear(light: Light, field: NDArray[np.float32]) -> Light:
    """Average of the light along the motion; long smears are computed at half size, where nothing sharp is left."""
    length = float(np.percentile(np.hypot(field[::8, ::8, 0], field[::8, ::8, 1]), 90))
    height, width = light.shape[:2]
    scale = 2 if length > 8 else 1
    small = cv2.resize(light, (width // scale, height // scale), interpolation=cv2.INTER_AREA)
    flow = cv2.resize(field, (width // scale, height // scale)) / scale
    x, y = pixel_grid(width // scale, height // scale)
    taps = int(np.clip(np.ceil(length / scale / 1.5), 3, 15))
    total = np.zeros(small.shape, np.float32)
    for share in np.linspace(-0.5, 0.5, taps, dtype=np.float32):
        along_x, along_y = x + share * flow[..., 0], y + share * flow[..., 1]
        tap = cv2.remap(small, along_x, along_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        total += np.asarray(tap, np.float32)
    return np.asarray(cv2.resize(total / taps, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def defocus(light: Light, distance_mm: float) -> Light:
    """The lens is sharp from some millimetres on; a wall nearer than that is a soft red."""
    share = max(0.0, 1.0 - distance_mm / NEAREST_SHARP_MM)
    sigma = 0.04 * light.shape[1] * share
    return light if sigma < 0.4 else np.asarray(cv2.GaussianBlur(light, (0, 0), sigma), dtype=np.float32)
