"""Stage 6 over what was seen: where the withdrawal begins, and the location index of every frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from haustra.chunks import Observations
from haustra.errors import NothingToLocateError
from haustra.path.estimate import WHOLE, End, LocationEstimate, estimate_location, travel_of
from haustra.path.extent import extent_of
from haustra.path.location import UNKNOWN_STD
from haustra.path.lumen import left_in_doubt
from haustra.path.steady import PairVelocities
from haustra.path.trajectory import Trajectory
from haustra.path.turning import Support, TurningPoint, withdrawal_start
from haustra.path.turns import turn_doubts, with_unseen_bends
from haustra.path.velocities import pair_velocities
from haustra.poses import FloatArray
from haustra.terms import Basis, Extent
from haustra.times import format_time

# Below this confidence the reader is asked to check the start of the withdrawal; an insertion that is less sure to lie
# before it does not tell that it begins in the cecum.
SURE_START = 0.6
MANY_DROPPED = 0.8
FEWEST = 3
# Frames behind the last kept one may be spoilt ones of the rectum (of a withdrawal of 32 s the last 2.7 s were a tenth
# of the colon), or show that the scope is out.
END_S = 3.0

Ends = tuple[End | None, End | None]


@dataclass(frozen=True)
class Withdrawal:
    """The withdrawal, frame by frame; `turn` is None when the user gave its start.

    Where the `extent` has no places, the index is progress through the recording. `turn_std` is how far off the turn
    since the kept frame before may be, in radians.
    """

    seen: Observations
    location: LocationEstimate
    turn_std: FloatArray
    basis: tuple[Basis, ...]
    extent: Extent
    turn: TurningPoint | None
    warnings: tuple[str, ...]

    @property
    def index(self) -> FloatArray:
        return self.location.index

    @property
    def std(self) -> FloatArray:
        return self.location.std

    @property
    def trajectory(self) -> Trajectory:
        """Poses of the kept frames."""
        return Trajectory(self.seen.time_s[self.seen.kept], self.location.T_w_c[self.seen.kept])

    @property
    def start_s(self) -> float:
        return float(self.seen.time_s[0])

    @property
    def end_s(self) -> float:
        return float(self.seen.time_s[-1])


def follow_withdrawal(
    seen: Observations, start_s: float | None, ends: Ends = (None, None), support: Support | None = None
) -> Withdrawal:
    """From the start of the withdrawal (None: search for it) to the last informative frame.

    `ends` are the locations of these two frames, as far as the user knows them; `support` is what pictures say about
    the start.
    """
    _check_count(seen)
    turn = None if start_s is not None else withdrawal_start(seen.time_s, travel_of(pair_velocities(seen)), support)
    used = _withdrawal(seen, turn)
    pairs = pair_velocities(used)
    first, last = (known or assumed for known, assumed in zip(ends, WHOLE, strict=True))
    begins = ends[0] is not None or turn is None or (turn.has_insertion and turn.nearly >= SURE_START)
    extent = extent_of(travel_of(pairs), begins=begins, share=last.location - first.location)
    if turn is not None and not turn.has_withdrawal:
        extent = Extent.UNKNOWN
    if None not in ends:
        extent = Extent.GIVEN
    ends_at = first, _unseen_end(first, last, seen, used)
    judged = _is_judged(used)
    known = judged and extent.has_places and _in_known_units(pairs)
    travel = travel_of(pairs, withdrawn=judged)
    location = estimate_location(travel, ends_at, known=known)
    if extent is Extent.UNKNOWN:
        location = replace(location, std=np.full_like(location.std, UNKNOWN_STD))
    seen_turns = left_in_doubt(turn_doubts(pairs, used.kept), travel.by_lumen)
    turn_std = with_unseen_bends(seen_turns, location.index, used.kept)
    return Withdrawal(used, location, turn_std, _basis(pairs), extent, turn, tuple(_warnings(used, turn, extent)))


def _withdrawal(seen: Observations, turn: TurningPoint | None) -> Observations:
    """The samples from the start of the withdrawal to its last kept one; all, where there is no withdrawal."""
    first_s = seen.time_s[0] if turn is None or not turn.has_withdrawal else turn.time_s
    rows = seen.rows(slice(int(np.searchsorted(seen.time_s, first_s)), int(np.flatnonzero(seen.kept)[-1]) + 1))
    _check_count(rows)
    return rows


def _unseen_end(first: End, last: End, seen: Observations, used: Observations) -> End:
    """The last kept frame is at the end unless the scope was drawn on behind it: for END_S at most at the mean pace."""
    unseen_s = min(float(seen.time_s[-1] - used.time_s[-1]), END_S)
    pace = (last.location - first.location) / max(float(used.time_s[-1] - used.time_s[0]), 1e-6)
    return replace(last, std=float(np.hypot(last.std, pace * unseen_s)))


def _is_judged(seen: Observations) -> bool:
    """Between clear frames a doubted step is a pull, and one that lacks way; where nobody looked it is mostly blur."""
    return bool(np.isfinite(seen.p_noninformative).any())


def _in_known_units(pairs: PairVelocities) -> bool:
    """A network that learnt from truth states its deviations, and its unit is known; that of another is its own."""
    return pairs.stated is not None and bool(np.isfinite(pairs.stated).any())


def _check_count(seen: Observations) -> None:
    kept = int(seen.kept.sum())
    if kept < FEWEST:
        raise NothingToLocateError(
            f"{kept} frames are informative, at least {FEWEST} are needed: nothing can be located "
            "(`haustra quality` shows which frames are dropped, and why)"
        )


def _basis(pairs: PairVelocities) -> tuple[Basis, ...]:
    """What each sample rests on; the first one rests on itself."""
    measured = np.isfinite(pairs.measured).all(axis=1)
    kinds = np.where(pairs.seen, Basis.SEEN, np.where(measured, Basis.POOR, Basis.UNSEEN))
    return (Basis.SEEN, *map(Basis, kinds.tolist()))


def _warnings(seen: Observations, turn: TurningPoint | None, extent: Extent) -> list[str]:
    """What the reader should know before trusting the rest."""
    warnings = []
    if turn is not None and turn.confidence < SURE_START:
        warnings.append(
            f"the start of the withdrawal was taken to be {format_time(turn.time_s)} with a confidence of only "
            f"{turn.confidence:.0%}: check it and give --withdrawal-start"
        )
    if extent is Extent.UNKNOWN:
        warnings.append(
            "too little is seen of a withdrawal (a few seconds, a scope at rest, an insertion, or no colonoscopy): "
            "no location can be given"
        )
    if extent is Extent.PART:
        warnings.append(
            "part of a colon: the way is too short for a whole withdrawal, so no segments are named and the location "
            "index is progress through this recording; give --from and --to if you know where it begins and ends"
        )
    if extent is Extent.UNSURE:
        warnings.append(
            "this may be part of a colon: nothing shows that it begins in the cecum, so no segments are named and the "
            "location index is progress through this recording; give --withdrawal-start if it does, or --from and --to"
        )
    if extent is Extent.LIKELY:
        warnings.append(
            "taken for a whole colon: its way is as long as one from the cecum on; give --from and --to if it is a part"
        )
    dropped = 1 - float(seen.kept.mean())
    if dropped > MANY_DROPPED:
        warnings.append(f"{dropped:.0%} of the frames were dropped: the path rests on few")
    return warnings
