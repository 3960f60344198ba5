"""Stage 3: the Scaramuzza fisheye model (paper, appendix A): calibrate, import, undistort."""

from __future__ import annotations

from haustra.camera.jsonfile import camera_from_dict, camera_to_dict, read_camera, write_camera
from haustra.camera.model import Camera
from haustra.camera.presets import PRESETS, camera_for_picture, generic_camera, load_camera

__all__ = [
    "PRESETS",
    "Camera",
    "camera_for_picture",
    "camera_from_dict",
    "camera_to_dict",
    "generic_camera",
    "load_camera",
    "read_camera",
    "write_camera",
]
