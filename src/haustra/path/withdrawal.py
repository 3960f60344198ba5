"""Stage 6, all of it: which frames belong to the withdrawal, how much of the colon they show, the location of each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from haustra.core.arrays import FloatArray, Mask
from haustra.core.errors import NothingToLocateError
from haustra.core.vocabulary import Basis, Extent, IndexMethod
from haustra.core.wording import counted
from haustra.path.extent import extent_of
from haustra.path.frame_locations import UNKNOWN_STD, End, FrameLocations, whole_colon
from haustra.path.gap_lumen import remaining_std
from haustra.path.gap_rotation import gap_rotation_std, with_unseen_bends
from haustra.path.location_estimate import estimate_location
from haustra.path.paper_index.kept_frames import paper_basis, paper_location
from haustra.path.parameters import DEFAULTS, PathParameters
from haustra.path.trajectory import Trajectory
from haustra.path.travel import Travel, estimate_travel
from haustra.path.velocities import PairVelocities, pair_velocities
from haustra.path.warnings import path_warnings
from haustra.path.withdrawal_start import PictureSupport, StartEstimate, withdrawal_start
from haustra.results.observations import Observations

Ends = tuple[End | None, End | None]


@dataclass(frozen=True)
class Withdrawal:
    """The withdrawal, frame by frame; `start` is None when the user gave it.

    Where the `extent` has no places, the index is progress through the recording. `gap_rotation_std` (n,) is the
    standard deviation, in radians, of the rotation since the kept frame before.
    """

    seen: Observations
    location: FrameLocations
    gap_rotation_std: FloatArray
    basis: tuple[Basis, ...]
    extent: Extent
    start: StartEstimate | None
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


@dataclass(frozen=True)
class _Measured:
    """Velocities of some samples, and the travel as it was measured, without bias correction.

    The smoother takes mean and spread from the samples it is given, so the travel of a part cannot be cut out of that
    of the whole recording.
    """

    pairs: PairVelocities
    travel: Travel

    @classmethod
    def of(cls, seen: Observations, parameters: PathParameters) -> _Measured:
        pairs = pair_velocities(seen, parameters.velocities)
        return cls(pairs, estimate_travel(pairs, parameters))


def follow_withdrawal(
    seen: Observations,
    start_s: float | None,
    ends: Ends = (None, None),
    support: PictureSupport | None = None,
    *,
    found_start: StartEstimate | None = None,
    to_last_sample: bool = False,
    index: IndexMethod = IndexMethod.OURS,
    lens_std: float = 0.0,
    parameters: PathParameters = DEFAULTS,
) -> Withdrawal:
    """From the start of the withdrawal (None: search for it) to the last informative frame.

    `ends` are the locations of these two frames, as far as the user knows them; `support` is what pictures say about
    the start. `found_start` is what an earlier search found; `to_last_sample`: the last sample is the end, informative
    or not, because a person said so. `lens_std` is the relative standard deviation of the lens' angles.
    """
    _check_count(seen, parameters.withdrawal.fewest_kept)
    start, whole = found_start, None
    if start_s is None and start is None:
        whole = _Measured.of(seen, parameters)
        start = withdrawal_start(seen.time_s, whole.travel, support, parameters.start)
    used = _withdrawal(seen, start, to_last_sample)
    _check_count(used, parameters.withdrawal.fewest_kept)
    measured = whole if whole is not None and len(used.time_s) == len(seen.time_s) else _Measured.of(used, parameters)
    assumed = whole_colon(parameters.location.end_std)
    first, last = ends[0] or assumed[0], ends[1] or assumed[1]
    extent = _extent(measured.travel, start, ends, last.location - first.location, parameters)
    if start is not None and extent is Extent.UNKNOWN:  # draws of next to no motion agree about nothing
        start = replace(start, confidence=0.0, nearly_confidence=0.0)
    at = first, _unseen_end(first, last, seen, used, parameters.withdrawal.unseen_end_s)
    if index is IndexMethod.PAPER:
        location, basis = paper_location(used, at, parameters), paper_basis(used)
        lumen_weight = np.zeros(len(used.time_s))  # it uses no lumen
    else:
        location, lumen_weight = _our_location(measured, used, at, extent, lens_std, parameters)
        basis = _basis(measured.pairs)
    if extent is Extent.UNKNOWN:
        location = replace(location, std=np.full_like(location.std, UNKNOWN_STD))
    rotation_std = _rotation_std(measured.pairs, lumen_weight, location.index, used.kept, parameters)
    warnings = path_warnings(used.kept, start, extent, parameters)
    return Withdrawal(used, location, rotation_std, basis, extent, start, tuple(warnings))


def _withdrawal(seen: Observations, start: StartEstimate | None, to_last_sample: bool = False) -> Observations:
    """The samples from the start of the withdrawal to its last kept one; all, where there is no withdrawal."""
    first_s = seen.time_s[0] if start is None or not start.has_withdrawal else start.time_s
    last = len(seen.time_s) - 1 if to_last_sample else int(np.flatnonzero(seen.kept)[-1])
    return seen.rows(slice(int(np.searchsorted(seen.time_s, first_s)), last + 1))


def _extent(
    travel: Travel, start: StartEstimate | None, ends: Ends, share: float, parameters: PathParameters
) -> Extent:
    """By the travel as it was measured: the thresholds were set on that, not on lengths that a prior has corrected."""
    if None not in ends:
        return Extent.GIVEN
    if start is not None and not start.has_withdrawal:
        return Extent.UNKNOWN
    sure = parameters.start.sure
    start_known = ends[0] is not None or start is None or (start.has_insertion and start.nearly_confidence >= sure)
    return extent_of(travel, parameters, start_known=start_known, share=share)


def _our_location(
    measured: _Measured,
    used: Observations,
    ends: tuple[End, End],
    extent: Extent,
    lens_std: float,
    parameters: PathParameters,
) -> tuple[FrameLocations, FloatArray]:
    """The estimate from all that is known, and the weight (n,) of the lumen in the rotation of the gaps.

    Bias and length corrections assume that frame quality was assessed; with `--quality none`, high uncertainty is
    mostly blur. Only supervised networks predict uncertainties, and only their translation unit (calibres) is known.
    """
    assessed = bool(np.isfinite(used.p_noninformative).any())
    in_calibres = bool(np.isfinite(measured.pairs.predicted_std).any())
    travel = estimate_travel(measured.pairs, parameters, withdrawn=True) if assessed else measured.travel
    length_known = assessed and extent.has_places and in_calibres
    location = estimate_location(travel, ends, parameters, length_known=length_known, lens_std=lens_std)
    return location, travel.lumen_weight


def _unseen_end(first: End, last: End, seen: Observations, used: Observations, longest_s: float) -> End:
    """The end, less certain by how far the scope may have gone after the last kept frame, at the mean pace."""
    unseen_s = min(float(seen.time_s[-1] - used.time_s[-1]), longest_s)
    pace = (last.location - first.location) / max(float(used.time_s[-1] - used.time_s[0]), 1e-6)
    return replace(last, std=float(np.hypot(last.std, pace * unseen_s)))


def _rotation_std(
    pairs: PairVelocities,
    lumen_weight: FloatArray,
    index: FloatArray,
    kept: Mask,
    parameters: PathParameters,
) -> FloatArray:
    """Rotation uncertainty between kept frames: what is left after the lumen was used, and bends that nobody saw."""
    std = remaining_std(gap_rotation_std(pairs, kept, parameters.gap_rotation), lumen_weight, parameters.gap_lumen)
    return with_unseen_bends(std, index, kept, parameters.gap_rotation)


def _check_count(seen: Observations, fewest: int) -> None:
    kept = int(seen.kept.sum())
    if kept < fewest:
        raise NothingToLocateError(
            f"{counted(kept, 'informative frame')}, at least {fewest} are needed: nothing can be located "
            "(`haustra quality` shows which frames are dropped, and why)"
        )


def _basis(pairs: PairVelocities) -> tuple[Basis, ...]:
    """What the location of each sample rests on; the first one rests on itself."""
    measured = np.isfinite(pairs.measured).all(axis=1)
    kinds = np.where(pairs.clear, Basis.SEEN, np.where(measured, Basis.POOR, Basis.UNSEEN))
    return (Basis.SEEN, *map(Basis, kinds.tolist()))
