"""Building blocks of the rivals' networks."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional


def scaled(channels: int, width: float) -> int:
    """Channels of a layer at a share of the published widths."""
    return max(8, round(channels * width))


def conv(before: int, after: int, kernel: int, *, stride: int = 1, norm: bool = False) -> nn.Sequential:
    """Convolution, batch normalisation if wanted, ReLU."""
    layers: list[nn.Module] = [nn.Conv2d(before, after, kernel, stride, (kernel - 1) // 2, bias=not norm)]
    layers += [nn.BatchNorm2d(after)] if norm else []
    return nn.Sequential(*layers, nn.ReLU())


def up(before: int, after: int, kernel: int = 3) -> nn.Sequential:
    """Upsampling by two (transposed convolution), then ReLU."""
    padding = (kernel - 1) // 2
    layer = nn.ConvTranspose2d(before, after, kernel, stride=2, padding=padding, output_padding=1)
    return nn.Sequential(layer, nn.ReLU())


def twice(picture: Tensor) -> Tensor:
    """Bilinear upsampling by 2."""
    return functional.interpolate(picture, scale_factor=2.0, mode="bilinear", align_corners=False)


def initialise(module: nn.Module) -> None:
    """He initialisation, as in our own networks: with torch's default the signal vanishes over seven layers."""
    if isinstance(module, nn.Conv2d | nn.ConvTranspose2d):
        nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        if module.bias is not None:
            nn.init.zeros_(module.bias)


class Block(nn.Module):
    """A residual block of He 2016: two 3x3 convolutions, or a bottleneck of three whose ends are 1x1."""

    def __init__(self, before: int, inner: int, after: int, stride: int, *, bottleneck: bool) -> None:
        super().__init__()
        if bottleneck:
            first = [conv(before, inner, 1, norm=True), conv(inner, inner, 3, stride=stride, norm=True)]
        else:
            first = [conv(before, inner, 3, stride=stride, norm=True)]
        last = nn.Conv2d(inner, after, 1 if bottleneck else 3, padding=0 if bottleneck else 1, bias=False)
        self.main = nn.Sequential(*first, last, nn.BatchNorm2d(after))
        same = before == after and stride == 1
        shortcut = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))
        self.shortcut: nn.Module = nn.Identity() if same else shortcut

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.main(x) + self.shortcut(x))


class ResNet(nn.Module):
    """The features of a residual network of 18 or 50 layers at 1/2, 1/4, 1/8, 1/16 and 1/32 of the size."""

    def __init__(self, layers: int, inputs: int, width: float) -> None:
        super().__init__()
        bottleneck = layers == 50
        counts = (3, 4, 6, 3) if bottleneck else (2, 2, 2, 2)
        inner = [scaled(c, width) for c in (64, 128, 256, 512)]
        outer = [4 * c for c in inner] if bottleneck else inner
        self.first = conv(inputs, inner[0], 7, stride=2, norm=True)
        self.stages = nn.ModuleList()
        before = inner[0]
        for number, count in enumerate(counts):
            strides = [1 if number == 0 else 2] + [1] * (count - 1)
            ends = [before, *[outer[number]] * count]
            self.stages.append(
                nn.Sequential(
                    *(
                        Block(a, inner[number], b, stride, bottleneck=bottleneck)
                        for (a, b), stride in zip(pairwise(ends), strides, strict=True)
                    )
                )
            )
            before = outer[number]
        self.channels = [inner[0], *outer]

    def forward(self, picture: Tensor) -> list[Tensor]:
        found = [self.first(picture)]
        x = functional.max_pool2d(found[0], 3, stride=2, padding=1)
        for stage in self.stages:
            x = stage(x)
            found.append(x)
        return found


class Decoder(nn.Module):
    """From the features of a ResNet back to maps at 1, 1/2, 1/4 and 1/8 of the size, with skip connections."""

    def __init__(self, channels: list[int], outputs: int, width: float) -> None:
        super().__init__()
        sizes = [scaled(c, width) for c in (256, 128, 64, 32, 16)]
        before = [channels[-1], *sizes[:-1]]
        skips = [*reversed(channels[:-1]), 0]
        self.shrink = nn.ModuleList(conv(a, b, 3) for a, b in zip(before, sizes, strict=True))
        self.merge = nn.ModuleList(conv(b + s, b, 3) for b, s in zip(sizes, skips, strict=True))
        self.heads = nn.ModuleList(nn.Conv2d(c, outputs, 3, padding=1) for c in sizes[1:])

    def forward(self, features: list[Tensor]) -> list[Tensor]:
        """Raw maps, the finest first."""
        x, found = features[-1], []
        for number, (shrink, merge) in enumerate(zip(self.shrink, self.merge, strict=True)):
            x = functional.interpolate(shrink(x), scale_factor=2.0, mode="nearest")
            skip = features[-2 - number : -1 - number]
            x = merge(torch.cat([x, *skip], dim=1))
            if number:
                found.append(self.heads[number - 1](x))
        return found[::-1]
