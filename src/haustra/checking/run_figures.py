"""What a run of `locate` has anyway and what says whether its recording suits the tool: figures of its observations."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from haustra.checking.parameters import DEFAULTS, UnlikeParameters
from haustra.checking.picture_quality import blur, chromaticity
from haustra.core.arrays import FloatArray
from haustra.core.pictures import decode_kept
from haustra.core.vocabulary import Reason
from haustra.motion import motion_to_T_a_b
from haustra.results.observations import Observations
from haustra.video.standard import BLACK_BELOW

LOOKED_AT = 40  # thumbnails


@dataclass(frozen=True)
class RunFigures:
    """Shares of the sampled frames; None where nothing could be measured (without pictures no colour, for example).

    `other_light` is the share of the pictures that white light would not give. `stated` is the deviation that the
    motion network states, as a share of the motion.
    """

    usable: float
    repeated: float
    longest_unusable_s: float
    blur: float | None
    other_light: float | None
    stated: float | None
    lumen_deg: float | None

    def as_dict(self) -> dict[str, Any]:
        """For summary.json."""
        return {name: None if value is None else round(float(value), 3) for name, value in asdict(self).items()}


def run_figures(seen: Observations, limits: UnlikeParameters = DEFAULTS.unlike) -> RunFigures:
    """The figures of a run's observations."""
    reasons = np.array([reason == Reason.FROZEN for reason in seen.reason], np.bool_)
    usable_s = np.concatenate([seen.time_s[:1], seen.time_s[seen.kept], seen.time_s[-1:]])
    pictures = _pictures(seen)
    light = [chromaticity(picture[None], mask) for picture, mask in pictures]
    other = [red < limits.red_green_from or blue > limits.blue_green_to for red, blue in light if np.isfinite(red)]
    moved = np.linalg.norm(seen.motion[:, :3], axis=1)
    stated = np.linalg.norm(seen.motion_std[:, :3], axis=1) / np.maximum(moved, 1e-9)
    return RunFigures(
        usable=float(seen.kept.mean()),
        repeated=float(reasons.mean()),
        longest_unusable_s=float(np.diff(usable_s).max(initial=0.0)),
        blur=_median(np.array([blur(picture, mask) for picture, mask in pictures])),
        other_light=float(np.mean(other)) if other else None,
        stated=_median(stated[seen.kept]),
        lumen_deg=_median(_lumen_deg(seen)),
    )


def light_note(figures: RunFigures, limits: UnlikeParameters = DEFAULTS.unlike) -> tuple[str, ...]:
    """What the reader of the result should know about the light."""
    if figures.other_light is None or figures.other_light < limits.other_light_from:
        return ()
    return (
        f"{figures.other_light:.0%} of the pictures do not have the colours of white light (narrow-band light, dye, a "
        "filter): no network here has learnt from such pictures",
    )


def _pictures(seen: Observations) -> list[tuple[Any, Any]]:
    """Some thumbnails with the pixels that the lamp reaches."""
    shown = [jpeg for jpeg in seen.thumbnail if jpeg]
    step = -(-len(shown) // LOOKED_AT) or 1
    pictures = [decode_kept(jpeg) for jpeg in shown[::step]]
    return [(picture, picture.max(axis=2) >= BLACK_BELOW) for picture in pictures]


def _lumen_deg(seen: Observations) -> FloatArray:
    """Angle between the motion to a frame, in or out, and the ray to the lumen in it; of the larger half of motions."""
    way = motion_to_T_a_b(np.nan_to_num(seen.motion))[:, :3, 3]
    ray = np.column_stack([seen.lumen[:, :2], np.ones(len(seen))])
    length = np.linalg.norm(way, axis=1)
    known = np.isfinite(ray).all(axis=1) & (length > 0) & seen.kept
    if not known.any():
        return np.zeros(0)
    known &= length >= np.median(length[known])
    along = np.abs((way * ray).sum(axis=1)[known]) / (length[known] * np.linalg.norm(ray[known], axis=1))
    return np.degrees(np.arccos(np.minimum(along, 1.0)))


def _median(values: FloatArray) -> float | None:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else None
