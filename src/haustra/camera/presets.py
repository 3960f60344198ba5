"""Cameras by name, and the one function that turns what a user wrote after `--camera` into a camera."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from haustra.camera.model import Camera
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import GENERIC

# C3VD's Olympus CF-HQ190L, the nearest public relative of the paper's PCF-H190.
_OLYMPUS = Camera(
    width=1350,
    height=1080,
    center=(678.544839263292, 542.975887548343),
    coefficients=(769.243600037458, 0.0, -0.000812770624150226, 6.25674244578925e-07, -1.19662182144280e-09),
    stretch=((0.99998688224999, 0.00288273829525059), (-0.00296316513429569, 1.0)),
)
# EndoSLAM's two capsules as MATLAB calibrated them (its pixels start at 1, ours at 0).
_MIROCAM = Camera(
    width=320,
    height=320,
    center=(162.24233245035515, 160.53438158332585),
    coefficients=(135.9993643881394, 0.0, -0.005687309714319685, 5.8175063588515615e-05, -2.2785350185635736e-07),
)
_PILLCAM = Camera(
    width=256,
    height=256,
    center=(129.4839004227764, 128.77308391350644),
    coefficients=(71.02908916221647, 0.0, 0.007413886365469082, -9.215126690899459e-05, 1.3443889443585514e-07),
)
MEASURED = {"olympus-cf-hq190l": _OLYMPUS, "mirocam": _MIROCAM, "pillcam": _PILLCAM}
PRESETS = (GENERIC, *MEASURED)

# Makers state 140 to 170 degrees for colonoscopes, along the diagonal of an octagonal picture: its masked corners
# leave about 0.93 of the diagonal of its box (the CF-HQ190L sees its stated 170 degrees there).
GENERIC_FOV_DEG = 155.0
_VISIBLE_DIAGONAL = 0.93
_GENERIC_SIZE = (1280, 1024)


def generic_camera(width: int, height: int) -> Camera:
    """A typical colonoscope for a picture box of this size: the CF-HQ190L's lens, centred, scaled to 155 degrees."""
    lens = Camera(_OLYMPUS.width, _OLYMPUS.height, _OLYMPUS.center, _OLYMPUS.coefficients)
    visible = lens.radius(np.array(math.radians(GENERIC_FOV_DEG / 2)))
    scale = _VISIBLE_DIAGONAL * math.hypot(width, height) / 2 / float(visible)
    coefficients = tuple(a * scale ** (1 - i) for i, a in enumerate(lens.coefficients))
    return Camera(width, height, ((width - 1) / 2, (height - 1) / 2), coefficients)


def load_camera(name_or_path: str | Path, size: tuple[int, int] | None = None) -> Camera:
    """A preset by its name or any calibration file that `import_camera` reads; resized to `size` when that is given."""
    name = str(name_or_path)
    if name == GENERIC:
        return generic_camera(*(size or _GENERIC_SIZE))
    camera = MEASURED[name] if name in MEASURED else _from_file(Path(name_or_path), size)
    return camera if size is None or size == camera.size else camera.resized(*size)


def _from_file(path: Path, size: tuple[int, int] | None) -> Camera:
    from haustra.camera.import_file import import_camera

    if not path.exists():
        raise HaustraError(f"'{path}' is neither a camera file nor a preset: the presets are {', '.join(PRESETS)}")
    return import_camera(path, size).camera


def conversion_notice(name_or_path: str | Path) -> str | None:
    """One line for the user when a calibration of another lens model had to be converted: how exact that is."""
    if str(name_or_path) in PRESETS or not Path(name_or_path).is_file():
        return None
    from haustra.camera.import_file import import_camera

    imported = import_camera(Path(name_or_path))
    if imported.residual_px == 0:
        return None
    return f"{Path(name_or_path).name} ({imported.source}) was converted, at most {imported.residual_px:.3f} px off"


def camera_for_picture(camera: Camera, frame_size: tuple[int, int], box: tuple[int, int, int, int]) -> Camera:
    """The camera of the picture `box` (x, y, width, height) in a frame, from one for the frame or for the picture.

    A calibration was made either on whole frames or on the picture cut out of them; its shape tells which.
    """
    x, y, width, height = box
    of_frame = _shape_gap(camera.size, frame_size)
    of_picture = _shape_gap(camera.size, (width, height))
    if min(of_frame, of_picture) > _SHAPE_TOLERANCE:
        raise HaustraError(
            f"the camera is for {camera.width}x{camera.height} pixels, which is the shape of neither the frame"
            f" ({frame_size[0]}x{frame_size[1]}) nor the picture in it ({width}x{height}): calibrate at one of these"
        )
    if of_picture <= of_frame and camera.size != frame_size:
        return camera.resized(width, height)
    return camera.resized(*frame_size).cropped(x, y, width, height)


# The box found in a recording may be a few pixels off; two pictures of other shapes differ by far more.
_SHAPE_TOLERANCE = 0.04


def _shape_gap(a: tuple[int, int], b: tuple[int, int]) -> float:
    return abs(math.log(a[0] * b[1] / (a[1] * b[0])))
