"""Registry of motion estimators: `open_motion` opens a baseline by its name, a network by its file.

Our networks are refined by points of the flow (`refined_motion`); baselines are as their authors published them. They
live in `haustra.lab.baselines`, which no stage imports: they are loaded by name on first use.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.flow import open_flow
from haustra.motion.estimator import MotionEstimator, PairMeasurement
from haustra.motion.parameters import DEFAULTS, MotionParameters
from haustra.motion.refined_motion import RefinedMotion

OURS, NETWORK = "ours", "network"  # the shipped network refined, and by itself
# Baselines by name: where each lives, and what it is in one line.
RIVALS = {
    "liu2013": (
        "haustra.lab.baselines.liu:LiuFlow",
        "optical-flow based (Liu et al. 2013): focus of expansion, tube model",
    ),
    "klt": ("haustra.lab.baselines.essential:KltOdometry", "tracked corners and the essential matrix"),
    "orb": ("haustra.lab.baselines.essential:OrbOdometry", "ORB matches and the essential matrix"),
    "xfeat": (
        "haustra.lab.baselines.xfeat:XFeatOdometry",
        "XFeat matches and the essential matrix (needs haustra[xfeat])",
    ),
    "expansion": ("haustra.lab.baselines.simple:FlowExpansion", "straight on, as fast as the optical flow expands"),
    "constant": ("haustra.lab.baselines.simple:ConstantMotion", "backwards by the same step in every pair"),
    "zero": ("haustra.lab.baselines.simple:ZeroMotion", "no motion at all"),
}
# Learnt baselines: trained by `haustra train motion --method NAME` and opened by their file, as our own network is.
LEARNT = ("sfmlearner", "geonet", "sc-sfmlearner")
_TAKES_FLOW = ("liu2013", "expansion")


class MotionMethod(Protocol):
    """What `locate` and `evaluate motion` need of a method: pairs of canonical frames in, their motions out."""

    size: int
    fov_deg: float
    recipe: str
    flow_name: str
    K: FloatArray

    @property
    def path(self) -> Path | None:
        """The file of a network; other methods have none."""

    def estimate(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> FloatArray:
        """s(a->b) (N, 6) of frames (N, S, S, 3); NaN where a pair could not be estimated."""

    def measure(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> PairMeasurement:
        """The same with standard deviations; NaN where a method predicts none."""

    def measure_low_quality(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> PairMeasurement:
        """The same for pairs with a dropped frame: cheap, and nothing that needs a clear picture."""

    def pair_motions(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> FloatArray:
        """T_a_b (N, 4, 4) of the same."""


def open_motion(
    name_or_file: str | Path | None = None,
    *,
    flow: str | None = None,
    threads: int = 1,
    parameters: MotionParameters = DEFAULTS,
) -> MotionMethod:
    """The baseline of this name, the network in this file, or the shipped one (`ours` or None; `network`: not refined).

    `flow` is the optical flow for methods that use one; a network otherwise takes the one it was trained with.
    """
    name = str(name_or_file or OURS)
    if name in RIVALS:
        return _open_rival(name, flow)
    if name in LEARNT:
        raise HaustraError(f"'{name}' has to be trained: haustra train motion --method {name}, then give its file")
    if name not in (OURS, NETWORK) and not Path(name).is_file():
        known = ", ".join((OURS, NETWORK, *RIVALS))
        raise HaustraError(f"'{name}' is neither a motion file nor a method: choose one of {known}, or give a file")
    weights = None if name in (OURS, NETWORK) else Path(name)
    alone = MotionEstimator(weights, flow=None if flow is None else open_flow(flow), threads=threads)
    return alone if name == NETWORK or alone.recipe in LEARNT else RefinedMotion(alone, flow, parameters)


def _open_rival(name: str, flow: str | None) -> MotionMethod:
    if flow is not None and name not in _TAKES_FLOW:
        raise HaustraError(f"'{name}' uses no optical flow: leave --flow out, or choose {' or '.join(_TAKES_FLOW)}")
    module, _, kind = RIVALS[name][0].partition(":")
    options: dict[str, Any] = {} if flow is None else {"flow": flow}
    rival: MotionMethod = getattr(import_module(module), kind)(**options)
    return rival
