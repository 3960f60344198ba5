"""Uncertainty and calibre heads, fitted on the frozen features of a trained motion network in about a minute (ours).

All predicted standard deviations are then calibrated on the validation colons (temperature scaling), which no part of
the network was trained on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from haustra.lab.training.motion.likelihood import loss_likelihood, temperature
from haustra.lab.training.motion.networks import CALIBRE_MM
from haustra.lab.training.motion.pair_batch import make_batch
from haustra.lab.training.motion.pairs import PairSet
from haustra.lab.training.motion.step import MotionModel

CHUNK = 64
STEPS, BATCH, RATE = 1500, 256, 1e-3
MOST_PAIRS = 8000  # per set


@dataclass(frozen=True)
class Frozen:
    """Cached input of the heads: features (n, C, H, W), motion and its truth (n, 6), log calibre (n,) or nan, and
    whether both frames are informative (n,)."""

    features: Tensor
    motion: Tensor
    truth: Tensor
    log_calibre: Tensor
    informative: Tensor


def finish_uncertainty(model: MotionModel, train: PairSet, validation: PairSet, seed: int) -> None:
    """Fit both heads on the training colons, then calibrate all standard deviations on the validation colons."""
    seen, unseen = freeze(model, train), freeze(model, validation)
    fit_spread(model, seen, seed)
    fit_calibre(model, seen, seed)
    calibrate(model, unseen)


@torch.no_grad()
def freeze(model: MotionModel, pairs: PairSet) -> Frozen:
    """One forward pass over the pairs, at most MOST_PAIRS of them, evenly spaced."""
    model.eval()
    device = next(model.parameters()).device
    indices = np.linspace(0, len(pairs) - 1, min(len(pairs), MOST_PAIRS)).round().astype(np.int64)
    columns: list[tuple[Tensor, ...]] = []
    for part in np.array_split(indices, -(-len(indices) // CHUNK)):
        batch = make_batch(pairs.read(part)).to(device)
        assert batch.informative is not None
        x = model.motion.features(batch.I_t, batch.I_t1, batch.flow_f)
        motion = model.motion(batch.I_t, batch.I_t1, batch.flow_f)
        calibre = torch.from_numpy(pairs.calibre_mm(part)).to(motion)
        columns.append((x, motion, batch.motion_f, torch.log(calibre / CALIBRE_MM), batch.informative))
    model.train()
    return Frozen(*(torch.cat(column) for column in zip(*columns, strict=True)))


def fit_spread(model: MotionModel, frozen: Frozen, seed: int) -> None:
    """Fit the standard deviations of the six motion parameters by maximum likelihood."""
    head = model.motion.uncertainty
    assert head is not None

    def loss(chosen: Tensor) -> Tensor:
        log_std = head(frozen.features[chosen]).mean(dim=(2, 3))
        return loss_likelihood(frozen.motion[chosen], log_std, frozen.truth[chosen])

    _fit(head, loss, len(frozen.features), seed)


def fit_calibre(model: MotionModel, frozen: Frozen, seed: int) -> None:
    """Fit mean and standard deviation of the log calibre, where it is known; the likelihood trains the latter only."""
    head = model.motion.calibre
    assert head is not None
    known = torch.isfinite(frozen.log_calibre)
    x, target = frozen.features[known], frozen.log_calibre[known]

    def loss(chosen: Tensor) -> Tensor:
        mean, log_std = head(x[chosen]).mean(dim=(2, 3)).T
        error = nn.functional.smooth_l1_loss(mean, target[chosen], beta=0.2)
        return error + 0.1 * loss_likelihood(mean[:, None], log_std[:, None], target[chosen, None])

    _fit(head, loss, len(x), seed)


def _fit(head: nn.Sequential, loss: Callable[[Tensor], Tensor], count: int, seed: int) -> None:
    """Adam on random batches of `count` pairs."""
    optimizer = torch.optim.Adam(head.parameters(), lr=RATE, weight_decay=1e-4)
    draw = torch.Generator().manual_seed(seed)
    for _ in range(STEPS if count else 0):
        optimizer.zero_grad()
        loss(torch.randint(count, (BATCH,), generator=draw)).backward()  # type: ignore[no-untyped-call]
        optimizer.step()


@torch.no_grad()
def calibrate(model: MotionModel, frozen: Frozen) -> None:
    """Scale the standard deviations to nominal coverage on these pairs, informative and other ones alike."""
    uncertainty, calibre = model.motion.uncertainty, model.motion.calibre
    assert uncertainty is not None
    assert calibre is not None
    log_std = uncertainty(frozen.features).mean(dim=(2, 3))
    _stretch(uncertainty, slice(0, 6), frozen.motion - frozen.truth, log_std, frozen.informative)
    known = torch.isfinite(frozen.log_calibre)
    if known.any():
        mean, log_std = calibre(frozen.features[known]).mean(dim=(2, 3)).T
        error = (mean - frozen.log_calibre[known])[:, None]
        _stretch(calibre, slice(1, 2), error, log_std[:, None], frozen.informative[known])


def _stretch(head: nn.Sequential, outputs: slice, error: Tensor, log_std: Tensor, informative: Tensor) -> None:
    """Multiply the standard deviations by the geometric mean of the factors of informative and other pairs: a shift of
    the log standard deviation's bias."""
    shift = []
    for chosen in (informative, ~informative):
        if chosen.any():
            std = log_std[chosen].exp().double().cpu().numpy()
            shift.append(np.log(temperature(error[chosen].double().cpu().numpy(), std)))
    last = head[-1]
    assert isinstance(last, nn.Conv2d)
    assert last.bias is not None
    last.bias[outputs] += torch.from_numpy(np.mean(shift, axis=0)).to(last.bias)
