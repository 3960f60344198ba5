"""A trained frame classifier: an ONNX file that carries its input size and its thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from haustra.core.errors import HaustraError
from haustra.core.onnx import NetworkCard, Shape, batches, open_model, shipped
from haustra.core.vocabulary import DEFAULT_QUALITY, QUALITY_NAMES
from haustra.quality.decide import Thresholds
from haustra.quality.network_input import prepare

TASK: Final = "quality"


class QualityCard(NetworkCard, frozen=True):
    """Side of the input in pixels, and where its probabilities are cut."""

    task: Literal["quality"]
    name: Annotated[str, Meta(max_length=100)]
    size: Annotated[int, Meta(ge=16, le=1024)]
    thresholds: Thresholds

    def inputs(self) -> list[Shape]:
        return [(self.size, self.size, 3)]

    def outputs(self) -> dict[str, Shape]:
        return {"noninformative": (), "forceps": ()}


@dataclass(frozen=True)
class FrameProbabilities:
    """Two probabilities for every picture."""

    noninformative: NDArray[np.float32]
    forceps: NDArray[np.float32]


class QualityModel:
    """`QualityModel("lite")`, `QualityModel("inception_v3")` or a file that `haustra train quality` made."""

    def __init__(self, name_or_file: str | Path = DEFAULT_QUALITY, *, threads: int = 1) -> None:
        self.path = find_model(name_or_file)
        self._model = open_model(self.path, QualityCard, threads=threads)
        card = self._model.card
        self.name, self.size, self.thresholds = card.name, card.size, card.thresholds

    def classify(self, pictures: Sequence[NDArray[np.uint8]] | NDArray[np.uint8]) -> FrameProbabilities:
        """Probabilities for RGB pictures of any size that are cropped to the endoscope picture."""
        parts = [self._model.run(np.stack([prepare(p, self.size) for p in batch])) for batch in batches(pictures)]
        empty = [np.empty(0, np.float32)]
        return FrameProbabilities(
            np.concatenate(empty + [p[0] for p in parts]), np.concatenate(empty + [p[1] for p in parts])
        )


def find_model(name_or_file: str | Path) -> Path:
    """A name is looked for among the shipped weights; anything else is a file."""
    text = str(name_or_file)
    if text not in QUALITY_NAMES:
        path = Path(name_or_file)
        if not path.is_file():
            raise HaustraError(
                f"no such quality model: {text}; allowed are {', '.join(QUALITY_NAMES)} or an .onnx file"
            )
        return path
    try:
        return shipped(f"quality_{text}")
    except HaustraError as error:
        raise HaustraError(
            f"the model '{text}' is not part of this installation: make it with 'haustra train quality DATA "
            f"--network {text} --out DIR' and give --quality DIR/quality_{text}.onnx"
        ) from error
