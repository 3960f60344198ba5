"""Every way to estimate the motion of a pair, opened by one function: a rival by its name, a network by its file.

A network of our own is refined by the optical flow (`refined`); those of the rivals are what their authors made them.

The rivals live in `baselines`, above all stages; they are imported by name on first use.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from haustra.errors import HaustraError
from haustra.flow import open_flow
from haustra.motion.estimator import MotionEstimator, PairMeasurement
from haustra.motion.refined import RefinedMotion
from haustra.poses import FloatArray

OURS, NETWORK = "ours", "network"  # the shipped network refined, and by itself
# Name: where it lives, and what it is in one line.
RIVALS = {
    "liu2013": (
        "haustra.baselines.liu:LiuFlow",
        "optical-flow based (Liu et al. 2013): focus of expansion, tube model",
    ),
    "klt": ("haustra.baselines.essential:KltOdometry", "tracked corners and the essential matrix"),
    "orb": ("haustra.baselines.essential:OrbOdometry", "ORB matches and the essential matrix"),
    "xfeat": ("haustra.baselines.xfeat:XFeatOdometry", "XFeat matches and the essential matrix (needs haustra[xfeat])"),
    "expansion": ("haustra.baselines.simple:FlowExpansion", "straight on, as fast as the optical flow expands"),
    "constant": ("haustra.baselines.simple:ConstantMotion", "backwards by the same step in every pair"),
    "zero": ("haustra.baselines.simple:ZeroMotion", "no motion at all"),
}
# Trained by `haustra train motion --method NAME`, opened by their file as our own network is.
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
        """The file of a network; a rival that is none has no file."""

    def estimate(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> FloatArray:
        """s(a->b) (N, 6) of frames (N, S, S, 3); NaN where a pair could not be estimated."""

    def measure(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> PairMeasurement:
        """The same, how far off each number may be, and the calibre; NaN where a method does not know."""

    def measure_poor(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> PairMeasurement:
        """The same for pairs with a frame that was dropped: cheap, and nothing that needs a clear picture."""

    def pair_motions(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> FloatArray:
        """T_a_b (N, 4, 4) of the same."""


def open_motion(name_or_file: str | Path | None = None, *, flow: str | None = None, threads: int = 1) -> MotionMethod:
    """The rival of this name, the network in this file, or the shipped one (`ours` or None; `network`: not refined).

    `flow` is a method of optical flow for those that use one; a network otherwise takes the one it was trained with.
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
    return alone if name == NETWORK or alone.recipe in LEARNT else RefinedMotion(alone, flow)


def _open_rival(name: str, flow: str | None) -> MotionMethod:
    if flow is not None and name not in _TAKES_FLOW:
        raise HaustraError(f"'{name}' uses no optical flow: leave --flow out, or choose {' or '.join(_TAKES_FLOW)}")
    module, _, kind = RIVALS[name][0].partition(":")
    options: dict[str, Any] = {} if flow is None else {"flow": flow}
    rival: MotionMethod = getattr(import_module(module), kind)(**options)
    return rival
