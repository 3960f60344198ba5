"""PWC-Net as published (Sun 2018), in plain torch: pyramid, warping, cost volume, dense decoders, context network.

Module names are those of the published PyTorch parameters, so that such a file loads with `width=1`. The published
correlation is a CUDA kernel; here it is 81 shifted products, which run anywhere and export to ONNX.

Initialised as published, ours still predicted zero flow after 500 steps. `normalised=True` is for training from scratch
on a few cores and escaped within 120: images and cost-volume features are centred and scaled (Jonschkowski 2020, no
parameters), and flow starts small and is upsampled bilinearly.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

REACH = 4  # of the cost volume: 9 x 9 = 81 displacements
PYRAMID = (16, 32, 64, 96, 128, 196)
DECODER = (128, 128, 96, 64, 32)
CONTEXT = ((128, 1), (128, 2), (128, 4), (96, 8), (64, 16), (32, 1))
FLOW_UNIT = 20.0  # the published network's unit: pixels at full size / 20
LEVELS = (6, 5, 4, 3, 2)


def _conv(before: int, after: int, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride=stride, padding=dilation, dilation=dilation), nn.LeakyReLU(0.1)
    )


def _up(before: int) -> nn.ConvTranspose2d:
    return nn.ConvTranspose2d(before, 2, 4, stride=2, padding=1)


class PwcNet(nn.Module):
    """Images (B, 3, H, W) in 0..1, sides multiples of 64 from 128; `width` scales the numbers of channels."""

    def __init__(self, width: float = 1.0, *, normalised: bool = False) -> None:
        super().__init__()
        self._normalised = normalised
        pyramid = [_scaled(channels, width) for channels in PYRAMID]
        self._decoder = [_scaled(channels, width) for channels in DECODER]
        before = 3
        for level, channels in enumerate(pyramid, 1):
            # The published names of the last level are ordered differently.
            first, second = ("a", "aa") if level < 6 else ("aa", "a")
            setattr(self, f"conv{level}{first}", _conv(before, channels, stride=2))
            setattr(self, f"conv{level}{second}", _conv(channels, channels))
            setattr(self, f"conv{level}b", _conv(channels, channels))
            before = channels
        costs = (2 * REACH + 1) ** 2
        for level in LEVELS:
            inputs = costs if level == 6 else costs + pyramid[level - 1] + 4
            self._add_decoder(level, inputs)
        self._add_context(width, costs + pyramid[1] + 4 + sum(self._decoder))
        self.apply(_initialise)
        if normalised:
            self._start_small()

    def _start_small(self) -> None:
        """Flow starts near zero, and each level starts from the upsampled flow of the coarser one."""
        bilinear = torch.tensor([0.25, 0.75, 0.75, 0.25])
        with torch.no_grad():
            for head in (self.dc_conv7, *(self._module(f"predict_flow{level}") for level in LEVELS)):
                head.get_parameter("weight").mul_(0.1)
            for level in LEVELS[:-1]:
                weight = self._module(f"deconv{level}").get_parameter("weight").zero_()
                weight[0, 0] = weight[1, 1] = torch.outer(bilinear, bilinear)

    def _add_decoder(self, level: int, inputs: int) -> None:
        for number, channels in enumerate(self._decoder):
            setattr(self, f"conv{level}_{number}", _conv(inputs, channels))
            inputs += channels
        setattr(self, f"predict_flow{level}", nn.Conv2d(inputs, 2, 3, padding=1))
        setattr(self, f"deconv{level}", _up(2))
        if level > 2:
            setattr(self, f"upfeat{level}", _up(inputs))

    def _add_context(self, width: float, inputs: int) -> None:
        for number, (channels, dilation) in enumerate(CONTEXT, 1):
            setattr(self, f"dc_conv{number}", _conv(inputs, _scaled(channels, width), dilation=dilation))
            inputs = _scaled(channels, width)
        self.dc_conv7 = nn.Conv2d(inputs, 2, 3, padding=1)

    def forward(self, image_a: Tensor, image_b: Tensor) -> Tensor:
        """Flow a->b (B, 2, H, W) in pixels."""
        finest = self.pyramid_flows(image_a, image_b)[-1]
        size = image_a.shape[-2:]
        return FLOW_UNIT * functional.interpolate(finest, size, mode="bilinear", align_corners=False)

    def pyramid_flows(self, image_a: Tensor, image_b: Tensor) -> list[Tensor]:
        """Flows of levels 6 to 2 (1/64 to 1/4 of the size), in pixels at full size / 20."""
        # Both images in one batch: at coarse levels the overhead of a call dominates.
        images, count = torch.cat([image_a, image_b]), image_a.shape[0]
        features = self._features(_normal_picture(images) if self._normalised else images)
        flows: list[Tensor] = []
        up_flow: Tensor | None = None
        up_feature: Tensor | None = None
        for level in LEVELS:
            a, b = features[level - 1][:count], features[level - 1][count:]
            if up_flow is not None:
                b = warp_by_flow(b, up_flow * (FLOW_UNIT / 2**level))
            costs = cost_volume(*_normal_features(a, b)) if self._normalised else cost_volume(a, b)
            x = costs = functional.leaky_relu(costs, 0.1)
            if up_flow is not None and up_feature is not None:
                x = torch.cat([costs, a, up_flow, up_feature], dim=1)
            for number in range(len(DECODER)):
                x = torch.cat([self._module(f"conv{level}_{number}")(x), x], dim=1)
            flow = self._module(f"predict_flow{level}")(x)
            if level == 2:
                flow = flow + self._context(x)
            else:
                up_flow = self._module(f"deconv{level}")(flow)
                up_feature = self._module(f"upfeat{level}")(x)
            flows.append(flow)
        return flows

    def load_published(self, state: dict[str, Any]) -> None:
        """Load a published state dictionary, with or without the prefix of DataParallel.

        The published network expects BGR, ours RGB.
        """
        bare = {name.removeprefix("module."): value for name, value in state.items()}
        bare["conv1a.0.weight"] = bare["conv1a.0.weight"].flip(1)
        self.load_state_dict(bare)

    def _features(self, image: Tensor) -> list[Tensor]:
        levels = []
        x = image
        for level in range(1, 7):
            for name in ("a", "aa", "b") if level < 6 else ("aa", "a", "b"):
                x = self._module(f"conv{level}{name}")(x)
            levels.append(x)
        return levels

    def _context(self, x: Tensor) -> Tensor:
        for number in range(1, 8):
            x = self._module(f"dc_conv{number}")(x)
        return x

    def _module(self, name: str) -> nn.Module:
        return self.get_submodule(name)


def cost_volume(a: Tensor, b: Tensor) -> Tensor:
    """Mean product of features at 81 displacements (B, 81, H, W), rows of displacement before columns."""
    height, width = a.shape[-2:]
    padded = functional.pad(b, (REACH,) * 4)
    steps = range(2 * REACH + 1)
    # Nine products of nine columns each are faster than 81 single ones.
    columns = torch.stack([padded[..., x : x + width] for x in steps], dim=2)
    return torch.cat([(a.unsqueeze(2) * columns[..., y : y + height, :]).mean(dim=1) for y in steps], dim=1)


def _normal_picture(picture: Tensor) -> Tensor:
    """Each channel with mean 0 and standard deviation about 1: flow does not depend on exposure and colour."""
    centred = picture - picture.mean(dim=(2, 3), keepdim=True)
    return centred / (centred.square().mean(dim=(2, 3), keepdim=True).sqrt() + 0.02)


def _normal_features(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Centred, and normalised to unit length at each pixel: products become cosines."""
    mean = (a.mean(dim=(2, 3), keepdim=True) + b.mean(dim=(2, 3), keepdim=True)) / 2
    return _unit(a - mean), _unit(b - mean)


def _unit(features: Tensor) -> Tensor:
    return features / (features.square().mean(dim=1, keepdim=True) + 1e-3).sqrt()


def warp_by_flow(picture: Tensor, flow: Tensor) -> Tensor:
    """`picture` of b warped to a, zero where the flow leaves it."""
    height, width = picture.shape[-2:]
    ys = torch.arange(height, dtype=flow.dtype, device=flow.device).view(1, -1, 1)
    xs = torch.arange(width, dtype=flow.dtype, device=flow.device).view(1, 1, -1)
    x, y = flow[:, 0] + xs, flow[:, 1] + ys
    grid = torch.stack([2 * x / (width - 1) - 1, 2 * y / (height - 1) - 1], dim=-1)
    warped = functional.grid_sample(picture, grid, align_corners=True)
    inside = (x >= 0) & (x <= width - 1) & (y >= 0) & (y <= height - 1)
    return warped * inside[:, None].to(picture.dtype)


def _scaled(channels: int, width: float) -> int:
    return max(8, round(channels * width))


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Conv2d | nn.ConvTranspose2d):
        nn.init.kaiming_normal_(module.weight, mode="fan_in")
        if module.bias is not None:
            nn.init.zeros_(module.bias)
