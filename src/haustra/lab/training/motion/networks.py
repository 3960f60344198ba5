"""The motion network and the disparity network (paper, fig:network and sec:a.architecture).

Layer counts, kernel sizes and activations are the paper's. The widths are only in its figure; ours are below.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

POSE_SCALE = 0.01  # initial motion near zero, inside the basin of convergence of the photometric loss
FLOW_SCALE = 20.0  # flow input is 20 * pixels / width: about one between neighbouring frames
MAX_DISPARITY = 10.0
FIRST_ERRORS = (*[math.log(0.01)] * 3, *[math.log(0.005)] * 3)  # 0.3 mm of 30, 0.3 degrees
CALIBRE_MM = 20.0
FIRST_CALIBRE = (0.0, math.log(0.3))
MOTION_WIDTHS = (16, 32, 64, 128, 256, 256, 256)
DISPARITY_WIDTHS = (16, 32, 64)
Upsampling = Literal["transposed", "bilinear"]


class MotionNet(nn.Module):
    """Seven 3x3 convolutions, each with max-pooling and ReLU, a 1x1 with six filters, global average pooling.

    Input: pictures a and b (B, 3, H, W) in 0..1 and the flow a->b (B, 2, H, W) in pixels. Output (B, 6): the paper's
    s(a->b) = t_x t_y t_z r_x r_y r_z, which takes points of a into b. Ours: with `uncertainty` the same features also
    predict the standard deviation of each parameter and the calibre of the lumen (`measure`).
    """

    def __init__(
        self, *, use_flow: bool = True, uncertainty: bool = False, widths: tuple[int, ...] = MOTION_WIDTHS
    ) -> None:
        super().__init__()
        self.use_flow = use_flow
        channels = (8 if use_flow else 6, *widths)
        self.convolutions = nn.ModuleList(
            nn.Conv2d(before, after, 3, padding=1) for before, after in pairwise(channels)
        )
        self.head = nn.Conv2d(widths[-1], 6, 1)
        self.convolutions.apply(_initialise)
        self.uncertainty = _uncertainty_head(widths[-1], FIRST_ERRORS) if uncertainty else None
        self.calibre = _uncertainty_head(widths[-1], FIRST_CALIBRE) if uncertainty else None

    def forward(self, image_a: Tensor, image_b: Tensor, flow_ab: Tensor) -> Tensor:
        return POSE_SCALE * self.head(self.features(image_a, image_b, flow_ab)).mean(dim=(2, 3))

    def with_log_std(self, image_a: Tensor, image_b: Tensor, flow_ab: Tensor) -> tuple[Tensor, Tensor]:
        """s(a->b) and the log standard deviation of each parameter, (B, 6) each."""
        assert self.uncertainty is not None
        x = self.features(image_a, image_b, flow_ab)
        return POSE_SCALE * self.head(x).mean(dim=(2, 3)), self.uncertainty(x).mean(dim=(2, 3))

    def measure(self, image_a: Tensor, image_b: Tensor, flow_ab: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As `with_log_std`, and (B, 2) log of lumen radius / CALIBRE_MM with its log standard deviation."""
        assert self.uncertainty is not None
        assert self.calibre is not None
        x = self.features(image_a, image_b, flow_ab)
        heads = (self.uncertainty(x), self.calibre(x))
        return POSE_SCALE * self.head(x).mean(dim=(2, 3)), *(head.mean(dim=(2, 3)) for head in heads)

    def features(self, image_a: Tensor, image_b: Tensor, flow_ab: Tensor) -> Tensor:
        """Features for all heads (B, C, H / 128, W / 128)."""
        parts = [image_a - 0.5, image_b - 0.5]
        if self.use_flow:
            parts.append(flow_ab * (FLOW_SCALE / flow_ab.shape[-1]))
        x = torch.cat(parts, dim=1)
        for convolution in self.convolutions:
            # ReLU commutes with max-pooling and costs a quarter after it.
            x = functional.relu(functional.max_pool2d(convolution(x), 2))
        return x


class DisparityNet(nn.Module):
    """One encoder (three 3x3 convolutions, two max-poolings), two decoders (three 3x3 convolutions, two up-samplings).

    Input (B, 3, H, W) in 0..1. Output: disparity (B, 1, H, W) in 0..10, the inverse of depth, and the specular map
    (B, 1, H, W): the probability of ordinary tissue, small on highlights. The disparity is divided by `unit`, which the
    trainer sets to the mean over the training pictures where no ground truth fixes the scale.
    """

    unit: Tensor

    def __init__(self, widths: tuple[int, int, int] = DISPARITY_WIDTHS, *, upsampling: Upsampling = "bilinear") -> None:
        super().__init__()
        self.register_buffer("unit", torch.ones(()))
        first, second, third = widths
        self.encoder = nn.Sequential(
            nn.Conv2d(3, first, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(first, second, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(second, third, 3, padding=1),
            nn.ReLU(),
        )
        self.disparity = _decoder(widths, 1, upsampling)
        self.specular = _decoder(widths, 2, upsampling)
        self.encoder.apply(_initialise)

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor]:
        features = self.encoder(image - 0.5)
        disparity = MAX_DISPARITY * torch.sigmoid(self.disparity(features)) / self.unit
        tissue = torch.softmax(self.specular(features), dim=1)[:, 1:]
        return disparity, tissue


def _initialise(module: nn.Module) -> None:
    """He initialisation: with torch's default the signal fades to a fiftieth over seven layers."""
    if isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        if module.bias is not None:
            nn.init.zeros_(module.bias)


def _uncertainty_head(width: int, first_guess: tuple[float, ...]) -> nn.Sequential:
    """Two 1x1 convolutions with the initial output `first_guess`."""
    head = nn.Sequential(nn.Conv2d(width, 64, 1), nn.ReLU(), nn.Conv2d(64, len(first_guess), 1))
    last = head[-1]
    assert isinstance(last, nn.Conv2d)
    assert last.bias is not None
    with torch.no_grad():
        last.weight.mul_(0.1)
        last.bias.copy_(torch.tensor(first_guess))
    return head


def _decoder(widths: tuple[int, int, int], outputs: int, upsampling: Upsampling) -> nn.Sequential:
    first, second, third = widths

    def twice_as_large(channels: int) -> nn.Module:
        if upsampling == "transposed":  # "Transpose2D" in fig:a.network_architecture_disparity
            return nn.ConvTranspose2d(channels, channels, 3, stride=2, padding=1, output_padding=1)
        return nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)

    return nn.Sequential(
        nn.Conv2d(third, second, 3, padding=1),
        nn.ReLU(),
        twice_as_large(second),
        nn.Conv2d(second, first, 3, padding=1),
        nn.ReLU(),
        twice_as_large(first),
        nn.Conv2d(first, outputs, 3, padding=1),
    )
