"""`CheckParameters`: the tuned numbers of the check, with their origin (`python -m benchmarks.check_verdict`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExpectedErrorParameters:
    """Regression of the logarithm of the true motion error on logarithms of two figures of the check.

    Ridge regression over 50 copies of recordings of known motion (foreign a to h, the demo, two tuning recordings), as
    they are or degraded. Of 62 copies of 15 recordings, each recording predicted by a fit to the others, the rank
    correlation with the true error was 0.66, and none of the worst tenth was called good.
    """

    intercept: float = -0.88
    loop_share: float = 0.37
    far_ratio: float = 0.35


@dataclass(frozen=True)
class VerdictParameters:
    """Limits of the verdict, set on the same copies."""

    good_below: float = 0.285  # expected motion error
    poor_from: float = 0.42
    good_followed: float = 0.3  # share of stretches with enough usable frames in a row
    poor_followed: float = 0.12
    lens_unsure: float = 0.08  # relative standard deviation of the angles: that of a lens which was not found
    # A stretch whose residual is this many times that of the best fit, and this large, is not explained.
    unexplained_ratio: float = 4.0
    unexplained_px: float = 1.5
    # Figures beyond these are named as reasons: the least usual tenth of the copies as they are.
    unusual_loop_share: float = 0.25
    unusual_far_ratio: float = 1.7
    unusual_matched: float = 0.7


@dataclass(frozen=True)
class UnlikeParameters:
    """Pictures unlike those of white-light colonoscopy at the usual rate.

    Logarithm of red over green: its lowest hundredth over 650 real white-light stills is 0.31, narrow-band pictures
    have 0.0 to 0.2. Of blue over green: the highest hundredth is -0.08, dye goes above 0.
    """

    red_green_from: float = 0.27
    blue_green_to: float = 0.02
    other_light_from: float = 0.1  # share of a run's pictures with other colours that is worth a note
    few_frames_hz: float = 8.0
    many_repeated: float = 0.4
    hardly_moves_px: float = 0.7  # between neighbours, at 384 px


@dataclass(frozen=True)
class CheckParameters:
    """All of them."""

    expected: ExpectedErrorParameters = ExpectedErrorParameters()
    verdict: VerdictParameters = VerdictParameters()
    unlike: UnlikeParameters = UnlikeParameters()


DEFAULTS = CheckParameters()
