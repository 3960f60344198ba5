"""Other people's calibrations: MATLAB, OCamCalib, py-OCamCalib, OpenCV and calibu files, told apart by content."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from haustra.camera.conversion import Imported, from_opencv
from haustra.camera.jsonfile import MODEL, camera_from_dict
from haustra.camera.model import Camera, Matrix2
from haustra.core.errors import HaustraError
from haustra.core.files import read_json, read_text, regular_file

Size = tuple[int, int]

_FISHEYE_NAMES = {"fisheye", "equidistant", "kannala-brandt", "kannala_brandt", "kb4"}
_MATLAB_FIELDS = ("MappingCoefficients", "StretchMatrix", "DistortionCenter", "ImageSize")


def read_calibration(path: Path, size: Size | None) -> Imported:
    """Read a calibration file in this process: `camera.import_file.import_camera` knows which files not to trust."""
    readers = {".mat": _read_matlab, ".txt": _read_ocamcalib, ".json": _read_json, ".xml": _read_xml}
    readers |= {".yml": _read_opencv, ".yaml": _read_opencv}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise HaustraError(f"{path}: calibrations are read from {', '.join(sorted(readers))} files")
    regular_file(path)
    try:
        return reader(path, size)
    except HaustraError as error:
        raise error if str(path) in str(error) else HaustraError(f"{path}: {error}") from error
    except (ValueError, KeyError, IndexError, TypeError, ArithmeticError, MemoryError, np.linalg.LinAlgError) as error:
        raise HaustraError(f"{path} is not a calibration in a known form: {error}") from error


def from_numbers(center: Any, coefficients: Any, stretch: Any, size: Size) -> Camera:
    """A camera from [a0, a2, a3, ...] style numbers as numpy arrays; any 2x2 stretch is brought to [[c, d], [e, 1]].

    A factor s of the stretch matrix is a change of the unit of l: a_i becomes a_i s^(1 - i).
    """
    matrix = np.asarray(stretch, dtype=np.float64).reshape(2, 2)
    scale = float(matrix[1, 1])
    if scale <= 0:
        raise HaustraError(f"camera field 'stretch' must have a positive last element, found {scale}")
    a = [float(value) * scale ** (1 - i) for i, value in enumerate(np.ravel(coefficients))]
    (c, d), (e, _) = (matrix / scale).tolist()
    normal: Matrix2 = ((c, d), (e, 1.0))
    x, y = (float(value) for value in np.ravel(center))
    return Camera(*size, (x, y), tuple(a), normal)


def _read_matlab(path: Path, _size: Size | None) -> Imported:
    """fisheyeParameters and fisheyeIntrinsics; centre 1-based, [a0 a2 a3 a4], ImageSize is [rows columns]."""
    for values in _structs(_matlab_variables(path)):
        if all(name in values for name in _MATLAB_FIELDS):
            coefficients, stretch, center, shape = (np.asarray(values[name], float) for name in _MATLAB_FIELDS)
            a0, *higher = coefficients.ravel().tolist()
            height, width = (int(n) for n in shape.ravel())
            camera = from_numbers(center.ravel() - 1.0, [a0, 0.0, *higher], stretch, (width, height))
            return Imported(camera, "MATLAB fisheyeParameters")
    raise HaustraError("no fisheyeParameters or fisheyeIntrinsics inside: save one of them with MATLAB's save")


def _matlab_variables(path: Path) -> list[Any]:
    """All variables, and the hidden matrix that keeps the contents of opaque objects.

    scipy hands that matrix out as bytes.
    """
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        content = loadmat(path)
        found = [value for name, value in content.items() if not str(name).startswith("__")]
        hidden = content.get("__function_workspace__")
        if hidden is not None:
            raw = np.asarray(hidden, dtype=np.uint8).tobytes()
            found += loadmat(_as_file(raw)).values()
    except (MatReadError, NotImplementedError, OSError) as error:
        raise HaustraError(f"not a MAT-file of version 5 to 7.2: save with MATLAB's '-v7' ({error})") from error
    return found


def _as_file(raw: bytes) -> Any:
    """The hidden bytes are version and byte order, four bytes of padding and one ordinary element (type, length,
    content); a file header in front of that element makes them a MAT-file again."""
    order: Literal["little", "big"] = "little" if raw[2:4] == b"IM" else "big"
    length = int.from_bytes(raw[12:16], order)
    return io.BytesIO(b" " * 124 + raw[:4] + raw[8 : 16 + length])


def _structs(value: Any) -> Iterator[dict[str, Any]]:
    """Every struct inside nested MATLAB values, as a dictionary."""
    if isinstance(value, list):
        for item in value:
            yield from _structs(item)
    elif isinstance(value, np.void):
        fields = {name: value[name] for name in value.dtype.names or ()}
        yield fields
        yield from _structs(list(fields.values()))
    elif isinstance(value, np.ndarray) and (value.dtype.names or value.dtype == object):
        yield from _structs(list(value.ravel()))


def _read_ocamcalib(path: Path, _size: Size | None) -> Imported:
    """calib_results.txt: x is the row axis, z points backwards; (x, y, z) -> (y, x, -z) keeps the handedness."""
    lines = [line.split() for line in read_text(path).splitlines()]
    rows = [[float(word) for word in words] for words in lines if words and not words[0].startswith("#")]
    if len(rows) < 5 or len(rows[0]) != int(rows[0][0]) + 1 or [len(row) for row in rows[2:5]] != [2, 3, 2]:
        raise HaustraError("not an OCamCalib file: it has the polynomial, its inverse, centre, c d e, and the size")
    polynomial, (row, column), (c, d, e), (height, width) = rows[0][1:], rows[2], rows[3], rows[4]
    coefficients = [-value for value in polynomial]
    camera = from_numbers((column, row), coefficients, [[1.0, e], [d, c]], (int(width), int(height)))
    return Imported(camera, "OCamCalib")


def _read_json(path: Path, size: Size | None) -> Imported:
    content = read_json(path)
    if isinstance(content, dict) and "taylor_coefficient" in content:
        needed = ("distortion_center", "taylor_coefficient", "stretch_matrix")
        center, coefficients, stretch = (content[name] for name in needed)
        camera = from_numbers(center, coefficients, stretch, _known_size(content, size))
        return Imported(camera, "py-OCamCalib")
    if isinstance(content, dict) and content.get("model") != MODEL and ("K" in content or "camera_matrix" in content):
        return _from_opencv_fields(content, size)
    return Imported(camera_from_dict(content), "camera.json")


def _read_opencv(path: Path, size: Size | None) -> Imported:
    """YAML or XML of cv2.FileStorage."""
    import cv2

    try:
        storage = cv2.FileStorage(str(path), cv2.FILE_STORAGE_READ)
    except (cv2.error, SystemError) as error:
        raise HaustraError("not a file of OpenCV's FileStorage") from error
    root = storage.root()
    content: dict[str, Any] = {}
    for name in root.keys():  # noqa: SIM118 (a FileNode is no dictionary)
        node = root.getNode(name)
        if node.isMap():
            content[name] = node.mat()
        elif node.isString():
            content[name] = node.string()
        elif node.isInt() or node.isReal():
            content[name] = node.real()
        elif node.isSeq():
            content[name] = [node.at(i).real() for i in range(node.size())]
    storage.release()
    return _from_opencv_fields(content, size)


def _from_opencv_fields(content: dict[str, Any], size: Size | None) -> Imported:
    K = _first(content, "K", "camera_matrix", "cameraMatrix", "Camera_Matrix", "mtx")
    D = _first(content, "D", "distortion_coefficients", "distCoeffs", "Distortion_Coefficients", "dist")
    if K is None or D is None:
        raise HaustraError("camera fields 'K' and 'D' (or camera_matrix and distortion_coefficients) are needed")
    named = str(_first(content, "model", "distortion_model", "camera_model") or "").lower()
    fisheye = named in _FISHEYE_NAMES or bool(content.get("fisheye_model"))
    arrays = np.asarray(K, dtype=np.float64), np.asarray(D, dtype=np.float64).ravel()
    return from_opencv("fisheye" if fisheye else "pinhole", *arrays, _known_size(content, size))


def _read_xml(path: Path, size: Size | None) -> Imported:
    """calibu (EndoMapper): parameters [fx; fy; cx; cy; k1; k2; k3; k4] of Kannala and Brandt; else OpenCV's XML."""
    text = read_text(path)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise HaustraError("a calibration has no document type and no entities: remove them")
    model = re.search(r"<camera_model\b[^>]*\btype=\"([^\"]+)\"", text)
    if model is None:
        return _read_opencv(path, size)
    if model[1] != "calibu_fu_fv_u0_v0_kb4":
        raise HaustraError(f"the calibu camera type is '{model[1]}': only calibu_fu_fv_u0_v0_kb4 is read")
    fields = {name: re.search(rf"<{name}>([^<]*)</{name}>", text) for name in ("width", "height", "params")}
    missing = [name for name, match in fields.items() if match is None]
    if missing:
        raise HaustraError(f"camera field '{missing[0]}' is missing")
    width, height, params = (match[1] for match in fields.values() if match)
    fx, fy, cx, cy, *k = (float(word) for word in re.split(r"[\s;,]+", params.strip(" \n\t[]")) if word)
    K = np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])
    return from_opencv("fisheye", K, np.array(k), (int(width), int(height)))


def _first(content: dict[str, Any], *names: str) -> Any:
    return next((content[name] for name in names if name in content), None)


def _known_size(content: dict[str, Any], size: Size | None) -> Size:
    width, height = _first(content, "width", "image_width"), _first(content, "height", "image_height")
    pair = _first(content, "image_size", "img_size")
    if width is None and pair is not None:
        width, height = np.ravel(pair).tolist()
    if width is not None and height is not None:
        return int(width), int(height)
    if size is None:
        raise HaustraError("the file does not say how large its pictures are: add the fields 'width' and 'height'")
    return size
