"""The three rivals as trainable models: a motion network, a disparity network, and the loss of a batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d

from haustra.lab.training.loop import Step
from haustra.lab.training.motion.losses import masked_mean
from haustra.lab.training.motion.pair_batch import Batch
from haustra.lab.training.motion.smoothness import loss_smo_first_order
from haustra.lab.training.motion.step import make_warps
from haustra.lab.training.motion.warp import Warp, motion_matrix, rigid_flow
from haustra.lab.training.rivals import losses
from haustra.lab.training.rivals.config import RivalConfig
from haustra.lab.training.rivals.networks import DispNet, ExplainabilityNet, PoseNet, ResDepthNet, ResFlowNet

Terms = dict[str, Tensor]


class Finest(nn.Module):
    """A disparity network for inference: the full-size map only."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, image: Tensor) -> Tensor:
        finest: Tensor = self.network(image)[0]
        return finest


class RivalModel(nn.Module):
    """Base of the rivals. `terms` defines the method: the weighted losses of a batch."""

    def __init__(self, config: RivalConfig, motion: PoseNet, depth: nn.Module) -> None:
        super().__init__()
        self.config, self.motion, self.depth = config, motion, depth

    @property
    def disparity(self) -> Finest:
        return Finest(self.depth)

    def motions(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """s(t->t+1) and s(t+1->t)."""
        return halves(self.motion(*both_ways(batch), batch.flow_f))

    def scenes(self, batch: Batch) -> Tensor:
        """Disparity of t and t+1 at full size (2B, 1, S, S)."""
        return self.disparity(torch.cat([batch.I_t, batch.I_t1]))

    def losses(self, batch: Batch, step: int) -> Step:
        signs = {"flow": float(batch.flow_f.norm(dim=1).mean())}
        parts = self.terms(batch, step, signs)
        loss = torch.stack(list(parts.values())).sum()
        return Step(loss, {name: float(value.detach()) for name, value in parts.items()}, signs)

    def terms(self, batch: Batch, step: int, signs: dict[str, float]) -> Terms:
        raise NotImplementedError

    def pyramid(self, batch: Batch) -> list[tuple[Batch, Tensor]]:
        """The batch at every scale, with its disparity (2B, 1, H, W)."""
        maps = self.depth(torch.cat([batch.I_t, batch.I_t1]))[: self.config.scales]
        found = []
        for number, disparity in enumerate(maps):
            batch = batch.halved() if number else batch
            found.append((batch, disparity))
        return found


def both_ways(batch: Batch) -> tuple[Tensor, Tensor]:
    """Images a and b of all pairs forward, then backward."""
    return torch.cat([batch.I_t, batch.I_t1]), torch.cat([batch.I_t1, batch.I_t])


def halves(both: Tensor) -> tuple[Tensor, Tensor]:
    """The forward and the backward half."""
    forward, backward = both.chunk(2)
    return forward, backward


def see(signs: dict[str, float], batch: Batch, motion: Tensor, warps: tuple[Warp, Warp], disparity: Tensor) -> None:
    """Diagnostics for training/motion/collapse.py, such as a batch without valid pixels."""
    shown = batch.mask_t.mean() + batch.mask_t1.mean()
    signs["valid"] = float((warps[0].valid.mean() + warps[1].valid.mean()) / shown.clamp(min=1e-6))
    signs["motion"] = float(motion.detach().abs().mean())
    spread = disparity.detach().std(dim=(2, 3)) / disparity.detach().mean(dim=(2, 3))
    signs["saturated"] = float((spread < 1e-4).float().mean())


class SfmLearner(RivalModel):
    """Zhou et al. 2017, "Unsupervised Learning of Depth and Ego-Motion from Video"."""

    def __init__(self, config: RivalConfig) -> None:
        super().__init__(config, PoseNet(), DispNet(config.width))
        self.explain = ExplainabilityNet()

    def terms(self, batch: Batch, step: int, signs: dict[str, float]) -> Terms:  # noqa: ARG002
        features = self.motion.features(*both_ways(batch))
        motion = self.motion.pose(features[-1])
        logits = self.explain(features[4])
        parts: Terms = {name: motion.new_zeros(()) for name in ("p", "smo", "exp")}
        for number, (small, disparity) in enumerate(self.pyramid(batch)):
            warps = make_warps(disparity, *halves(motion), small)
            explained = torch.softmax(logits[number], dim=1)[:, 1:].chunk(2)
            pictures = ((small.I_t, small.I_t1), (small.I_t1, small.I_t))
            for (target, source), warp, share in zip(pictures, warps, explained, strict=True):
                error = share * losses.photometric_error(target, warp(source), self.config.ssim)
                parts["p"] = parts["p"] + masked_mean(error, warp.valid)
            parts["exp"] = parts["exp"] + self.config.lambda_exp * losses.explainability_loss(logits[number])
            smooth = self.config.lambda_smo / 2**number
            parts["smo"] = parts["smo"] + smooth * losses.second_order_smoothness(disparity)
            if number == 0:
                see(signs, small, motion, warps, disparity)
        return parts


class GeoNet(RivalModel):
    """Yin and Shi 2018, "GeoNet": first depth and motion; then, with both frozen, the residual flow."""

    def __init__(self, config: RivalConfig) -> None:
        super().__init__(config, PoseNet(norm=True), ResDepthNet(50, 5.0, normalised=True, width=config.width))
        self.residual = ResFlowNet(config.width)

    def terms(self, batch: Batch, step: int, signs: dict[str, float]) -> Terms:
        return self._rigid(batch, signs) if step < self.config.steps else self._residual(batch, signs)

    def _rigid(self, batch: Batch, signs: dict[str, float]) -> Terms:
        motion = torch.cat(self.motions(batch))
        parts: Terms = {name: motion.new_zeros(()) for name in ("p", "smo")}
        for number, (small, disparity) in enumerate(self.pyramid(batch)):
            warps = make_warps(disparity, *halves(motion), small)
            for target, source, warp in ((small.I_t, small.I_t1, warps[0]), (small.I_t1, small.I_t, warps[1])):
                error = losses.photometric_error(target, warp(source), self.config.ssim)
                parts["p"] = parts["p"] + masked_mean(error, warp.valid)
            smooth = self.config.lambda_smo / 2**number
            pictures = torch.cat([small.I_t, small.I_t1])
            parts["smo"] = parts["smo"] + smooth * losses.edge_aware_smoothness(disparity, pictures)
            if number == 0:
                see(signs, small, motion, warps, disparity)
        return parts

    def _residual(self, batch: Batch, signs: dict[str, float]) -> Terms:
        full = self.full_flows(batch, signs)
        total = batch.I_t.new_zeros(())
        for number, (forward, backward) in enumerate(full):
            batch = batch.halved() if number else batch
            for a, b, ab, ba, mask in (
                (batch.I_t, batch.I_t1, forward, backward, batch.mask_t),
                (batch.I_t1, batch.I_t, backward, forward, batch.mask_t1),
            ):
                total = total + losses.residual_flow_loss(a, b, ab, ba, mask, self.config.ssim, self.config.lambda_geo)
        return {"flow": total}

    def full_flows(self, batch: Batch, signs: dict[str, float]) -> list[tuple[Tensor, Tensor]]:
        """Rigid plus residual flow t->t+1 and back at every scale, in pixels of that scale."""
        self.motion.eval()
        self.depth.eval()
        a, b = both_ways(batch)
        with torch.no_grad():
            motion = torch.cat(self.motions(batch))
            disparity = self.scenes(batch)
            see(signs, batch, motion, make_warps(disparity, *halves(motion), batch), disparity)
            rigid, _ = rigid_flow(disparity, motion_matrix(motion), batch.K)
            warped, _ = losses.sample_by_flow(b, rigid)
        found: list[tuple[Tensor, Tensor]] = []
        for residual in self.residual(a, b, warped, rigid)[: self.config.scales]:
            found.append(halves(rigid + residual))
            rigid = avg_pool2d(rigid, 2) / 2
        return found


class ScSfmLearner(RivalModel):
    """Bian et al. 2019, "Unsupervised Scale-consistent Depth and Ego-motion Learning from Monocular Video"."""

    def __init__(self, config: RivalConfig) -> None:
        super().__init__(config, PoseNet(), ResDepthNet(18, 10.0, normalised=False, width=config.width))

    def terms(self, batch: Batch, step: int, signs: dict[str, float]) -> Terms:  # noqa: ARG002
        motion = torch.cat(self.motions(batch))
        forward, backward = halves(motion)
        disparity = self.pyramid(batch)[0][1]
        D_t, D_t1 = disparity.chunk(2)
        warps = make_warps(disparity, forward, backward, batch)
        see(signs, batch, motion, warps, disparity)
        parts: Terms = {name: motion.new_zeros(()) for name in ("p", "geo")}
        for target, source, D_b, D_a, Q, warp in (
            (batch.I_t, batch.I_t1, D_t, D_t1, motion_matrix(forward), warps[0]),
            (batch.I_t1, batch.I_t, D_t1, D_t, motion_matrix(backward), warps[1]),
        ):
            difference = losses.depth_difference(D_b, D_a, Q, batch.K, warp)
            # The self-discovered mask: inconsistent depth means motion or occlusion.
            error = (1 - difference) * losses.photometric_error(target, warp(source), self.config.ssim)
            parts["p"] = parts["p"] + masked_mean(error, warp.valid)
            parts["geo"] = parts["geo"] + self.config.lambda_geo * masked_mean(difference, warp.valid)
        pictures = torch.cat([batch.I_t, batch.I_t1])
        parts["smo"] = self.config.lambda_smo * 2 * loss_smo_first_order(disparity, pictures)
        return parts


METHODS: dict[str, type[SfmLearner] | type[GeoNet] | type[ScSfmLearner]] = {
    "sfmlearner": SfmLearner,
    "geonet": GeoNet,
    "sc-sfmlearner": ScSfmLearner,
}
