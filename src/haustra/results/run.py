"""Identity of a run as a value: all that its result depends on. Its digests identify every chunk, overlay and result.

`observed` identifies the observations: it covers all that decides the stages which look at pixels (1 to 5). `digest`
identifies the result and covers the rest, too: with another template nothing has to be decoded again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra import __version__
from haustra.core.errors import HaustraError
from haustra.core.onnx import onnx_runtime
from haustra.core.pictures import numbered_pictures

Values = Mapping[str, Any]


def library_versions() -> dict[str, str]:
    """The libraries that decide numbers: networks, flow, decoding."""
    import av
    import cv2

    return {"onnxruntime": onnx_runtime().__version__, "opencv": cv2.__version__, "av": av.__version__}


@dataclass(frozen=True)
class Run:
    """What a result is made of. Files are identified by their contents; where they lie does not matter.

    `reading` decides what is observed, `placing` and `parameters` what is made of the observations.
    """

    recording: str
    camera: Values
    models: Values
    reading: Values
    placing: Values
    template: Values
    parameters: Values
    haustra: str = __version__
    libraries: Values = field(default_factory=library_versions)

    @cached_property
    def observed(self) -> str:
        names = ("recording", "camera", "models", "reading", "haustra", "libraries")
        return value_digest({name: getattr(self, name) for name in names})

    @cached_property
    def digest(self) -> str:
        names = ("observed", "placing", "template", "parameters")
        return value_digest({name: getattr(self, name) for name in names})

    def as_dict(self) -> dict[str, Any]:
        """For summary.json, the digests first, as JSON gives it back."""
        return {"digest": self.digest, "observed": self.observed, **json.loads(json.dumps(asdict(self)))}


def recording_digest(path: Path, *further: Path) -> str:
    """All the contents of a file, or names and contents of the pictures in a folder: one pass over the bytes.

    Of a recording in parts those of all of them, in their order.
    """
    if further:
        return value_digest({"parts": [recording_digest(part) for part in (path, *further)]})
    if not path.is_dir():
        return file_digest(path)
    parts = [f"{picture.name}\0{file_digest(picture)}\0" for picture in numbered_pictures(path)]
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise HaustraError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from error


def file_identity(path: Path) -> dict[str, str]:
    """Name and content of a model file: the same name with other weights is another model."""
    return {"file": path.name, "sha256": file_digest(path)}


def array_digest(array: NDArray[Any]) -> str:
    """Of shape, type and values."""
    return hashlib.sha256(f"{array.shape}{array.dtype}".encode() + np.ascontiguousarray(array).tobytes()).hexdigest()


def value_digest(value: Any) -> str:
    """Of anything that JSON holds."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
