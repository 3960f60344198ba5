"""Stage 3: the Scaramuzza fisheye model (paper, sec:camera_model): calibrate, import, undistort."""

from __future__ import annotations

from haustra.camera.jsonfile import camera_from_dict, camera_to_dict, read_camera, write_camera
from haustra.camera.model import Camera
from haustra.camera.presets import (
    PRESETS,
    camera_for_picture,
    conversion_notice,
    generic_camera,
    load_camera,
    picture_camera,
)
from haustra.camera.undistort import Pinhole, Undistorter

__all__ = [
    "PRESETS",
    "Camera",
    "Pinhole",
    "Undistorter",
    "camera_for_picture",
    "camera_from_dict",
    "camera_to_dict",
    "conversion_notice",
    "generic_camera",
    "load_camera",
    "picture_camera",
    "read_camera",
    "write_camera",
]
