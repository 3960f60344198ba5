"""camera.json: a camera as a small readable file, checked field by field when it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from haustra.camera.model import IDENTITY, Camera, Matrix2
from haustra.core.errors import HaustraError
from haustra.core.files import read_json, write_json
from haustra.core.records import as_record

MODEL = "scaramuzza"


class _CameraFile(Struct, frozen=True):
    """What stands there; `Camera` knows what is possible."""

    model: Literal["scaramuzza"]
    width: int
    height: int
    center: tuple[float, float]
    coefficients: tuple[float, ...]
    stretch: Matrix2 = IDENTITY


def camera_to_dict(camera: Camera) -> dict[str, Any]:
    """The content of camera.json."""
    return {
        "model": MODEL,
        "width": camera.width,
        "height": camera.height,
        "center": [float(value) for value in camera.center],
        "coefficients": [float(value) for value in camera.coefficients],
        "stretch": [[float(value) for value in row] for row in camera.stretch],
    }


def camera_from_dict(content: Any) -> Camera:
    """A camera from the content of camera.json; the message of an error names the field."""
    read = as_record(content, _CameraFile, "camera")
    return Camera(read.width, read.height, read.center, read.coefficients, read.stretch)


def write_camera(target: Path, camera: Camera) -> None:
    """Write camera.json."""
    write_json(target, camera_to_dict(camera))


def read_camera(source: Path) -> Camera:
    """The camera of a camera.json; an error names the file and the field."""
    content = read_json(source)
    try:
        return camera_from_dict(content)
    except HaustraError as error:
        raise HaustraError(f"{source}: {error}") from error
