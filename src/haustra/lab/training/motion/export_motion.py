"""Export of `motion.onnx` and `disparity.onnx` for `haustra locate`, of our networks and of the rivals'."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from haustra.flow.methods import DEFAULT_FLOW
from haustra.lab.training.motion.config import MotionConfig
from haustra.lab.training.motion.networks import MotionNet
from haustra.lab.training.motion.step import MotionModel
from haustra.lab.training.onnx_export import export_onnx
from haustra.motion.canonical import CANONICAL_FOV_DEG


def export_motion(model: MotionModel, out: Path, config: MotionConfig, *, flow: str = DEFAULT_FLOW) -> None:
    """Both networks of a model; the motion network with its predicted uncertainty, if it has one.

    A motion network trained on geometric targets is exported with its disparity, which `RefinedMotion` needs.
    """
    more = ("log_std", "log_calibre") if config.uncertainty else ()
    about = (out, config.size, config.name, flow, (more, ("tissue",)))
    export_networks(model.motion, model.disparity, *about, with_disparity=config.geometry == "free")


def export_networks(
    motion: torch.nn.Module,
    disparity: torch.nn.Module,
    out: Path,
    size: int,
    recipe: str,
    flow: str,
    more: tuple[Sequence[str], Sequence[str]] = ((), ()),
    *,
    with_disparity: bool = False,
) -> None:
    """Metadata hold size and field of view; `more` names further outputs of both networks.

    `with_disparity`: motion.onnx also outputs the disparity of a.
    """
    picture = torch.rand(2, 3, size, size)
    flow_ab = 3 * torch.randn(2, 2, size, size)
    about = {"size": size, "fov_deg": CANONICAL_FOV_DEG, "recipe": recipe, "flow": flow}
    export_onnx(
        KeepInputs(motion, disparity if with_disparity else None),
        [picture, picture.flip(0), flow_ab],
        out / "motion.onnx",
        inputs=["image_a", "image_b", "flow_ab"],
        outputs=["motion", *more[0], *(["disparity"] if with_disparity else [])],
        metadata={"task": "motion", **about},
    )
    export_onnx(
        disparity,
        [picture],
        out / "disparity.onnx",
        inputs=["image"],
        outputs=["disparity", *more[1]],
        metadata={"task": "disparity", **about},
    )


class KeepInputs(torch.nn.Module):
    """Keeps the flow input of networks that ignore it (an ablation); the exporter would drop it."""

    def __init__(self, network: torch.nn.Module, disparity: torch.nn.Module | None = None) -> None:
        super().__init__()
        self.network, self.disparity = network, disparity

    def forward(
        self, image_a: torch.Tensor, image_b: torch.Tensor, flow_ab: torch.Tensor
    ) -> torch.Tensor | tuple[torch.Tensor, ...]:
        nothing = 0.0 * flow_ab.mean()
        if isinstance(self.network, MotionNet) and self.network.uncertainty is not None:
            motion, *others = self.network.measure(image_a, image_b, flow_ab)
            return motion + nothing, *others
        result: torch.Tensor = self.network(image_a, image_b, flow_ab) + nothing
        return result if self.disparity is None else (result, self.disparity(image_a)[0])
