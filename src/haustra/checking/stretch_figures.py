"""What the check measures on a recording: figures of each stretch, and of all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from haustra.camera import Camera
from haustra.checking.matches import tissue
from haustra.checking.motion_agreement import MOVES_FROM_PX, PairFit, StretchMotion, measure_stretch
from haustra.checking.picture_quality import blur, chromaticity
from haustra.checking.stretches import NETWORK_SIDE, SampledStretch, StretchReader, classified
from haustra.core.arrays import FloatArray
from haustra.core.progress import Progress, silent
from haustra.core.vocabulary import INSTRUMENT
from haustra.motion.lumen import LumenView
from haustra.motion.methods import MotionMethod
from haustra.quality import FrameClassifier, OverlayMask, QualityModel, fitted_size
from haustra.video import Picture, Recording


@dataclass(frozen=True)
class StretchFigures:
    """Of one stretch; `motion` is None where too few samples in a row can be used."""

    start_s: float
    end_s: float
    samples: int
    kept: int
    instrument: int
    read: int
    repeated: int
    blur: float
    colour: FloatArray
    motion: StretchMotion | None


@dataclass(frozen=True)
class CheckFigures:
    """Of a recording; NaN where nothing could be measured.

    Ratios are our epipolar residual over that of the best fit to independent matches, medians over pairs: `near` of
    neighbouring samples, `far` over 0.4 s. `followed` is the share of stretches with enough usable samples in a row,
    `matched` the share of the far pairs whose matches agree on some motion.
    """

    stretches: int
    kept: float
    instrument: float
    blur: float
    repeated: float
    frame_rate: float
    followed: float
    matched: float
    moves_px: float
    near_ratio: float
    far_ratio: float
    far_px: float
    far_rotation_deg: float
    back_rotation_deg: float
    back_share: float
    loop_rotation_deg: float
    loop_share: float
    stated: float
    lumen_deg: float
    red_green: float
    blue_green: float


class Examiner:
    """Measures stretches of a recording; `camera` is the lens of its `picture`."""

    def __init__(
        self,
        recording: Recording,
        picture: Picture,
        camera: Camera,
        estimator: MotionMethod,
        quality: QualityModel | None,
    ) -> None:
        box = picture.box
        size = fitted_size(box.width, box.height, NETWORK_SIDE)
        self._reader = StretchReader(recording, picture, camera, estimator.size, estimator.fov_deg)
        self._classifier = FrameClassifier(quality, sparse=False, mask=OverlayMask(picture, size))
        self._mask = cv2.resize(picture.mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0
        self._lumen = LumenView(self._reader.mask, estimator.fov_deg)
        self._inside, self._estimator = tissue(self._reader.match_mask), estimator

    def stretches(
        self, from_s: float = 0.0, to_s: float | None = None, progress: Progress = silent
    ) -> list[StretchFigures]:
        """In the order of time."""
        found = []
        for stretch in self._reader.stretches(from_s, to_s):
            found.append(self._measured(classified(stretch, self._classifier)))
            progress(len(found))
        return found

    def _measured(self, stretch: SampledStretch) -> StretchFigures:
        assert stretch.seen is not None
        kept = stretch.kept
        middle = stretch.decoded[kept if kept.any() else slice(None)]
        return StretchFigures(
            float(stretch.time_s[0]),
            float(stretch.time_s[-1]),
            len(kept),
            int(kept.sum()),
            sum(reason in INSTRUMENT for reason in stretch.seen.reason),
            stretch.read,
            stretch.repeated,
            blur(middle[len(middle) // 2], self._mask),
            chromaticity(middle[:1], self._mask),
            measure_stretch(stretch, self._estimator, self._lumen, self._inside),
        )


def together(stretches: Sequence[StretchFigures], frame_rate: float) -> CheckFigures:
    """The figures of a recording from those of its stretches."""
    motions = [stretch.motion for stretch in stretches if stretch.motion is not None]
    near, far = ([fit for motion in motions for fit in getattr(motion, name)] for name in ("near", "far"))
    samples = max(sum(stretch.samples for stretch in stretches), 1)
    shown = [stretch for stretch in stretches if stretch.kept] or list(stretches)
    back, loop = (_median_rows([getattr(motion, name) for motion in motions]) for name in ("back", "loop"))
    colour = _median_rows([stretch.colour[None] for stretch in shown])
    return CheckFigures(
        stretches=len(stretches),
        kept=sum(stretch.kept for stretch in stretches) / samples,
        instrument=sum(stretch.instrument for stretch in stretches) / samples,
        blur=_median(stretch.blur for stretch in shown),
        repeated=sum(s.repeated for s in stretches) / max(sum(s.read for s in stretches), 1),
        frame_rate=frame_rate,
        followed=len(motions) / max(len(stretches), 1),
        matched=float(np.mean([fit.matched for fit in far])) if far else 0.0,
        moves_px=_median(fit.moves_px for fit in near),
        near_ratio=residual_ratio(near),
        far_ratio=residual_ratio(far),
        far_px=_median(fit.ours_px for fit in far),
        far_rotation_deg=_median(fit.rotation_deg for fit in far),
        back_rotation_deg=float(back[0]),
        back_share=float(back[1]),
        loop_rotation_deg=float(loop[0]),
        loop_share=float(loop[1]),
        stated=_median(value for motion in motions for value in motion.stated),
        lumen_deg=_median(motion.lumen_deg for motion in motions),
        red_green=float(colour[0]),
        blue_green=float(colour[1]),
    )


def residual_ratio(fits: Iterable[PairFit]) -> float:
    """Median residual of ours over that of the best fit, of pairs that move and have matches."""
    usable = [fit for fit in fits if fit.matched and fit.moves_px >= MOVES_FROM_PX]
    if not usable:
        return float("nan")
    ours, best = (np.median([getattr(fit, name) for fit in usable]) for name in ("ours_px", "best_px"))
    return float(ours / best)


def _median(values: Iterable[float]) -> float:
    known = [value for value in values if np.isfinite(value)]
    return float(np.median(known)) if known else float("nan")


def _median_rows(parts: Sequence[FloatArray]) -> FloatArray:
    rows = np.concatenate([*parts, np.zeros((0, 2))])
    rows = rows[np.isfinite(rows).all(axis=1)]
    return np.median(rows, axis=0) if len(rows) else np.full(2, np.nan)
