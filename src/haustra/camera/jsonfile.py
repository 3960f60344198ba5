"""camera.json: a camera as a small readable file, checked field by field when it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haustra.camera.model import IDENTITY, Camera, Matrix2
from haustra.core.errors import HaustraError
from haustra.core.files import read_json, write_json

MODEL = "scaramuzza"


def camera_to_dict(camera: Camera) -> dict[str, Any]:
    """The content of camera.json."""
    return {
        "model": MODEL,
        "width": camera.width,
        "height": camera.height,
        "center": list(camera.center),
        "coefficients": list(camera.coefficients),
        "stretch": [list(row) for row in camera.stretch],
    }


def camera_from_dict(content: Any) -> Camera:
    """A camera from the content of camera.json; the message of an error names the field."""
    if not isinstance(content, dict):
        raise HaustraError(
            "a camera is a JSON object with the fields model, width, height, center, coefficients, stretch"
        )
    if content.get("model") != MODEL:
        raise HaustraError(f"camera field 'model' is {content.get('model')!r}: only '{MODEL}' is known")
    center = _numbers(content, "center", 2)
    return Camera(
        width=_pixels(content, "width"),
        height=_pixels(content, "height"),
        center=(center[0], center[1]),
        coefficients=_numbers(content, "coefficients"),
        stretch=_matrix(content, "stretch") if "stretch" in content else IDENTITY,
    )


def write_camera(target: Path, camera: Camera) -> None:
    write_json(target, camera_to_dict(camera))


def read_camera(source: Path) -> Camera:
    content = read_json(source)
    try:
        return camera_from_dict(content)
    except HaustraError as error:
        raise HaustraError(f"{source}: {error}") from error


def _field(content: dict[str, Any], name: str) -> Any:
    if name not in content:
        raise HaustraError(f"camera field '{name}' is missing")
    return content[name]


def _pixels(content: dict[str, Any], name: str) -> int:
    value = _field(content, name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise HaustraError(f"camera field '{name}' is {value!r}: it must be a whole number of pixels")
    return value


def _numbers(content: dict[str, Any], name: str, count: int | None = None) -> tuple[float, ...]:
    return _number_list(_field(content, name), name, count)


def _number_list(value: Any, name: str, count: int | None) -> tuple[float, ...]:
    numbers = isinstance(value, list) and all(isinstance(x, int | float) and not isinstance(x, bool) for x in value)
    if not numbers or (count is not None and len(value) != count):
        wanted = "numbers" if count is None else f"{count} numbers"
        raise HaustraError(f"camera field '{name}' is {value!r}: it must be a list of {wanted}")
    return tuple(float(x) for x in value)


def _matrix(content: dict[str, Any], name: str) -> Matrix2:
    rows = _field(content, name)
    if not isinstance(rows, list) or len(rows) != 2:
        raise HaustraError(f"camera field '{name}' is {rows!r}: it must be [[c, d], [e, 1]]")
    (c, d), (e, one) = (_number_list(row, name, 2) for row in rows)
    return (c, d), (e, one)
