"""Named configurations of the motion trainer, and the paper's ablations as changes of one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from haustra.errors import HaustraError
from haustra.training.motion.least_squares import Prior
from haustra.training.motion.losses import LAMBDA_CE, LAMBDA_MC, LAMBDA_SMO

# The paper's lambda_mc goes with its free scale of motion and its photometric error (CPE 0.06). With motion in scene
# depths and radians and a CPE of 0.005 the same number drives all motion to zero: shrinking gains lambda * |asymmetry|,
# more than the photometric loss can pay. We count motion in this unit instead. In probes of 500 steps a unit of 0.005
# still took all rotation away, 0.001 shrank it, 0.0002 did not. The truth of the other recipe holds the scale itself.
MOTION_UNIT = 0.0002
MOTION_UNIT_WITH_TRUTH = 0.005
# So do targets from geometry; in probes of 500 steps 0.005 had no effect, 0.05 a good one, and 0.2 shrank rotation.
MOTION_UNIT_WITH_GEOMETRY = 0.05
# As with lambda_mc: lambda_smo, as it is, makes the disparity flat within fifty steps, before motion is good enough
# for the photometric loss to ask for depth; at a twentieth it still does where there is no flow to help. At a hundredth
# it learns: its correlation with the true inverse depth of unseen colons is 0.8 after 125 steps. With truth nothing
# asks for flatness.
SMOOTHNESS_UNIT = 0.01
# Of the least squares in geometry.py: a network that knows nothing yet does not hold them back, one that was trained
# with truth does.
PRIORS: dict[str, Prior] = {"free": (0.1, 0.1), "near": (0.002, 0.001)}


@dataclass(frozen=True)
class MotionConfig:
    """`supervised` adds the simulator's truth; then the picture losses, which cost four times as much as the motion
    network alone, run on `full_pairs` of the batch in every `full_every`-th step.

    `levels` and `half_until` are ours. A pair that moves by several pixels lies outside the reach of the loss; on
    pictures that were halved once or twice it does not. Until `half_until` of the run the largest picture is half the
    size: less than half the cost, and the last part of the run sees all of it. `geometry`, ours as well: learn the
    motion that flow and disparity ask for by least squares, too (see geometry.py). `start`: weights to begin with.
    """

    name: str
    size: int
    batch: int
    steps: int
    learning_rate: float = 1e-4
    cosine: bool = False
    lambda_ce: float = LAMBDA_CE
    lambda_mc: float = LAMBDA_MC
    lambda_smo: float = LAMBDA_SMO
    specular: Literal["learned", "fixed", "none"] = "learned"
    use_flow: bool = True
    levels: int = 1
    half_until: float = 0.0
    geometry: Literal["none", "free", "near"] = "none"
    supervised: bool = False
    full_every: int = 1
    full_pairs: int | None = None
    augment: bool = False
    validate_every: int = 1000
    patience: int = 30
    start: str | None = None

    def consistency_weight(self, step: int) -> float:
        """Weight of loss_mc in a step: it comes in between a tenth and a fifth of the run, when both directions have
        learnt to move; from the first step on it would hold both at zero. Truth needs no such care."""
        if self.supervised:
            return self.lambda_mc * MOTION_UNIT_WITH_TRUTH
        unit = MOTION_UNIT if self.geometry == "none" else MOTION_UNIT_WITH_GEOMETRY
        return self.lambda_mc * unit * min(1.0, max(0.0, 10 * step / self.steps - 1.0))

    @property
    def geometry_prior(self) -> Prior | None:
        return PRIORS.get(self.geometry)

    def halved(self, step: int) -> bool:
        """Whether the picture losses of this step look at pictures of half the size."""
        return step < self.half_until * self.steps

    @property
    def smoothness_weight(self) -> float:
        return self.lambda_smo if self.supervised else self.lambda_smo * SMOOTHNESS_UNIT

    @property
    def ablations(self) -> list[str]:
        """How it differs from the full method, in the paper's words."""
        found = [] if self.use_flow else ["no-flow"]
        found += [] if self.specular == "learned" else [f"{self.specular}-specular-mask"]
        return found if self.lambda_mc == LAMBDA_MC else [*found, f"lambda-mc-{self.lambda_mc:g}"]


FAST = MotionConfig(
    "fast",
    size=128,
    batch=8,
    steps=20_000,
    learning_rate=5e-4,
    cosine=True,
    levels=3,
    half_until=0.8,
    geometry="free",
)
CONFIGS = {
    "paper": MotionConfig("paper", size=256, batch=1, steps=300_000, validate_every=5000),
    "fast": FAST,
    # Short and slow, and near what was learnt with truth: the photometric loss by itself takes rotation back.
    "adapt": replace(
        FAST,
        name="adapt",
        steps=200,
        learning_rate=1e-4,
        half_until=0.0,
        geometry="near",
        validate_every=50,
        patience=2,
        start="shipped",
    ),
    "simulated": MotionConfig(
        "simulated",
        size=128,
        batch=32,
        steps=20_000,
        learning_rate=1e-3,
        cosine=True,
        supervised=True,
        full_every=4,
        full_pairs=8,
        augment=True,
        validate_every=500,
    ),
}

ABLATIONS: dict[str, dict[str, object]] = {
    "fixed-mask": {"specular": "fixed"},
    "no-mask": {"specular": "none"},
    "no-flow": {"use_flow": False, "geometry": "none"},
    "paper-losses": {"geometry": "none"},
    "no-consistency": {"lambda_mc": 0.0},
    "lambda-mc-0": {"lambda_mc": 0.0},
    "lambda-mc-10": {"lambda_mc": 10.0},
    "lambda-mc-100": {"lambda_mc": 100.0},
    "lambda-mc-500": {"lambda_mc": 500.0},
}


def motion_config(name: str, ablation: str | None = None, steps: int | None = None) -> MotionConfig:
    """A named configuration with one ablation, or several joined by "+", and another number of steps, if wanted."""
    if name not in CONFIGS:
        raise HaustraError(f"no configuration '{name}': choose one of {', '.join(CONFIGS)}")
    config = CONFIGS[name]
    for change in ablation.split("+") if ablation is not None else ():
        if change not in ABLATIONS:
            raise HaustraError(f"no ablation '{change}': choose one of {', '.join(ABLATIONS)}")
        config = replace(config, **ABLATIONS[change])  # type: ignore[arg-type]
    if steps is not None:
        if steps < 1:
            raise HaustraError(f"{steps} training steps are not possible: give at least 1")
        config = replace(config, steps=steps)
    return config
