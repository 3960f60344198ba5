"""The two frame classifiers behind one interface: pictures in, logits of both tasks out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

from haustra.core.errors import HaustraError
from haustra.core.vocabulary import QUALITY_NAMES
from haustra.lab.training.quality import efficientnet, inception

SIDE_WEIGHT = 0.4  # of the auxiliary classifier's loss, as in the original Inception-v3


class QualityNetwork(nn.Module):
    """Pictures (N, S, S, 3) in 0..255 to logits (N, 2): non-informative, forceps."""

    def learning(self) -> list[nn.Parameter]:
        """The trainable parameters."""
        return [parameter for parameter in self.parameters() if parameter.requires_grad]

    def answers(self, pictures: Tensor) -> Iterator[tuple[float, Tensor]]:
        """Weight and logits (N, 2) of every output in the loss."""
        yield 1.0, self(pictures)


class Lite(QualityNetwork):
    """EfficientNet-Lite0 with two heads.

    The heads use mean and maximum over the map: an instrument may cover a single cell. Batch statistics stay those of
    ImageNet: the prediction of a frame must not depend on its batch, and small batches would only add noise.
    """

    def __init__(self, dropout: float, frozen_blocks: int, pretrained: bool = True) -> None:
        super().__init__()
        self.trunk = efficientnet.EfficientNetLite0()
        if pretrained:
            efficientnet.load_imagenet(self.trunk)
        self.trunk.freeze(frozen_blocks)
        self.dropout = nn.Dropout(dropout)
        # 1x1 convolutions: ONNX Runtime computes them per picture, so batched and single results are identical.
        self.noninformative = nn.Conv2d(2 * efficientnet.FEATURES, 1, 1)
        self.forceps = nn.Conv2d(2 * efficientnet.FEATURES, 1, 1)

    def forward(self, pictures: Tensor) -> Tensor:
        maps = self.trunk(as_planes(pictures))
        pooled = torch.cat([maps.mean((2, 3), keepdim=True), maps.amax((2, 3), keepdim=True)], 1)
        pooled = self.dropout(pooled)
        return torch.cat([self.noninformative(pooled), self.forceps(pooled)], 1).flatten(1)

    def train(self, mode: bool = True) -> Lite:
        super().train(mode)
        self.trunk.eval()
        return self


class PaperPair(QualityNetwork):
    """The paper's two Inception-v3 networks, one for each task.

    With torchvision's ImageNet file the forceps network trains its last layer only, as in the paper; without it both
    are trained from scratch.
    """

    def __init__(self, dropout: float, imagenet: Path | None = None) -> None:
        super().__init__()
        self.noninformative = inception.InceptionV3(1, dropout)
        self.forceps = inception.InceptionV3(1, dropout)
        self._last_only = imagenet is not None
        if imagenet is not None:
            for network in (self.noninformative, self.forceps):
                inception.load_imagenet(network, imagenet)
            self.forceps.freeze_all_but_last()

    def forward(self, pictures: Tensor) -> Tensor:
        planes = as_planes(pictures)
        return torch.cat([_main(self.noninformative(planes)), _main(self.forceps(planes))], 1)

    def answers(self, pictures: Tensor) -> Iterator[tuple[float, Tensor]]:
        planes = as_planes(pictures)
        first, second = self.noninformative(planes), self.forceps(planes)
        yield 1.0, torch.cat([_main(first), _main(second)], 1)
        if isinstance(first, tuple):
            side = second[1] if isinstance(second, tuple) else torch.zeros_like(first[1])
            yield SIDE_WEIGHT, torch.cat([first[1], side], 1)

    def train(self, mode: bool = True) -> PaperPair:
        super().train(mode)
        if self._last_only:
            self.forceps.eval()
            self.forceps.dropout.train(mode)
        return self


class Probabilities(nn.Module):
    """The exported module: pictures (N, S, S, 3) in 0..255 to the two probabilities."""

    def __init__(self, network: QualityNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        probabilities = torch.sigmoid(self.network(pictures))
        return probabilities[:, 0], probabilities[:, 1]


def as_planes(pictures: Tensor) -> Tensor:
    """(N, S, S, 3) to float (N, 3, S, S), both in 0..255; memory stays channels-last, which is faster."""
    return pictures.permute(0, 3, 1, 2).float()


def _main(answer: Tensor | tuple[Tensor, Tensor]) -> Tensor:
    return answer[0] if isinstance(answer, tuple) else answer


def build(name: str, *, dropout: float, frozen_blocks: int, imagenet: Path | None) -> QualityNetwork:
    """The frame classifier of this name, from its ImageNet weights."""
    if name == "lite":
        if imagenet is not None:
            raise HaustraError("lite brings its ImageNet weights along: --imagenet goes with --network inception_v3")
        return Lite(dropout, frozen_blocks)
    if name == "inception_v3":
        return PaperPair(dropout, imagenet)
    raise HaustraError(f"unknown network '{name}': allowed are {', '.join(QUALITY_NAMES)}")
