"""`PathParameters`: every tuned number of stage 6, with its unit, its meaning and where it comes from.

Lengths are in calibres: a single camera measures motion in units of the lumen that it sees, which is the unit of the
shipped motion network. *Tuning recordings* are simulated recordings made to set numbers like these (15 to 35 of them,
withdrawals of 35 s and 120 s in the plain and in the wide world); no reported figure uses one. The foreign pair (two
colons of another origin) was in view when some of the numbers were set; it is no test of them. Numbers *fitted
together* minimise the CRPS of the location on foreign c to h, which are for development, and on 22 recordings of
`haustra simulate set tuning` (`python -m benchmarks.fit_location`).

A value of this class is handed from `follow_withdrawal` down to the function that needs it, and it is part of a run's
identity: all fields are plain numbers and tuples of them, so `dataclasses.asdict` is JSON.
"""

from __future__ import annotations

from dataclasses import dataclass

from haustra.core.segments import LUMEN_DIAMETER_MM, MIDDLES


@dataclass(frozen=True)
class VelocityParameters:
    """Measurement noise of a pair (`path.velocities`), as a share of the spread of the velocity in the recording.

    Usual errors of a motion network on simulated recordings.
    """

    clear_noise: float = 0.1  # between two kept frames
    low_quality_noise: float = 1.0  # with a dropped frame


@dataclass(frozen=True)
class SmootherParameters:
    """Ornstein-Uhlenbeck prior and Student-t measurements of the velocities (`path.smoother`)."""

    # Correlation time, s. Velocities of simulated operators have 0.6 s in the median, but slow pulls last longer, and
    # they are what fills a gap: the distance travelled in gaps is found best with 1.2 s (15 tuning recordings).
    memory_s: float = 1.2
    # Spread of translation in gaps over that elsewhere (true motion of dropped over that of kept frames in simulated
    # recordings: 1.0 to 1.4).
    gap_spread_translation: float = 1.3
    # The same of rotation (2 to 8): a fast rotation is what blurs a frame.
    gap_spread_rotation: float = 4.0
    # While an instrument is out the scope is held: no mean velocity, and this share of the usual spread.
    instrument_spread: float = 0.3
    # Factor on the measurement variance: errors of successive pairs are correlated (they share a frame and its blur),
    # so n of them carry less information than n.
    clear_redundancy: float = 2.0
    low_quality_redundancy: float = 6.0  # the same with a dropped frame, where errors are most alike
    degrees_of_freedom: float = 4.0  # of the Student-t errors: now and then a pair is far off
    iterations: int = 3  # of iteratively reweighted least squares
    fewest_clear_pairs: int = 15  # to take mean and spread from clear pairs alone


@dataclass(frozen=True)
class GapRotationParameters:
    """Standard deviation of the rotation across a gap (`path.gap_rotation`).

    Saturates at floor + range over the sum of what the network predicts for the pairs in the gap. Set on gaps of tuning
    recordings: those with a sum of 20 degrees are off by 14, of 150 by 35, of 600 by 40, beyond that by 50.
    """

    floor_deg: float = 3.0  # of any gap
    range_deg: float = 45.0  # added where nothing at all was seen
    scale_deg: float = 110.0  # predicted sum at which 63 % of the range is reached
    # Bends of the colon that nobody saw: radians for a gap that spans all of it. Of 1202 gaps of 35 tuning recordings
    # the 102 that span 0.03 to 0.05 of the colon are off by 47 degrees (predicted without bends 37, with them 46), the
    # 73 longer ones by 68 (41 and 67).
    unseen_bends_rad: float = 12.0


@dataclass(frozen=True)
class GapLumenParameters:
    """Standard deviation, on each axis, of a gap's rotation by the lumen on both sides (`path.gap_lumen`).

    Gaps of 35 tuning recordings allow half of most of these; the foreign pair, where the lumen lies twice as far off
    the axis, does not.
    """

    floor_deg: float = 5.0  # of a round lumen on the axis, in a short gap
    off_axis_deg: float = 15.0  # per unit (tangent) that the lumen lies off the axis: it is then seen in part
    spread_deg: float = 60.0  # per unit that the dark part spreads beyond a round one
    round_spread: float = 0.2  # spread of the dark part where the lumen is round
    per_root_second_deg: float = 20.0  # times the square root of the gap's duration in s
    per_calibre_deg: float = 20.0  # per calibre travelled in the gap: the colon bends meanwhile
    roll_share: float = 0.15  # of the rotation's variance: roll, of which the lumen tells nothing


@dataclass(frozen=True)
class StepUncertaintyParameters:
    """Common error of successive steps, and bias correction of large ones (`path.step_uncertainty`)."""

    # Of the predicted standard deviation: error shared with neighbouring steps. Fitted together.
    common_share: float = 0.12
    memory_s: float = 4.0  # correlation time of that error
    # Up to this share of the measured step is predicted for every step; what exceeds it is excess uncertainty. In
    # withdrawals of 35 s the error of a clear step is 0.03 calibres without excess, and 0.2 where the prediction is
    # twice the measured step.
    usual_share: float = 0.7
    # Extra withdrawal per unit of excess uncertainty, for each calibre of the recording's median step between kept
    # frames: that is 0.01 to 0.03 calibres in withdrawals of 4 minutes and more, 0.03 to 0.08 in those of one. A gain
    # of 2 for all lengthened foreign c to h by 11 to 51 %. Set on these: 20 to 60 serve alike.
    bias_gain: float = 40.0
    excess_cap: float = 0.2  # calibres: cap on the excess of one step that is corrected for
    # Standard deviation of the correction per unit of excess, shared by neighbouring steps. Fitted together.
    bias_error: float = 1.0


@dataclass(frozen=True)
class LengthPriorParameters:
    """Distance from cecum to anus in calibres (`path.length_prior`).

    True motion of whole colons, plain and wide, in the units that the network has where steps are small: 31 to 75.
    """

    mean: float = 45.0  # calibres
    std: float = 14.0  # calibres, from colon to colon; fitted together
    # A path shorter than the mean by more than this many standard deviations has larger errors than predicted.
    far_short: float = 1.5


@dataclass(frozen=True)
class CalibreParameters:
    """Log-Gaussian-process prior of the lumen calibre along the colon (`path.calibre`)."""

    # Inner diameter, mm, cecum to rectum, of colons distended for CT colonography (source: `core.segments`).
    diameter_mm: tuple[float, ...] = LUMEN_DIAMETER_MM
    # Location index of the middles of the segments (the paper's table tbl_compare_template, Set 3).
    segment_middles: tuple[float, ...] = MIDDLES
    # Standard deviation of the log calibre about the mean colon. Ten real colons under insufflation have 0.15 to 0.19
    # at a station. Fitted together.
    spread: float = 0.15
    # Of the log calibre, as a share of the colon; 0.1 in the ten real ones. Fitted together.
    correlation_length: float = 0.09  # of the log calibre, as a share of the colon; fitted together
    # In-domain the network already compensates for calibre, out of domain in part: share of the anatomical taper that
    # is left, in the mean, and its standard deviation from colon to colon and lens to lens. Set on foreign c to h,
    # whose clear pairs have 0.3 to 0.8 and which are located alike with 0.2 to 0.4. A network head that measures the
    # calibre was tried: overconfident on unseen colons.
    taper_share: float = 0.35
    taper_spread: float = 0.2  # fitted together
    intervals: int = 100  # of the numerical grid along the colon


@dataclass(frozen=True)
class LocationParameters:
    """Distance travelled, and the location made of it (`path.travel`, `path.location_estimate`)."""

    axis_window_s: float = 1.5  # Gaussian average of the viewing axis: looking around is not travel
    # Factor on the posterior's error in gaps: errors of low-quality frames are correlated for longer than `memory_s`,
    # and scopes slip. Errors of 459 gaps of foreign c to h have 2.6 times the posterior's deviation. Fitted together.
    gap_error: float = 2.8
    # Standard deviation of both ends of a whole colon: the tip moves to and fro in the cecum before it leaves, and the
    # last frame is not at the anus to the millimetre. With 0.015 the error in the outer tenths was half of what was
    # predicted (15 tuning recordings).
    end_std: float = 0.008
    smallest_std: float = 0.003  # of any location index
    draws: int = 128  # of the Monte Carlo estimate of the uncertainty


@dataclass(frozen=True)
class ExtentParameters:
    """Decision thresholds on how much of the colon was recorded (`path.extent`)."""

    part_below: float = 24.0  # calibres; fifteen whole colons, plain and wide, of tuning recordings have 30 to 79
    shortest_s: float = 5.0  # shorter recordings decide nothing
    shortest_path: float = 1.0  # calibres; shorter paths decide nothing
    signal_to_noise: float = 2.0  # nor do paths shorter than this many standard deviations of their length


@dataclass(frozen=True)
class WithdrawalStartParameters:
    """Change-point search for the start of the withdrawal (`path.withdrawal_start`)."""

    # Way in over way out (and the reverse): less is a re-insertion before, or no withdrawal after, the deepest point.
    smallest_share: float = 0.25
    # The tip waits in the cecum: the withdrawal starts when it has left the deepest point by this share of the way.
    # Small, because a slow withdrawal takes seconds for a hundredth of it.
    left_share: float = 0.005
    window_s: float = 2.0  # over which directedness is measured
    near_s: float = 6.0  # the deepest point is searched this far around the change
    draws: int = 200  # of the travel, for the confidence
    block_s: float = 5.0  # stretches that have a scale of their own, beside the errors of the travel
    # Standard deviation of their log scale: insertion and withdrawal pass the same places at other calibres.
    scale_error: float = 0.3
    same_s: float = 5.0  # answers this close are the same (confidence)
    nearly_s: float = 20.0  # answers this close are off by little of the colon
    # Below this confidence the reader is asked to check the start, and an insertion is no proof of one in the cecum.
    sure: float = 0.6


@dataclass(frozen=True)
class WithdrawalParameters:
    """Which frames belong to the withdrawal, and when to warn (`path.withdrawal`)."""

    fewest_kept: int = 3  # frames needed for a path
    many_dropped: float = 0.8  # share of dropped frames above which the reader is warned
    # Frames after the last kept one may be spoilt ones of the rectum (of a withdrawal of 32 s the last 2.7 s were a
    # tenth of the colon), or show that the scope is out: they count for this long at most.
    unseen_end_s: float = 3.0


@dataclass(frozen=True)
class BridgeParameters:
    """Constant-velocity bridge over motions that could not be estimated (`path.trajectory`).

    On eight tuning recordings the error of the location index was 0.023 with 8 s and 0.028 with 4 s; the last two
    seconds before a gap alone gave 0.026 and a worse worst case.
    """

    decay_s: float = 8.0  # the weight of a velocity falls to 1/e at this distance in time
    longest_s: float = 10.0  # of a gap that is travelled through


@dataclass(frozen=True)
class PaperIndexParameters:
    """The paper's location index (`path.paper_index`). Lengths are shares of the major travelling path."""

    # The paper's gamma, free of scale: shorter wavelengths are looking around. Best 5-fold accuracy on Set 2 of a
    # simulated cohort (benchmarks.place_cohort --tune); flat from 0.04 to 0.07.
    smoothing: float = 0.055
    step: float = 0.005  # spacing of nodes and of curve points
    join: float = 0.015  # two passages closer than this are the same place of the lumen
    reach: float = 0.08  # to-and-fro within this distance is left out; a wider loop is part of the path
    most_nodes: int = 2500  # memory and time grow with their square
    rounds: int = 4  # of spline and projection in turn
    jump_cost: float = 0.05  # on the square of a move beyond the distance of two nodes, in steps of the curve
    extension: float = 0.04  # straight continuation at both ends
    closed: float = 0.02  # a path whose ends are closer than this along the curve ends where it began
    relative_error: float = 0.15  # uncertainty: each stretch is off by this share of its length
    estimated_relative_error: float = 0.15  # the same for estimated motion with bridged gaps (`--index paper`)
    correlation_length: float = 0.15  # of that error: scale drifts slowly
    smallest_std: float = 0.003  # of any location index


@dataclass(frozen=True)
class PathParameters:
    """All of them, by the module that uses them."""

    velocities: VelocityParameters = VelocityParameters()
    smoother: SmootherParameters = SmootherParameters()
    gap_rotation: GapRotationParameters = GapRotationParameters()
    gap_lumen: GapLumenParameters = GapLumenParameters()
    step_uncertainty: StepUncertaintyParameters = StepUncertaintyParameters()
    length_prior: LengthPriorParameters = LengthPriorParameters()
    calibre: CalibreParameters = CalibreParameters()
    location: LocationParameters = LocationParameters()
    extent: ExtentParameters = ExtentParameters()
    start: WithdrawalStartParameters = WithdrawalStartParameters()
    withdrawal: WithdrawalParameters = WithdrawalParameters()
    bridge: BridgeParameters = BridgeParameters()
    paper_index: PaperIndexParameters = PaperIndexParameters()


DEFAULTS = PathParameters()
