"""`MotionParameters`: the tuned numbers of stage 5, with unit, meaning and origin.

They hold at the size of the shipped network's pictures, 128 x 128 pixels.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PairParameters:
    """Which pairs of frames are measured (`motion.stream`)."""

    longest_s: float = 0.5  # over a longer time optical flow finds no matches
    # Of the pairs with a dropped frame only every n-th is measured: locations are as good, at half the cost.
    low_quality_every: int = 2


@dataclass(frozen=True)
class EpipolarParameters:
    """Robust epipolar refinement by points of the flow (`motion.epipolar_refinement`)."""

    points_across: int = 16  # points along a side of the picture
    iterations: int = 5  # of Gauss-Newton
    # Flow errors of neighbouring points are correlated: so many points carry the information of one. With it, 93 to
    # 97 % of the errors on colons that no network has seen lie within two predicted standard deviations.
    redundancy: float = 16.0
    outlier_scale: float = 2.0  # Geman-McClure: a residual of this many times the pair's scale has a weight of 1/4
    sharpest_px: float = 0.05  # no flow is more accurate than this
    fewest_points: int = 20  # fewer leave the network's motion as it is
    # Highlights move with the lamp, not with the wall: below this saturation (of 255)
    highlight_saturation: int = 60
    highlight_value: int = 200  # and above this brightness (of 255)
    rim_px: int = 2  # around highlights and the edge of the picture


@dataclass(frozen=True)
class RefinementStartParameters:
    """Standard deviations of the refinement's start, for networks that predict none (`motion.refined_motion`).

    The shipped network predicts 0.2 to 0.4 of the translation and 0.25 degrees in the median; a self-supervised one
    rotates worse.
    """

    translation_share: float = 0.25  # of the translation's length
    rotation_deg: float = 0.6  # about each axis
    shortest: float = 0.01  # calibres: the translation of pairs that hardly move counts as this long
    # The same around least-squares targets; set on Set 1 validation with networks of 250 steps.
    target_translation_share: float = 0.5
    target_rotation_rad: float = 0.1  # around targets: next to no prior


@dataclass(frozen=True)
class LeastSquaresParameters:
    """Motion from flow and disparity (`motion.least_squares`)."""

    iterations: int = 4  # of Gauss-Newton
    samples_across: int = 16  # along a side of the picture
    flow_noise_px: float = 0.3  # standard deviation of the flow
    redundancy: float = 16.0  # flow errors of neighbouring samples are correlated: so many count as one
    # Standard deviations of translation and rotation (rad) about a start that knows nothing yet.
    free_prior: tuple[float, float] = (0.1, 0.1)


@dataclass(frozen=True)
class LumenParameters:
    """Where the lumen is (`motion.lumen`)."""

    side_px: int = 32  # pictures are looked at this small: folds and highlights vanish, the lumen does not
    blur_px: float = 1.0  # standard deviation of the Gaussian blur at that size
    darkest_percent: float = 10.0  # of the picture: taken for the lumen


@dataclass(frozen=True)
class MotionParameters:
    """All of them, by the module that uses them."""

    pairs: PairParameters = PairParameters()
    epipolar: EpipolarParameters = EpipolarParameters()
    start: RefinementStartParameters = RefinementStartParameters()
    least_squares: LeastSquaresParameters = LeastSquaresParameters()
    lumen: LumenParameters = LumenParameters()


DEFAULTS = MotionParameters()
