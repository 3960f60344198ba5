"""Named configurations of the motion trainer, and the paper's ablations as changes of one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from haustra.errors import HaustraError
from haustra.motion.least_squares import FREE, Prior
from haustra.training.motion.losses import LAMBDA_CE, LAMBDA_MC, LAMBDA_SMO

# The paper's lambda_mc goes with its free scale of motion and its photometric error (CPE 0.06). With motion in scene
# depths and radians and a CPE of 0.005 the same number drives all motion to zero: shrinking gains lambda * |asymmetry|,
# more than the photometric loss can pay. We count motion in this unit instead. In probes of 500 steps a unit of 0.005
# still took all rotation away, 0.001 shrank it, 0.0002 did not. The truth of the other recipe holds the scale itself.
MOTION_UNIT = 0.0002
MOTION_UNIT_WITH_TRUTH = 0.005
# So do targets from geometry; in probes of 500 steps 0.005 had no effect, 0.05 a good one, and 0.2 shrank rotation.
MOTION_UNIT_WITH_TARGETS = 0.05
# As with lambda_mc: lambda_smo, as it is, makes the disparity flat within fifty steps, before motion is good enough
# for the photometric loss to ask for depth; at a twentieth it still does where there is no flow to help. At a hundredth
# it learns: its correlation with the true inverse depth of unseen colons is 0.8 after 125 steps. With truth nothing
# asks for flatness.
SMOOTHNESS_UNIT = 0.01
# Of the least squares in geometry.py: a network that knows nothing yet does not hold them back, one that was trained
# with truth does.
PRIORS: dict[str, Prior] = {"free": FREE, "near": (0.002, 0.001)}


@dataclass(frozen=True)
class MotionConfig:
    """The defaults are the paper to the letter; everything that a named configuration changes is ours.

    A loss counts with its lambda times its unit. `ramp`: the shares of the run between which loss_mc comes in; from the
    first step on it would hold both directions at zero before they have learnt to move. `mean_over`: the divisor of
    loss_cp, all pixels (the paper's Z) or the valid ones. `normalise`: disparity is divided by its mean before it is
    used, so that the losses cannot shrink all motion by driving disparity to its limit.

    `levels` and `half_until`: a pair that moves by several pixels lies outside the reach of the loss; on pictures that
    were halved once or twice it does not. Until `half_until` of the run the largest picture is half the size: less than
    half the cost, and the last part of the run sees all of it. `geometry`: learn the motion that flow and disparity ask
    for by least squares, too (see geometry.py). `supervised` adds the simulator's truth; then the picture losses, which
    cost four times as much as the motion network alone, run on `full_pairs` of the batch in every `full_every`-th step.
    `uncertainty`: the motion network also learns how far off it is (see uncertainty.py; needs truth). `start`: weights
    to begin with.
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
    use_flow: bool = True
    levels: int = 1
    half_until: float = 0.0
    geometry: Literal["none", "free", "near"] = "none"
    supervised: bool = False
    full_every: int = 1
    full_pairs: int | None = None
    augment: bool = False
    uncertainty: bool = False
    validate_every: int = 1000
    patience: int = 30
    start: str | None = None

    def weights(self, step: int | None = None) -> dict[str, float]:
        """What the terms of eq:final_loss count in this step (None: from the end of the ramp on)."""
        begin, end = self.ramp
        share = 1.0 if step is None or end == 0 else (step / self.steps - begin) / (end - begin)
        return {
            "cp": 1.0,
            "ce": self.lambda_ce if self.specular == "learned" else 0.0,
            "mc": self.lambda_mc * self.motion_unit * min(1.0, max(0.0, share)),
            "smo": self.lambda_smo * self.smoothness_unit,
        }

    @property
    def geometry_prior(self) -> Prior | None:
        return PRIORS.get(self.geometry)

    def halved(self, step: int) -> bool:
        """Whether the picture losses of this step look at pictures of half the size."""
        return step < self.half_until * self.steps

    @property
    def ablations(self) -> list[str]:
        """How it differs from the full method, in the paper's words."""
        found = [] if self.use_flow else ["no-flow"]
        found += [] if self.specular == "learned" else [f"{self.specular}-specular-mask"]
        return found if self.lambda_mc == LAMBDA_MC else [*found, f"lambda-mc-{self.lambda_mc:g}"]


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
    levels=3,
    half_until=0.8,
    validate_every=1000,
)
TARGETS = replace(RESCALED, name="targets", geometry="free", motion_unit=MOTION_UNIT_WITH_TARGETS)
CONFIGS = {
    "paper": PAPER,
    "rescaled": RESCALED,
    "targets": TARGETS,
    # Short and slow, and near what was learnt with truth: the photometric loss by itself takes rotation back.
    "adapt": replace(
        TARGETS,
        name="adapt",
        steps=200,
        learning_rate=1e-4,
        half_until=0.0,
        geometry="near",
        validate_every=50,
        patience=2,
        start="shipped",
    ),
    "simulated": replace(
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
    ),
}
DEFAULT_CONFIG = "targets"


def _change(**changes: Any) -> Callable[[MotionConfig], MotionConfig]:
    return lambda config: replace(config, **changes)


def _without_targets(config: MotionConfig) -> MotionConfig:
    return config if config.geometry == "none" else replace(config, geometry="none", motion_unit=MOTION_UNIT)


ABLATIONS: dict[str, Callable[[MotionConfig], MotionConfig]] = {
    "fixed-mask": _change(specular="fixed"),
    "no-mask": _change(specular="none"),
    # Targets come from flow.
    "no-flow": lambda config: replace(_without_targets(config), use_flow=False),
    "no-targets": _without_targets,
    "no-consistency": _change(lambda_mc=0.0),
    "lambda-mc-0": _change(lambda_mc=0.0),
    "lambda-mc-10": _change(lambda_mc=10.0),
    "lambda-mc-100": _change(lambda_mc=100.0),
    "lambda-mc-500": _change(lambda_mc=500.0),
}


def motion_config(name: str, ablation: str | None = None, **values: Any) -> MotionConfig:
    """A named configuration with one ablation, or several joined by "+", and `values` of its own where not None."""
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
