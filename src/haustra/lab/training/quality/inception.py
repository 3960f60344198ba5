"""Inception-v3 on torch alone, with torchvision's parameter names and shapes so that its published ImageNet file loads.

The paper's network for both tasks (section "Image classification"). Input 0..255; torchvision's file expects -1..1.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from haustra.core.errors import HaustraError

FEATURES = 2048
AUX_CHANNELS = 768


class BasicConv2d(nn.Module):
    """Convolution, batch normalisation and ReLU."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int | tuple[int, int],
        stride: int = 1,
        padding: int | tuple[int, int] = 0,
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False)
        self.bn = nn.BatchNorm2d(outputs, eps=0.001)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.bn(self.conv(x)), inplace=True)


def _row(inputs: int, outputs: int, length: int) -> BasicConv2d:
    return BasicConv2d(inputs, outputs, (1, length), padding=(0, length // 2))


def _column(inputs: int, outputs: int, length: int) -> BasicConv2d:
    return BasicConv2d(inputs, outputs, (length, 1), padding=(length // 2, 0))


def _mean3(x: Tensor) -> Tensor:
    return F.avg_pool2d(x, 3, 1, 1)


class InceptionA(nn.Module):
    """The block at 35 x 35 (Szegedy 2016, figure 5)."""

    def __init__(self, inputs: int, pool_channels: int) -> None:
        super().__init__()
        self.branch1x1 = BasicConv2d(inputs, 64, 1)
        self.branch5x5_1 = BasicConv2d(inputs, 48, 1)
        self.branch5x5_2 = BasicConv2d(48, 64, 5, padding=2)
        self.branch3x3dbl_1 = BasicConv2d(inputs, 64, 1)
        self.branch3x3dbl_2 = BasicConv2d(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = BasicConv2d(96, 96, 3, padding=1)
        self.branch_pool = BasicConv2d(inputs, pool_channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        five = self.branch5x5_2(self.branch5x5_1(x))
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return torch.cat([self.branch1x1(x), five, double, self.branch_pool(_mean3(x))], 1)


class InceptionB(nn.Module):
    """Grid reduction from 35 x 35 to 17 x 17."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.branch3x3 = BasicConv2d(inputs, 384, 3, stride=2)
        self.branch3x3dbl_1 = BasicConv2d(inputs, 64, 1)
        self.branch3x3dbl_2 = BasicConv2d(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = BasicConv2d(96, 96, 3, stride=2)

    def forward(self, x: Tensor) -> Tensor:
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return torch.cat([self.branch3x3(x), double, F.max_pool2d(x, 3, 2)], 1)


class InceptionC(nn.Module):
    """The block at 17 x 17, with factorised 7 x 7 convolutions (figure 6)."""

    def __init__(self, inputs: int, middle: int) -> None:
        super().__init__()
        self.branch1x1 = BasicConv2d(inputs, 192, 1)
        self.branch7x7_1 = BasicConv2d(inputs, middle, 1)
        self.branch7x7_2 = _row(middle, middle, 7)
        self.branch7x7_3 = _column(middle, 192, 7)
        self.branch7x7dbl_1 = BasicConv2d(inputs, middle, 1)
        self.branch7x7dbl_2 = _column(middle, middle, 7)
        self.branch7x7dbl_3 = _row(middle, middle, 7)
        self.branch7x7dbl_4 = _column(middle, middle, 7)
        self.branch7x7dbl_5 = _row(middle, 192, 7)
        self.branch_pool = BasicConv2d(inputs, 192, 1)

    def forward(self, x: Tensor) -> Tensor:
        seven = self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x)))
        double = self.branch7x7dbl_3(self.branch7x7dbl_2(self.branch7x7dbl_1(x)))
        double = self.branch7x7dbl_5(self.branch7x7dbl_4(double))
        return torch.cat([self.branch1x1(x), seven, double, self.branch_pool(_mean3(x))], 1)


class InceptionD(nn.Module):
    """Grid reduction from 17 x 17 to 8 x 8."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.branch3x3_1 = BasicConv2d(inputs, 192, 1)
        self.branch3x3_2 = BasicConv2d(192, 320, 3, stride=2)
        self.branch7x7x3_1 = BasicConv2d(inputs, 192, 1)
        self.branch7x7x3_2 = _row(192, 192, 7)
        self.branch7x7x3_3 = _column(192, 192, 7)
        self.branch7x7x3_4 = BasicConv2d(192, 192, 3, stride=2)

    def forward(self, x: Tensor) -> Tensor:
        three = self.branch3x3_2(self.branch3x3_1(x))
        seven = self.branch7x7x3_4(self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x))))
        return torch.cat([three, seven, F.max_pool2d(x, 3, 2)], 1)


class InceptionE(nn.Module):
    """The block at 8 x 8, with expanded filter banks (figure 7)."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.branch1x1 = BasicConv2d(inputs, 320, 1)
        self.branch3x3_1 = BasicConv2d(inputs, 384, 1)
        self.branch3x3_2a = _row(384, 384, 3)
        self.branch3x3_2b = _column(384, 384, 3)
        self.branch3x3dbl_1 = BasicConv2d(inputs, 448, 1)
        self.branch3x3dbl_2 = BasicConv2d(448, 384, 3, padding=1)
        self.branch3x3dbl_3a = _row(384, 384, 3)
        self.branch3x3dbl_3b = _column(384, 384, 3)
        self.branch_pool = BasicConv2d(inputs, 192, 1)

    def forward(self, x: Tensor) -> Tensor:
        three = self.branch3x3_1(x)
        double = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        parts = [self.branch1x1(x), self.branch3x3_2a(three), self.branch3x3_2b(three)]
        parts += [self.branch3x3dbl_3a(double), self.branch3x3dbl_3b(double), self.branch_pool(_mean3(x))]
        return torch.cat(parts, 1)


class InceptionAux(nn.Module):
    """Auxiliary classifier for training. The map is pooled to 5x5, so that inputs below 299 px work, too."""

    def __init__(self, inputs: int, classes: int) -> None:
        super().__init__()
        self.conv0 = BasicConv2d(inputs, 128, 1)
        self.conv1 = BasicConv2d(128, AUX_CHANNELS, 5)
        self.fc = nn.Linear(AUX_CHANNELS, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv1(self.conv0(F.adaptive_avg_pool2d(x, 5)))
        return self.fc(x.flatten(1))


class InceptionV3(nn.Module):
    """Pictures (N, 3, S, S) in 0..255 to logits (N, classes); in training also those of the auxiliary classifier."""

    def __init__(self, classes: int = 1000, dropout: float = 0.4) -> None:
        super().__init__()
        self.Conv2d_1a_3x3 = BasicConv2d(3, 32, 3, stride=2)
        self.Conv2d_2a_3x3 = BasicConv2d(32, 32, 3)
        self.Conv2d_2b_3x3 = BasicConv2d(32, 64, 3, padding=1)
        self.Conv2d_3b_1x1 = BasicConv2d(64, 80, 1)
        self.Conv2d_4a_3x3 = BasicConv2d(80, 192, 3)
        self.Mixed_5b = InceptionA(192, 32)
        self.Mixed_5c = InceptionA(256, 64)
        self.Mixed_5d = InceptionA(288, 64)
        self.Mixed_6a = InceptionB(288)
        self.Mixed_6b = InceptionC(768, 128)
        self.Mixed_6c = InceptionC(768, 160)
        self.Mixed_6d = InceptionC(768, 160)
        self.Mixed_6e = InceptionC(768, 192)
        self.AuxLogits = InceptionAux(768, classes)
        self.Mixed_7a = InceptionD(768)
        self.Mixed_7b = InceptionE(1280)
        self.Mixed_7c = InceptionE(2048)
        self.dropout = nn.Dropout(dropout)
        self.fc = nn.Linear(FEATURES, classes)

    def forward(self, pictures: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        x = self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(pictures / 127.5 - 1.0)))
        x = self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(F.max_pool2d(x, 3, 2)))
        x = self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(F.max_pool2d(x, 3, 2))))
        x = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(self.Mixed_6a(x)))))
        side = self.AuxLogits(x) if self.training else None
        x = self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x)))
        logits = self.fc(self.dropout(x.mean((2, 3))))
        return logits if side is None else (logits, side)

    def freeze_all_but_last(self) -> None:
        """Train only `fc`, as in the paper for forceps; everything else, including batch statistics, is frozen."""
        self.requires_grad_(False)
        self.fc.requires_grad_(True)


def load_imagenet(network: InceptionV3, path: Path) -> None:
    """Load torchvision's published file (`inception_v3_google-*.pth`) without its two 1000-class layers."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        own = network.state_dict()
        classes = ("fc.", "AuxLogits.fc.")
        kept = {name: value for name, value in state.items() if not name.startswith(classes)}
        network.load_state_dict(kept | {name: value for name, value in own.items() if name.startswith(classes)})
    except FileNotFoundError as error:
        raise HaustraError(f"no such file: {path}") from error
    except Exception as error:  # torch raises many kinds for a foreign file
        reason = str(error).splitlines()[0]
        raise HaustraError(f"{path} is not torchvision's Inception-v3 file: {reason}") from error
