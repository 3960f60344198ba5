"""What an adapted network states about itself, set again on held-out pairs without truth: its scale, its deviations.

Losses on pictures leave the scale of translation free and train no uncertainty. The heads of the network that was
adapted stay, but its features have moved under them. So both networks look at the same held-out pairs, in both
directions: translation gets the length it had, each deviation the level it had, and where the two directions agree less
well than before for their deviations, these are widened. They are never narrowed, since adaptation makes both
directions agree whether or not they become right.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from haustra.core.arrays import FloatArray
from haustra.core.onnx import shipped
from haustra.lab.training.motion.config import MotionConfig
from haustra.lab.training.motion.likelihood import temperature
from haustra.lab.training.motion.pair_batch import make_batch
from haustra.lab.training.motion.pairs import PairSet
from haustra.lab.training.motion.start import SHIPPED, load_start
from haustra.lab.training.motion.step import MotionModel
from haustra.lab.training.motion.warp import motion_matrix
from haustra.lab.training.onnx_export import read_graph

CHUNK = 64
MOST_PAIRS = 2000


@dataclass(frozen=True)
class _Stated:
    """Motion and log standard deviations (2n, 6) of pairs, forward before backward; `disagreement` (n, 6) is what is
    left of a motion there and back."""

    motion: Tensor
    log_std: Tensor
    disagreement: Tensor

    @property
    def length(self) -> float:
        return float(self.motion[:, :3].norm(dim=1).median())

    def excess(self, shift: Tensor) -> FloatArray:
        """By what factor (6,) deviations moved by `shift` are too small for the disagreement."""
        forward, backward = (2 * (self.log_std + shift)).exp().chunk(2)
        return temperature(self.disagreement.double().cpu().numpy(), (forward + backward).sqrt().double().cpu().numpy())


def has_heads(start: str | Path | None) -> bool:
    """Whether the network to start from predicts its deviations."""
    path = shipped("motion") if str(start) == SHIPPED else Path(str(start))
    if path.suffix != ".onnx":
        return False
    return any(".uncertainty." in tensor.name for tensor in read_graph(path).initializer)


@torch.no_grad()
def keep_heads(model: MotionModel, start: str | Path, pairs: PairSet, config: MotionConfig) -> None:
    """Scale and deviations of an adapted model as those of the network that it started from."""
    before = MotionModel(config).to(next(model.parameters()).device)
    load_start(start, before)
    indices = np.linspace(0, len(pairs) - 1, min(len(pairs), MOST_PAIRS)).round().astype(np.int64)
    first = _stated(before, pairs, indices)
    _scale(model, first.length / max(_stated(model, pairs, indices).length, 1e-9))
    last = _stated(model, pairs, indices)
    level = (first.log_std - last.log_std).median(dim=0).values
    wider = np.log(np.maximum(last.excess(level) / first.excess(torch.zeros_like(level)), 1.0))
    _bias(model.motion.uncertainty)[:] += level + torch.from_numpy(wider).to(level)


def _stated(model: MotionModel, pairs: PairSet, indices: np.ndarray) -> _Stated:
    model.eval()
    device = next(model.parameters()).device
    forward, backward, log_std = [], [], []
    for part in np.array_split(indices, -(-len(indices) // CHUNK)):
        ahead, back, log = model.motions_with_log_std(make_batch(pairs.read(part)).to(device))
        forward.append(ahead)
        backward.append(back)
        log_std.append(torch.stack(log.chunk(2)))
    there, back = torch.cat(forward), torch.cat(backward)
    loop = motion_matrix(back) @ motion_matrix(there)
    turned = torch.stack([loop[:, 2, 1], loop[:, 0, 2], loop[:, 1, 0]], dim=1)  # small, so its sine will do
    return _Stated(
        torch.cat([there, back]), torch.cat(log_std, dim=1).flatten(0, 1), torch.cat([loop[:, :3, 3], turned], dim=1)
    )


def _scale(model: MotionModel, factor: float) -> None:
    """Translations times this factor, disparities divided by it: a warp stays what it is."""
    assert model.motion.head.bias is not None
    model.motion.head.weight[:3] *= factor
    model.motion.head.bias[:3] *= factor
    model.disparity.unit *= factor


def _bias(head: nn.Sequential | None) -> Tensor:
    assert head is not None
    last = head[-1]
    assert isinstance(last, nn.Conv2d)
    assert last.bias is not None
    return last.bias
