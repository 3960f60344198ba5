"""The networks of the three rivals."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from haustra.lab.training.rivals.layers import Decoder, ResNet, conv, initialise, scaled, twice, up

POSE_SCALE = 0.01  # of all three publications
POSE_WIDTHS = (16, 32, 64, 128, 256, 256, 256)
POSE_KERNELS = (7, 5, 3, 3, 3, 3, 3)


class PoseNet(nn.Module):
    """Seven convolutions with stride two, a 1x1 with six filters, global mean (Zhou 2017; Yin 2018 with batch norm).

    The motion s(a->b) of two images (B, 3, H, W) in 0..1; flow is ignored.
    """

    def __init__(self, *, norm: bool = False) -> None:
        super().__init__()
        channels = (6, *POSE_WIDTHS)
        self.convolutions = nn.ModuleList(
            conv(before, after, kernel, stride=2, norm=norm)
            for before, after, kernel in zip(channels[:-1], channels[1:], POSE_KERNELS, strict=True)
        )
        self.convolutions.apply(initialise)
        self.head = nn.Conv2d(POSE_WIDTHS[-1], 6, 1)

    def forward(self, image_a: Tensor, image_b: Tensor, flow_ab: Tensor) -> Tensor:  # noqa: ARG002
        return self.pose(self.features(image_a, image_b)[-1])

    def features(self, image_a: Tensor, image_b: Tensor) -> list[Tensor]:
        x, found = torch.cat([image_a - 0.5, image_b - 0.5], dim=1), []
        for layer in self.convolutions:
            x = layer(x)
            found.append(x)
        return found

    def pose(self, last: Tensor) -> Tensor:
        return POSE_SCALE * self.head(last).mean(dim=(2, 3))


class ExplainabilityNet(nn.Module):
    """Zhou 2017: explainability mask from the fifth layer of the pose network."""

    WIDTHS, KERNELS = (256, 128, 64, 32, 16), (3, 3, 3, 5, 7)

    def __init__(self) -> None:
        super().__init__()
        before = (POSE_WIDTHS[4], *self.WIDTHS[:-1])
        self.ups = nn.ModuleList(up(a, b, k) for a, b, k in zip(before, self.WIDTHS, self.KERNELS, strict=True))
        self.heads = nn.ModuleList(nn.Conv2d(c, 2, 3, padding=1) for c in self.WIDTHS[1:])

    def forward(self, fifth: Tensor) -> list[Tensor]:
        """Logits (B, 2, H, W) at four sizes, the finest first; the second channel is "explained"."""
        x, found = fifth, []
        for number, layer in enumerate(self.ups):
            x = layer(x)
            if number:
                found.append(self.heads[number - 1](x))
        return found[::-1]


class DispNet(nn.Module):
    """Mayer 2016 as Zhou 2017 uses it: disparity 10 * sigmoid + 0.01 at four sizes, the finest first."""

    WIDTHS, KERNELS = (32, 64, 128, 256, 512, 512, 512), (7, 5, 3, 3, 3, 3, 3)
    BACK = (512, 512, 256, 128, 64, 32, 16)

    def __init__(self, width: float = 1.0) -> None:
        super().__init__()
        down = [scaled(c, width) for c in self.WIDTHS]
        back = [scaled(c, width) for c in self.BACK]
        self.down = nn.ModuleList(
            nn.Sequential(conv(before, after, kernel, stride=2), conv(after, after, kernel))
            for before, after, kernel in zip([3, *down[:-1]], down, self.KERNELS, strict=True)
        )
        self.ups = nn.ModuleList(up(a, b) for a, b in zip([down[-1], *back[:-1]], back, strict=True))
        skips = [*reversed(down[:-1]), 0]
        from_coarser = [0, 0, 0, 0, 1, 1, 1]
        self.merge = nn.ModuleList(
            conv(b + skip + extra, b, 3) for b, skip, extra in zip(back, skips, from_coarser, strict=True)
        )
        self.apply(initialise)
        self.heads = nn.ModuleList(nn.Conv2d(c, 1, 3, padding=1) for c in back[3:])

    def forward(self, image: Tensor) -> list[Tensor]:
        x, features = image - 0.5, []
        for layer in self.down:
            x = layer(x)
            features.append(x)
        found: list[Tensor] = []
        for number, (enlarge, merge) in enumerate(zip(self.ups, self.merge, strict=True)):
            x = enlarge(x)
            skip = features[-2 - number : -1 - number]
            x = merge(torch.cat([x, *skip, *(twice(d) for d in found[-1:])], dim=1))
            if number >= 3:
                found.append(10 * torch.sigmoid(self.heads[number - 3](x)) + 0.01)
        return found[::-1]


class ResDepthNet(nn.Module):
    """Disparity `most` * sigmoid + 0.01 from a residual encoder (Yin 2018: 50 layers, 5, each map divided by its mean;
    Bian 2019: 18 layers, 10), at four sizes, the finest first."""

    def __init__(self, layers: int, most: float, *, normalised: bool, width: float = 1.0) -> None:
        super().__init__()
        self.encoder = ResNet(layers, 3, width)
        self.decoder = Decoder(self.encoder.channels, 1, width)
        self.most, self.normalised = most, normalised

    def forward(self, image: Tensor) -> list[Tensor]:
        maps = [self.most * torch.sigmoid(raw) + 0.01 for raw in self.decoder(self.encoder(image - 0.5))]
        return [d / d.mean(dim=(2, 3), keepdim=True) for d in maps] if self.normalised else maps


class ResFlowNet(nn.Module):
    """Yin 2018, second stage: residual flow beyond the rigid flow, in pixels at each of four scales.

    Input: both images, b warped by the rigid flow, the rigid flow, and the photometric error.
    """

    def __init__(self, width: float = 1.0) -> None:
        super().__init__()
        self.encoder = ResNet(50, 3 + 3 + 3 + 2 + 1, width)
        self.decoder = Decoder(self.encoder.channels, 2, width)

    def forward(self, image_a: Tensor, image_b: Tensor, warped: Tensor, rigid: Tensor) -> list[Tensor]:
        left = (image_a - warped).abs().mean(dim=1, keepdim=True)
        seen = torch.cat([image_a - 0.5, image_b - 0.5, warped - 0.5, rigid / 10.0, left], dim=1)
        maps: list[Tensor] = self.decoder(self.encoder(seen))
        return maps
