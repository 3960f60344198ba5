"""A radial fisheye lens with six parameters: what self-calibration estimates, and how it becomes a `Camera`.

With rho the distance from the centre in units of the picture's rim, the angle off the optical axis is

    alpha(rho) = A rho (1 + k1 (rho^2 - 1) + k2 (rho^4 - 1) + k3 (rho^6 - 1)),

so A is the angle at the rim (half of the angle of view) whatever the shape terms are. One- and two-parameter families
mislead: they give a lens of 133 degrees 167. The prior holds what is weakly observed near lenses that were calibrated.
"""

from __future__ import annotations

import numpy as np

from haustra.camera.model import Camera
from haustra.camera.rim import Rim
from haustra.core.arrays import FloatArray

# Rim angle in radians, k1, k2, k3, centre offset x and y in units of the rim. Makers state angles of view of 140 to
# 170 degrees for colonoscopes. The shape is the Olympus CF-HQ190L's; two calibrated capsules differ from it by more.
PRIOR_MEAN = np.array([np.radians(75.0), 0.11, 0.05, 0.04, 0.0, 0.0])
PRIOR_STD = np.array([np.radians(9.0), 0.10, 0.08, 0.08, 0.05, 0.05])
PARAMETERS = len(PRIOR_MEAN)


def angles(lens: FloatArray, rho: FloatArray) -> FloatArray:
    """Angle off the axis in radians at `rho`."""
    square = rho * rho
    shape = 1.0 + lens[1] * (square - 1) + lens[2] * (square**2 - 1) + lens[3] * (square**3 - 1)
    return np.asarray(lens[0] * rho * shape)


def slopes(lens: FloatArray, rho: FloatArray) -> FloatArray:
    """Derivative of `angles` by rho."""
    square = rho * rho
    shape = 1.0 - lens[1] - lens[2] - lens[3] + 3 * lens[1] * square + 5 * lens[2] * square**2 + 7 * lens[3] * square**3
    return np.asarray(lens[0] * shape)


def rays(lens: FloatArray, rim: Rim, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Unit rays (..., 3) of pixels (..., 2) and their derivatives (..., 3) by one pixel outwards and one sideways."""
    offset = (points - np.array([rim.x, rim.y])) / rim.radius - lens[4:6]
    rho = np.maximum(np.hypot(offset[..., 0], offset[..., 1]), 1e-9)
    outward = offset / rho[..., None]
    alpha, slope = angles(lens, rho), slopes(lens, rho)
    sin, cos = np.sin(alpha)[..., None], np.cos(alpha)[..., None]
    ray = np.concatenate([sin * outward, cos], axis=-1)
    radial = np.concatenate([cos * outward, -sin], axis=-1) * (slope / rim.radius)[..., None]
    sideways = np.stack([-outward[..., 1], outward[..., 0], np.zeros_like(rho)], axis=-1)
    return ray, radial, sideways * (sin[..., 0] / (rho * rim.radius))[..., None]


def as_camera(lens: FloatArray, rim: Rim, width: int, height: int) -> Camera:
    """The lens as a Scaramuzza camera of a picture: a polynomial of degree 6 through its angles up to the rim."""
    rho = np.linspace(0.02, 1.0, 60)
    alpha = angles(lens, rho)
    powers = np.array([0, 2, 3, 4, 5, 6])
    # Minimise the error of the angle: z(r) sin(alpha) = r cos(alpha).
    design = rho[:, None] ** powers * np.sin(alpha)[:, None]
    fitted, *_ = np.linalg.lstsq(design, rho * np.cos(alpha), rcond=None)
    coefficients = np.zeros(7)
    coefficients[powers] = fitted * rim.radius ** (1.0 - powers)
    centre = rim.x + lens[4] * rim.radius, rim.y + lens[5] * rim.radius
    return Camera(width, height, centre, tuple(float(a) for a in coefficients))
