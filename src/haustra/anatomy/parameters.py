"""`AnatomyParameters`: every tuned number of stage 7, with its unit, its meaning and where it comes from.

*Tuning recordings* are simulated recordings made to set numbers like these (35 of them); no reported figure uses one.
*Made withdrawals* are simulated paths that were never rendered, with the timing of real operators
(`benchmarks.made_withdrawals`). What is fixed by training a network (its input size, its bins) is not tuned and stays
beside the network; so does the numerical resolution of a sum.

A value of this class is handed down to the functions that need it and is part of a run's identity: all fields are plain
numbers, so `dataclasses.asdict` is JSON.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DecoderParameters:
    """The semi-Markov decoder of the boundaries between segments (`decoder`, `evidence`, `semi_markov`)."""

    nodes: int = 301  # grid points over the location index
    # Lower limit of the time spent in a segment, s: keeps the log-density of durations finite.
    shortest_stay_s: float = 0.25
    # Prior probability that the shape of an estimated path is misread altogether. Set on made withdrawals.
    bends_misread: float = 0.12
    # Kept frames needed before the shape of the path counts as evidence. By judgement.
    fewest_poses: int = 50
    # Landmark with a tolerance: kernel width, in grid steps, that makes a density of the frames around its time.
    landmark_width_nodes: float = 1.5
    # The same: share of its likelihood that is spread over all locations, because a user may be wrong. By judgement.
    landmark_outlier: float = 1e-6
    # A visit shorter than this, s, between two stretches of one segment is flicker: a scope that wavers at a boundary
    # does so by fractions of a second, one that is pushed back in to look again stays for seconds. By judgement.
    shortest_visit_s: float = 3.0


@dataclass(frozen=True)
class BendParameters:
    """Likelihood of the boundaries from the shape of the path (`bends`).

    The network's answers for all boundaries rest on one path and err together, the more so the less the path resembles
    those it was trained on; at full weight they would count too much. On families of courses left out of the training,
    weights of 0.6 to 1.0 were best, depending on boundary and family. A weight that falls with the uncertainty of the
    location is no better than a constant one (foreign c to h and 22 tuning recordings).
    """

    weight: float = 0.75  # of the log-likelihood
    # Added to both probabilities before their ratio is taken: bounds the likelihood where training saw hardly anything.
    floor: float = 1e-3
    # Standard deviation of the Gaussian that smooths the resampled path, in steps of 1/192 of its length.
    smoothing_steps: float = 2.0


@dataclass(frozen=True)
class CecumParameters:
    """Evidence from frames that look like the cecum (`cecum`).

    By judgement, from the scores of real stills; simulated pictures do not look like a cecum to the network.
    """

    weight: float = 0.3  # of a single frame: those of neighbouring seconds are alike
    fewest_frames: int = 10  # scored; with fewer there is nothing to stand out from
    threshold: float = 1.0  # log-odds above the recording's median: midway between a cecum and the rest
    strongest_for: float = 1.0  # cap on the evidence of a frame that looks like the cecum, log-odds
    # The same of a frame that does not: the cecum's wall looks like any other, so the absence of its landmarks says
    # less than their presence.
    strongest_against: float = 0.3
    latest_location: float = 0.4  # ignore cecum-like frames beyond this location index when the best view is reported
    seen_from: float = 0.5  # probability from which a frame counts as a view of the cecum
    start_std_s: float = 30.0  # between the start of the withdrawal and a view of the cecum, standard deviation
    start_outlier: float = 0.2  # share of cecum-like frames that show another place


@dataclass(frozen=True)
class FindingParameters:
    """Findings on the map (`findings`). Conventions, not estimates."""

    same_biopsy_s: float = 2.0  # frames with forceps at most this far apart belong to one biopsy
    same_event_s: float = 5.0  # a biopsy this little before or after a finding is one event with it
    nearest_s: float = 1.0  # a finding this little outside the located frames takes the place of the nearest one
    cells: int = 100  # a finding affects the 1/cells of the colon that it lies in


@dataclass(frozen=True)
class AnatomyParameters:
    """All of stage 7."""

    decoder: DecoderParameters = DecoderParameters()
    bends: BendParameters = BendParameters()
    cecum: CecumParameters = CecumParameters()
    findings: FindingParameters = FindingParameters()


DEFAULT = AnatomyParameters()
