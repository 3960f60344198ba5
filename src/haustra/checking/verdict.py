"""The verdict in words: what motion error to expect from the figures of a check, and what the pictures are unlike."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from haustra.checking.parameters import DEFAULTS, CheckParameters
from haustra.checking.stretch_figures import CheckFigures, StretchFigures, residual_ratio


class VerdictWord(StrEnum):
    """What a user should do with the result."""

    GOOD = "good"
    USABLE = "usable"
    POOR = "do not rely on it"


class Trouble(StrEnum):
    """What is wrong with a stretch."""

    UNUSABLE = "too few usable frames in a row"
    UNMATCHED = "no matches that agree on a motion"
    UNEXPLAINED = "the motion does not explain the matches"


@dataclass(frozen=True)
class Verdict:
    """`expected_error` of the motion over 0.4 s, as a share of it; None where nothing could be measured.

    `reasons` say what speaks against a better verdict, `unlike` what the networks have not learnt from.
    """

    word: VerdictWord
    expected_error: float | None
    reasons: tuple[str, ...]
    unlike: tuple[str, ...]


def judge(figures: CheckFigures, lens_std: float, parameters: CheckParameters = DEFAULTS) -> Verdict:
    """The verdict; `lens_std` is the relative standard deviation of the lens, 0 where it was given."""
    limits = parameters.verdict
    expected, unlike = expected_error(figures, parameters), unlike_of(figures, parameters)
    reasons = []
    if figures.followed < limits.good_followed:
        reasons.append(f"only {figures.followed:.0%} of the stretches have enough usable frames in a row")
    if expected is None:
        reasons.append("too few stretches with usable frames and matches to compare the motion with anything")
    elif expected >= limits.good_below:
        reasons += _unusual(figures, parameters) or [f"the motion is expected to be off by {expected:.0%}"]
    if lens_std >= limits.lens_unsure:
        reasons.append("the lens is not known: calibrate, or pool several recordings of the same instrument")
    if expected is None or expected >= limits.poor_from or figures.followed < limits.poor_followed:
        return Verdict(VerdictWord.POOR, expected, tuple(reasons), unlike)
    word = VerdictWord.USABLE if reasons or unlike else VerdictWord.GOOD
    return Verdict(word, expected, tuple(reasons), unlike)


def expected_error(figures: CheckFigures, parameters: CheckParameters = DEFAULTS) -> float | None:
    """Translation error over 0.4 s that recordings with these figures had, as a share of the translation."""
    weights = parameters.expected
    measured = predictors(figures)
    if not np.isfinite(list(measured.values())).all():
        return None
    log_error = weights.intercept + sum(getattr(weights, name) * value for name, value in measured.items())
    return round(float(np.exp(log_error)), 3)


def predictors(figures: CheckFigures) -> dict[str, float]:
    """What the expected error is predicted from: logarithms."""
    values = {"loop_share": figures.loop_share, "far_ratio": figures.far_ratio}
    return {name: float(np.log(max(value, 1e-3))) for name, value in values.items()}


def unlike_of(figures: CheckFigures, parameters: CheckParameters = DEFAULTS) -> tuple[str, ...]:
    """What the pictures are unlike, told and not guessed from the motion."""
    limits = parameters.unlike
    slow = figures.frame_rate * (1.0 - figures.repeated) < limits.few_frames_hz
    said = {
        "the light is not white: narrow-band light or a filter, which no network here has learnt from": (
            figures.red_green < limits.red_green_from
        ),
        "the pictures are blue: dye, or not a colon": figures.blue_green > limits.blue_green_to,
        "few different frames a second: a capsule, or a recorder that drops frames": slow,
        "many frames are repeated": figures.repeated > limits.many_repeated,
        "the picture hardly moves": figures.moves_px < limits.hardly_moves_px,
    }
    return tuple(text for text, found in said.items() if found)


def trouble_of(stretch: StretchFigures, parameters: CheckParameters = DEFAULTS) -> Trouble | None:
    """What is wrong with a stretch, if anything."""
    limits = parameters.verdict
    if stretch.motion is None:
        return Trouble.UNUSABLE
    matched = [fit for fit in stretch.motion.far if fit.matched]
    if not matched:
        return Trouble.UNMATCHED
    large = float(np.median([fit.ours_px for fit in matched])) > limits.unexplained_px
    return Trouble.UNEXPLAINED if large and residual_ratio(matched) > limits.unexplained_ratio else None


def _unusual(figures: CheckFigures, parameters: CheckParameters) -> list[str]:
    """The figures that stand out against those of good recordings."""
    limits = parameters.verdict
    said = {
        f"three steps and the one across them differ by {figures.loop_share:.0%} of the way": (
            figures.loop_share > limits.unusual_loop_share
        ),
        f"over 0.4 s matches have {figures.far_ratio:.1f} times the residual of the best fit": (
            figures.far_ratio > limits.unusual_far_ratio
        ),
        f"{1 - figures.matched:.0%} of the steps of 0.4 s have no matches that agree on a motion": (
            figures.matched < limits.unusual_matched
        ),
    }
    return [text for text, found in said.items() if found]
