"""Named configurations of the motion trainer, and the paper's ablations as changes of one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from haustra.core.errors import HaustraError
from haustra.lab.training.motion.losses import LAMBDA_CE, LAMBDA_MC, LAMBDA_SMO, SpecularTarget
from haustra.lab.training.motion.smoothness import Smoothness
from haustra.motion.least_squares import Prior
from haustra.motion.parameters import LeastSquaresParameters

# The paper's lambda_mc goes with its free scale of motion and its photometric error (CPE 0.06). With motion in scene
# depths and radians and a CPE of 0.005 the same number drives all motion to zero: shrinking motion saves more of
# loss_mc than it costs in loss_cp. So loss_mc measures motion in this unit. In probes of 500 steps a unit of 0.005
# still suppressed all rotation, 0.001 shrank it, 0.0002 did not. With ground truth the scale is fixed by the truth.
MOTION_UNIT = 0.0002
MOTION_UNIT_WITH_TRUTH = 0.005
# Geometric targets fix the scale as well; in probes of 500 steps 0.005 had no effect, 0.05 helped, 0.2 shrank rotation.
MOTION_UNIT_WITH_TARGETS = 0.05
# Likewise the paper's lambda_smo, applied to our first-order term, flattens the disparity within fifty steps, before
# motion is good enough for loss_cp to need depth; at a twentieth it still does without flow as input. At a hundredth
# the network learns depth: its correlation with the true inverse depth of unseen colons is 0.8 after 125 steps. With
# ground truth the disparity is not at risk.
SMOOTHNESS_UNIT = 0.01
# Prior standard deviations (translation, rotation) of the least squares in geometry.py around the network's motion:
# none for an untrained network, tight for one trained with ground truth.
PRIORS: dict[str, Prior] = {"free": LeastSquaresParameters().free_prior, "near": (0.002, 0.001)}


@dataclass(frozen=True)
class MotionConfig:
    """The defaults are the paper to the letter; everything that a named configuration changes is ours.

    The weight of a loss is its lambda times its unit. `ramp`: shares of the run between which the weight of loss_mc
    rises from 0; at full weight from the first step it would hold both directions at zero motion. `mean_over`: the
    divisor of loss_cp, all pixels (the paper's Z) or the valid ones. `normalise`: divide disparity by its mean, so that
    the losses cannot shrink all motion by driving disparity to its limit. `specular`: the specular map in loss_cp.
    `specular_target`: the threshold behind loss_ce and CPE. `smoothness`: the form of loss_smo (see smoothness.py).

    `levels` and `half_until`: motion by several pixels is beyond the basin of convergence of the photometric loss, but
    not on pictures halved once or twice. Until `half_until` of the run the largest picture has half the size, at less
    than half the cost. `geometry`: also learn the least-squares motion of flow and disparity (see geometry.py).
    `supervised`: add ground truth from the simulator; the picture losses, which cost four times as much as the motion
    network alone, then run on `full_pairs` of the batch in every `full_every`-th step. `uncertainty`: also predict
    standard deviations, learnt from truth (see likelihood.py) or kept from the start (see kept_heads.py).
    `poor_weight`: of non-informative pairs, in losses on truth. `keep_every`: keep the weights every so many steps,
    so that a run can be judged by the paths that they give (`benchmarks.motion_choice`); pairs alone chose wrongly
    three times. `start`: initial weights.
    """

    name: str
    size: int
    batch: int
    steps: int
    learning_rate: float = 1e-4
    cosine: bool = False
    warmup: int = 0
    clip_norm: float | None = None
    lambda_ce: float = LAMBDA_CE
    lambda_mc: float = LAMBDA_MC
    lambda_smo: float = LAMBDA_SMO
    motion_unit: float = 1.0
    smoothness_unit: float = 1.0
    ramp: tuple[float, float] = (0.0, 0.0)
    mean_over: Literal["all", "valid"] = "all"
    normalise: bool = False
    upsampling: Literal["transposed", "bilinear"] = "transposed"
    specular: Literal["learned", "fixed", "none"] = "learned"
    specular_target: SpecularTarget = "unsaturated"
    smoothness: Smoothness = "second-order"
    use_flow: bool = True
    levels: int = 1
    half_until: float = 0.0
    geometry: Literal["none", "free", "near"] = "none"
    supervised: bool = False
    full_every: int = 1
    full_pairs: int | None = None
    augment: bool = False
    uncertainty: bool = False
    poor_weight: float = 0.2
    keep_every: int | None = None
    validate_every: int = 1000
    patience: int = 30
    start: str | None = None

    def weights(self, step: int | None = None) -> dict[str, float]:
        """Effective weights of the terms of eq:final_loss in this step (None: after the ramp)."""
        begin, end = self.ramp
        share = 1.0 if step is None or end == 0 else (step / self.steps - begin) / (end - begin)
        return {
            "cp": 1.0,
            "ce": self.lambda_ce if self.specular == "learned" else 0.0,
            "mc": self.lambda_mc * self.motion_unit * min(1.0, max(0.0, share)),
            "smo": self.lambda_smo * self.smoothness_unit,
        }

    @property
    def learns_uncertainty(self) -> bool:
        """Whether deviations are learnt; without truth they can only be kept."""
        return self.uncertainty and self.supervised

    @property
    def geometry_prior(self) -> Prior | None:
        return PRIORS.get(self.geometry)

    def halved(self, step: int) -> bool:
        """Whether this step computes the picture losses at half size."""
        return step < self.half_until * self.steps


PAPER = MotionConfig("paper", size=256, batch=1, steps=300_000, validate_every=5000)
# The paper's losses in units that learn here, for a CPU.
RESCALED = replace(
    PAPER,
    name="rescaled",
    size=128,
    batch=8,
    steps=20_000,
    learning_rate=5e-4,
    cosine=True,
    warmup=200,
    clip_norm=10.0,
    motion_unit=MOTION_UNIT,
    smoothness_unit=SMOOTHNESS_UNIT,
    ramp=(0.1, 0.2),
    mean_over="valid",
    normalise=True,
    upsampling="bilinear",
    specular_target="unsaturated-bright",
    smoothness="first-order",
    levels=3,
    half_until=0.8,
    validate_every=1000,
)
SIMULATED = replace(
    RESCALED,
    name="simulated",
    batch=32,
    learning_rate=1e-3,
    motion_unit=MOTION_UNIT_WITH_TRUTH,
    smoothness_unit=1.0,
    ramp=(0.0, 0.0),
    normalise=False,
    levels=1,
    half_until=0.0,
    supervised=True,
    full_every=4,
    full_pairs=8,
    augment=True,
    uncertainty=True,
    validate_every=500,
)
TARGETS = replace(RESCALED, name="targets", geometry="free", motion_unit=MOTION_UNIT_WITH_TARGETS)
ADAPT = "adapt"
CONFIGS = {
    "paper": PAPER,
    "rescaled": RESCALED,
    "targets": TARGETS,
    # Short, with a low rate and a tight prior: the photometric loss alone would unlearn rotation.
    ADAPT: replace(
        TARGETS,
        name=ADAPT,
        steps=200,
        learning_rate=1e-4,
        half_until=0.0,
        geometry="near",
        uncertainty=True,
        validate_every=50,
        patience=2,
        start="shipped",
    ),
    "simulated": SIMULATED,
    # From scratch, for pairs of plain, wide and large motion together; half of its pairs are poor, and they count.
    "wide": replace(SIMULATED, name="wide", steps=30_000, poor_weight=0.5, keep_every=2500, patience=60),
}
DEFAULT_CONFIG = "targets"


def _change(**changes: Any) -> Callable[[MotionConfig], MotionConfig]:
    return lambda config: replace(config, **changes)


def _without_targets(config: MotionConfig) -> MotionConfig:
    return config if config.geometry == "none" else replace(config, geometry="none", motion_unit=MOTION_UNIT)


ABLATIONS: dict[str, Callable[[MotionConfig], MotionConfig]] = {
    "fixed-mask": _change(specular="fixed"),
    "no-mask": _change(specular="none"),
    # Geometric targets need flow.
    "no-flow": lambda config: replace(_without_targets(config), use_flow=False),
    "no-targets": _without_targets,
    "no-consistency": _change(lambda_mc=0.0),
    "lambda-mc-0": _change(lambda_mc=0.0),
    "lambda-mc-10": _change(lambda_mc=10.0),
    "lambda-mc-100": _change(lambda_mc=100.0),
    "lambda-mc-500": _change(lambda_mc=500.0),
}


def motion_config(name: str, ablation: str | None = None, **values: Any) -> MotionConfig:
    """A named configuration with one ablation (or several joined by "+"), with those `values` that are not None."""
    if name not in CONFIGS:
        raise HaustraError(f"no configuration '{name}': choose one of {', '.join(CONFIGS)}")
    config = CONFIGS[name]
    for change in ablation.split("+") if ablation is not None else ():
        if change not in ABLATIONS:
            raise HaustraError(f"no ablation '{change}': choose one of {', '.join(ABLATIONS)}")
        config = ABLATIONS[change](config)
    given = {key: value for key, value in values.items() if value is not None}
    for key in given:
        if not hasattr(config, key):
            raise HaustraError(f"our method has no {key}: that is a setting of the rivals (--method)")
    config = replace(config, **given)
    _check(config)
    return config


def _check(config: MotionConfig) -> None:
    for name in ("steps", "batch"):
        if getattr(config, name) < 1:
            raise HaustraError(f"{name} is {getattr(config, name)}: give at least 1")
    if not config.learning_rate > 0:
        raise HaustraError(f"the learning rate is {config.learning_rate:g}: it must be above 0")
    for name in ("lambda_ce", "lambda_mc", "lambda_smo"):
        if not getattr(config, name) >= 0:
            raise HaustraError(f"{name} is {getattr(config, name):g}: it must be 0 or more")
