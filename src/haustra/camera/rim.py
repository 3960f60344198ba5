"""The rim of the endoscope picture: the circle that its outline lies on or touches, which the angle of view refers to.

Pictures are round, round with the top and bottom cut off, octagonal, or rectangular with or without their corners. What
is drawn over them (banners, insets) is not part of the mask (`video.picture`) and takes pieces of the outline away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from haustra.core.arrays import FloatArray, Mask

# A picture is round when this share of its outline lies within this part of the radius from one circle.
ON_CIRCLE = 0.01
ROUND_SHARE = 0.5
CIRCLE_ROUNDS = 15
# Other pictures are symmetric to this share of their size, unless a banner of at most this share cuts them.
MIRRORED = 0.01
MOST_CUT = 0.2


@dataclass(frozen=True)
class Rim:
    """Outline of the endoscope picture: the centre of its circle and the radius of its farthest point, in pixels."""

    x: float
    y: float
    radius: float

    def scaled(self, factor: float) -> Rim:
        """The same rim after the picture was resized (pixel centres: x' = (x + 0.5) s - 0.5)."""
        return Rim((self.x + 0.5) * factor - 0.5, (self.y + 0.5) * factor - 0.5, self.radius * factor)


def picture_rim(mask: Mask) -> Rim:
    """Rim of the picture: its circle where the outline is mostly one, else the farthest of the outline from its middle.

    Insets and banners cut pieces out of a round picture; the rest of the outline still lies on the circle. An octagon
    or a rectangle touches the circle of the lens at its corners; the outermost hundredth may be stray pixels.
    """
    edge = np.argwhere(mask & ~_eroded(mask))[:, ::-1].astype(np.float64)
    circle = _circle(edge)
    if circle is not None:
        return circle
    x, y = _middle(mask), _middle(mask.T)
    radius = float(np.quantile(np.linalg.norm(edge - [x, y], axis=1), 0.99))
    return Rim(x, y, radius)


def _circle(edge: FloatArray) -> Rim | None:
    """Robust circle through outline points (n, 2): least squares on those near the last circle; None where few are."""
    near = np.ones(len(edge), np.bool_)
    for _ in range(CIRCLE_ROUNDS):
        (x, y, c), *_ = np.linalg.lstsq(
            np.column_stack([2 * edge[near], np.ones(near.sum())]), np.square(edge[near]).sum(axis=1), rcond=None
        )
        radius = float(np.sqrt(max(c + x * x + y * y, 1e-9)))
        off = np.abs(np.linalg.norm(edge - [x, y], axis=1) - radius) / radius
        near = off <= max(ON_CIRCLE, float(np.median(off)))
    on_circle = off <= ON_CIRCLE
    if on_circle.mean() < ROUND_SHARE or np.linalg.norm(edge - [x, y], axis=1).max() > radius * (1 + 5 * ON_CIRCLE):
        return None
    return Rim(float(x), float(y), radius)


def _middle(mask: Mask) -> float:
    """Column about which the outline mirrors itself: the middle of its box, or beside it where a banner cuts one side.

    The upper and the lower edge of an octagon fall off at both ends, unless a banner cuts one end of both away. An
    inset in a corner leaves one of them whole.
    """
    filled = np.flatnonzero(mask.any(axis=0))
    first, last = int(filled[0]), int(filled[-1])
    shown = mask[:, first : last + 1]
    edges = [np.argmax(side, axis=0).astype(np.float64) for side in (shown, shown[::-1])]
    tolerance, farthest = MIRRORED * max(mask.shape), int(MOST_CUT * shown.shape[1])
    shifts = sorted(range(-farthest, farthest + 1), key=abs)
    off = np.array([min(_unlike_mirrored(edge, shift) for edge in edges) for shift in shifts])
    best = 0 if off[0] <= tolerance else int(np.argmin(off))
    return 0.5 * (first + last + shifts[best])


def _unlike_mirrored(edge: FloatArray, shift: int) -> float:
    """Mean difference of places that mirror each other about the middle moved by half of `shift`."""
    common = edge[max(shift, 0) : len(edge) + min(shift, 0)]
    return float(np.abs(common - common[::-1]).mean())


def _eroded(mask: Mask) -> Mask:
    padded = np.pad(mask, 1)
    return np.asarray(padded[1:-1, 1:-1] & padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:])
