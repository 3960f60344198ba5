"""The heads beside the motion, after training: features are frozen, so that a minute is enough (ours).

The calibre of the lumen is learnt here: what a trained motion network sees tells much of it. Then all predicted
standard deviations are scaled until they hold on the validation colons, which no part of the network has seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from haustra.training.motion.batch import make_batch
from haustra.training.motion.networks import CALIBRE_MM
from haustra.training.motion.pairs import PairSet
from haustra.training.motion.step import MotionModel
from haustra.training.motion.uncertainty import loss_likelihood, temperature

CHUNK = 64
STEPS, BATCH, RATE = 1500, 256, 1e-3
MOST_PAIRS = 8000  # of each set


@dataclass(frozen=True)
class Frozen:
    """What the heads see of pairs: features (n, C, H, W), motion and its truth (n, 6), log calibre (n,) or nan, and
    whether both frames are informative (n,)."""

    features: Tensor
    motion: Tensor
    truth: Tensor
    log_calibre: Tensor
    informative: Tensor


def finish_uncertainty(model: MotionModel, train: PairSet, validation: PairSet, seed: int) -> None:
    """Fit both heads on the training colons, then make all spreads honest on the validation colons."""
    seen, unseen = freeze(model, train), freeze(model, validation)
    fit_spread(model, seen, seed)
    fit_calibre(model, seen, seed)
    make_honest(model, unseen)


@torch.no_grad()
def freeze(model: MotionModel, pairs: PairSet) -> Frozen:
    """One pass over the pairs, forward only; of very many an even part."""
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
    """The spread of the six numbers by likelihood, for the features as they have become."""
    head = model.motion.uncertainty
    assert head is not None

    def loss(chosen: Tensor) -> Tensor:
        log_std = head(frozen.features[chosen]).mean(dim=(2, 3))
        return loss_likelihood(frozen.motion[chosen], log_std, frozen.truth[chosen])

    _fit(head, loss, len(frozen.features), seed)


def fit_calibre(model: MotionModel, frozen: Frozen, seed: int) -> None:
    """Mean and spread of the log calibre, where it is known; the likelihood is the spread's alone."""
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
    """Adam on random batches of `count` pairs; nothing when there are none."""
    optimizer = torch.optim.Adam(head.parameters(), lr=RATE, weight_decay=1e-4)
    draw = torch.Generator().manual_seed(seed)
    for _ in range(STEPS if count else 0):
        optimizer.zero_grad()
        loss(torch.randint(count, (BATCH,), generator=draw)).backward()  # type: ignore[no-untyped-call]
        optimizer.step()


@torch.no_grad()
def make_honest(model: MotionModel, frozen: Frozen) -> None:
    """Scale the standard deviations so that they hold on these pairs, for informative ones and others alike."""
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
    """Multiply standard deviations for good, by the geometric mean of what informative pairs and the others ask for: a
    factor of them is a shift of their logarithm."""
    shift = []
    for chosen in (informative, ~informative):
        if chosen.any():
            std = log_std[chosen].exp().double().cpu().numpy()
            shift.append(np.log(temperature(error[chosen].double().cpu().numpy(), std)))
    last = head[-1]
    assert isinstance(last, nn.Conv2d)
    assert last.bias is not None
    last.bias[outputs] += torch.from_numpy(np.mean(shift, axis=0)).to(last.bias)
