"""Still image files: reading, writing, and the natural order of a numbered folder."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np

from haustra.core.arrays import Image
from haustra.core.errors import HaustraError
from haustra.core.files import read_bytes, replacing

MOST_BYTES = 1 << 30  # of the largest picture that is decoded, without compression
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")


def is_picture(path: Path) -> bool:
    """By its name."""
    return path.suffix.lower() in PICTURES


def read_picture(path: Path, *, grey: bool = False) -> Image:
    """A picture file as RGB (height, width, 3), or as grey levels (height, width)."""
    content = read_bytes(path, MOST_BYTES)  # OpenCV itself cannot open every name on every system
    try:
        return decode_picture(content, grey=grey)
    except ValueError as error:
        raise HaustraError(f"{path} is not a picture that can be read: give {', '.join(PICTURES)}") from error


def decode_picture(content: bytes, *, grey: bool = False) -> Image:
    """The picture in the bytes of a file; a ValueError where there is none."""
    flags = cv2.IMREAD_GRAYSCALE if grey else cv2.IMREAD_COLOR
    try:
        image = cv2.imdecode(np.frombuffer(content, np.uint8), flags) if content else None
    except cv2.error as error:  # more pixels than `haustra/__init__.py` allows
        raise ValueError("not a picture") from error
    if image is None:
        raise ValueError("not a picture")
    return np.asarray(image if grey else cv2.cvtColor(image, cv2.COLOR_BGR2RGB), np.uint8)


def decode_kept(content: bytes) -> Image:
    """A picture that was kept in a result, which may be a stranger's."""
    try:
        return decode_picture(content)
    except ValueError as error:
        raise HaustraError("a picture of the result is damaged: run haustra locate again") from error


def write_picture(target: Path, image: Image) -> None:
    """Write RGB or grey levels in the format of the file's suffix."""
    with replacing(target) as temporary:
        if not cv2.imwrite(str(temporary), image if image.ndim == 2 else image[..., ::-1]):
            raise HaustraError(f"cannot write the picture {target}")


def numbered_pictures(folder: Path) -> list[Path]:
    """The pictures of a folder in the order a person would count them: 2 before 10."""
    pictures = [path for path in folder.iterdir() if is_picture(path) and path.is_file()]
    if not pictures:
        raise HaustraError(f"{folder} has no pictures ({', '.join(PICTURES)})")
    return sorted(pictures, key=lambda path: natural_key(path.name))


def natural_key(name: str) -> list[tuple[bool, int, str]]:
    """Sorts names by the numbers in them."""
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"([0-9]+)", name)]
