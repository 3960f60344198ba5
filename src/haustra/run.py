"""A run is a value: everything that its result depends on. Its digests name every cache, chunk, overlay and result.

`observed` names what was seen: it covers all that decides the stages which look at pixels (1 to 5). `digest` names the
result and covers the rest, too: with another template nothing has to be decoded again.
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
from haustra.errors import HaustraError
from haustra.onnx_models import onnx_runtime
from haustra.video.folder import numbered_pictures

# Raise it when the same recording and options give other numbers than before, whatever the version says.
REVISION = 14

Values = Mapping[str, Any]


def library_versions() -> dict[str, str]:
    """The libraries that decide numbers: networks, flow, decoding."""
    import av
    import cv2

    return {"onnxruntime": onnx_runtime().__version__, "opencv": cv2.__version__, "av": av.__version__}


@dataclass(frozen=True)
class Run:
    """What a result is made of. Files are named by their contents; where they lie does not matter.

    `reading` decides which frames are looked at, `placing` what is made of them.
    """

    recording: str
    camera: Values
    models: Values
    reading: Values
    placing: Values
    template: Values
    haustra: str = __version__
    revision: int = REVISION
    libraries: Values = field(default_factory=library_versions)

    @cached_property
    def observed(self) -> str:
        made_by = {"haustra": self.haustra, "revision": self.revision, "libraries": self.libraries}
        seen = {"recording": self.recording, "camera": self.camera, "models": self.models, "reading": self.reading}
        return value_digest(seen | made_by)

    @cached_property
    def digest(self) -> str:
        return value_digest({"observed": self.observed, "placing": self.placing, "template": self.template})

    def as_dict(self) -> dict[str, Any]:
        """For summary.json, the digests first."""
        return {"digest": self.digest, "observed": self.observed, **asdict(self)}


def recording_digest(path: Path) -> str:
    """All the contents of a file, or names and contents of the pictures in a folder: one pass over the bytes."""
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
