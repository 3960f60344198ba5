"""A trained frame classifier: an ONNX file that carries its input size and its thresholds."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.errors import HaustraError
from haustra.quality.decide import Thresholds
from haustra.quality.frames import prepare

SHIPPED = Path(__file__).parent.parent / "weights"
NAMES = ("lite", "inception_v3")
DEFAULT = "lite"
KIND = "quality"
METADATA_KEY = "haustra"
BATCH = 16


@dataclass(frozen=True)
class Chances:
    """Two probabilities for every picture."""

    noninformative: NDArray[np.float32]
    forceps: NDArray[np.float32]


class QualityModel:
    """`QualityModel("lite")`, `QualityModel("inception_v3")` or a file that `haustra train quality` made."""

    def __init__(self, name_or_file: str | Path = DEFAULT, *, threads: int = 1) -> None:
        import onnxruntime

        self.path = find_model(name_or_file)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(self.path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors have no common root
            reason = str(error).splitlines()[0]
            raise HaustraError(f"{self.path} is not an ONNX model that can be run: {reason}") from error
        metadata = _metadata(self._session, self.path)
        self.name = str(metadata["name"])
        self.size = int(metadata["size"])
        self.thresholds = Thresholds(**{key: float(value) for key, value in metadata["thresholds"].items()})

    def classify(self, pictures: Sequence[NDArray[np.uint8]] | NDArray[np.uint8]) -> Chances:
        """Probabilities for RGB pictures of any size that are cropped to the endoscope picture."""
        parts = [
            self._run(np.stack([prepare(picture, self.size) for picture in pictures[start : start + BATCH]]))
            for start in range(0, len(pictures), BATCH)
        ]
        empty = [np.empty(0, np.float32)]
        return Chances(np.concatenate(empty + [p[0] for p in parts]), np.concatenate(empty + [p[1] for p in parts]))

    def _run(self, batch: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        first, second = self._session.run(None, {self._session.get_inputs()[0].name: batch})
        return first, second


def find_model(name_or_file: str | Path) -> Path:
    """A name is looked for in the folder HAUSTRA_WEIGHTS and among the shipped weights; anything else is a file."""
    text = str(name_or_file)
    if text not in NAMES:
        path = Path(name_or_file)
        if not path.is_file():
            raise HaustraError(f"no such quality model: {text}; allowed are {', '.join(NAMES)} or an .onnx file")
        return path
    folders = [Path(os.environ["HAUSTRA_WEIGHTS"])] if os.environ.get("HAUSTRA_WEIGHTS") else []
    for folder in (*folders, SHIPPED):
        if (folder / f"quality_{text}.onnx").is_file():
            return folder / f"quality_{text}.onnx"
    raise HaustraError(
        f"the model '{text}' is not shipped (its networks are large): make it with "
        f"'haustra train quality DATA --network {text} --out DIR' and set HAUSTRA_WEIGHTS=DIR"
    )


def _metadata(session: Any, path: Path) -> dict[str, Any]:
    try:
        metadata = json.loads(session.get_modelmeta().custom_metadata_map[METADATA_KEY])
        if metadata["kind"] == KIND and {"name", "size", "thresholds"} <= set(metadata):
            return dict(metadata)
    except (KeyError, TypeError, ValueError):
        pass
    raise HaustraError(f"{path} is not a quality model: it was not made by 'haustra train quality'")
