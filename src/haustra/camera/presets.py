"""Cameras by name, and the one function that turns what a user wrote after `--camera` into a camera."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from haustra.camera.model import Camera
from haustra.camera.rim import Rim, picture_rim
from haustra.camera.self_calibration.lens import PRIOR_MEAN, as_camera
from haustra.core.arrays import Mask
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import AUTO, GENERIC
from haustra.video import Picture

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
_SOURCES = {
    GENERIC: "a typical colonoscope; follows the size of the picture",
    AUTO: "estimated from the recording itself",
    "olympus-cf-hq190l": "colonoscope, as calibrated by C3VD",
    "mirocam": "capsule, as calibrated by EndoSLAM",
    "pillcam": "capsule, as calibrated by EndoSLAM",
}

# Where the outline of the picture is not known it is taken for an octagon: its masked corners leave about 0.93 of the
# diagonal of its box.
_VISIBLE_DIAGONAL = 0.93
_GENERIC_SIZE = (1280, 1024)


def describe_presets() -> list[dict[str, str]]:
    """What may stand after --camera instead of a file: name, what the lens sees, where it comes from."""
    views = {GENERIC: f"{2 * math.degrees(PRIOR_MEAN[0]):.0f} degrees from rim to rim", AUTO: "-"}
    views |= {
        name: f"{_width_deg(camera):.0f} degrees across {camera.width} pixels" for name, camera in MEASURED.items()
    }
    return [{"name": name, "view": views[name], "source": _SOURCES[name]} for name in (GENERIC, AUTO, *MEASURED)]


def _width_deg(camera: Camera) -> float:
    """Angle of view from the left edge of the picture to the right one."""
    left, right = camera.unproject(np.array([[0.0, camera.center[1]], [camera.width - 1.0, camera.center[1]]]))
    return float(np.degrees(np.arctan2(-left[0], left[2]) + np.arctan2(right[0], right[2])))


def generic_camera(width: int, height: int, mask: Mask | None = None) -> Camera:
    """A typical colonoscope, 150 degrees from rim to rim of the picture `mask` in a box of this size."""
    octagon = Rim((width - 1) / 2, (height - 1) / 2, _VISIBLE_DIAGONAL * math.hypot(width, height) / 2)
    return as_camera(PRIOR_MEAN, octagon if mask is None else picture_rim(mask), width, height)


def picture_camera(name_or_path: str | Path, picture: Picture) -> Camera:
    """The camera of an endoscope picture, by name or from a file."""
    box = picture.box
    if str(name_or_path) == GENERIC:
        return generic_camera(box.width, box.height, picture.mask)
    return camera_for_picture(load_camera(name_or_path), (picture.frame_width, picture.frame_height), box)


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
