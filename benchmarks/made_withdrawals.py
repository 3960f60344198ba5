"""The segment decoder on synthetic withdrawals: corrupted courses with the pace of real operators.

`python -m benchmarks.made_withdrawals --count 60 --seed 1`. Nothing is rendered, so many colons are cheap. The shipped
bend network was trained on other draws of all families but `laid`; `--network` tests another one
(`haustra.lab.training.bends.trainer --without`).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from haustra.anatomy.bends import BendNetwork, feature_likelihood, open_bend_network, path_features
from haustra.anatomy.decoder import Decoded, decode_segments
from haustra.anatomy.parameters import BendParameters, DecoderParameters
from haustra.anatomy.template import load_template
from haustra.anatomy.template_segments import segments_of
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import DEFAULT_TEMPLATE, SEGMENTS
from haustra.lab.evaluate.segment_methods import calibration_error
from haustra.lab.evaluate.text_table import text_table
from haustra.lab.simulate.operator_style import REAL_PACE
from haustra.lab.simulate.pace import SLOWEST_SHARE
from haustra.lab.training.bends.training_courses import draw
from haustra.lab.training.bends.wrong_paths import make_wrong

FAMILIES = ("usual", "varied", "stationed", "slung", "laid")
FRAMES = 600
MEDIAN_S = 338.0  # of 48 real withdrawals (CAS-Colon)
SPEED_SPREAD = 0.5
STATED = 0.09  # predicted standard deviation of the location, in units of a Brownian bridge's (Set 1, training)
HEADER = ("courses", "oracle", "template", "clock", "decoder without bends", "decoder", "calibration error")


@dataclass(frozen=True)
class Made:
    """Time, true and estimated location and segment of every frame, and the features of the estimated course."""

    time_s: FloatArray
    location: FloatArray
    index: FloatArray
    segment: NDArray[np.int64]
    features: NDArray[np.float32]

    def decoded(self, network: BendNetwork | None) -> Decoded:
        std = 0.003 + STATED * np.sqrt(self.index * (1 - self.index))
        says = None if network is None else feature_likelihood(network, self.features, BendParameters())
        template, parameters = load_template(DEFAULT_TEMPLATE), DecoderParameters()
        return decode_segments(self.time_s, self.index, std, template, parameters, bends=says)


def made_withdrawals(rng: np.random.Generator, family: str, count: int) -> list[Made]:
    """Withdrawals through courses of a family, each path corrupted at its own level."""
    courses, inner = draw(rng, family, count)
    wrong = make_wrong(rng, courses, inner)
    features = path_features(wrong.points, wrong.unsure)
    found = []
    for k in range(count):
        time_s, location, segment = _withdrawn(rng, np.r_[0.0, inner[k], 1.0])
        index = np.interp(location, np.r_[0.0, inner[k], 1.0], np.r_[0.0, wrong.boundaries[k], 1.0])
        found.append(Made(time_s, location, index, segment, features[k : k + 1]))
    return found


def _withdrawn(rng: np.random.Generator, edges: FloatArray) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
    """Times, locations and segments with the pace of a real operator."""
    length = np.diff(edges)
    share = np.array(REAL_PACE.time_share) * np.exp(
        np.array(REAL_PACE.time_spread) * rng.standard_normal(len(SEGMENTS))
    )
    share = np.maximum(share / share.sum(), SLOWEST_SHARE * length)
    along = (np.arange(FRAMES) + 0.5) / FRAMES
    segment = np.minimum(np.searchsorted(np.cumsum(share / share.sum()), along, side="right"), len(SEGMENTS) - 1)
    uneven = gaussian_filter1d(rng.standard_normal(FRAMES), 6.0)
    speed, location = np.exp(SPEED_SPREAD * uneven / uneven.std()), np.empty(FRAMES)
    for k in np.unique(segment):
        own = speed[segment == k]
        location[segment == k] = edges[k] + length[k] * (np.cumsum(own) - own / 2) / own.sum()
    return along * MEDIAN_S * REAL_PACE.duration_share(rng), location, segment + 1


def figures(cases: list[Made], network: BendNetwork) -> list[str]:
    """A row of the table without its name."""
    template, clock = load_template(DEFAULT_TEMPLATE), load_template(f"{DEFAULT_TEMPLATE}-time")
    plain = [case.decoded(None).segments for case in cases]
    bent = [case.decoded(network) for case in cases]
    ways = [
        [segments_of(case.location, template) for case in cases],
        [segments_of(case.index, template) for case in cases],
        [segments_of(case.time_s / case.time_s[-1], clock) for case in cases],
        plain,
        [decoded.segments for decoded in bent],
    ]
    accuracy = [np.mean([(said == c.segment).mean() for said, c in zip(way, cases, strict=True)]) for way in ways]
    sure = np.concatenate([decoded.probabilities.max(axis=1) for decoded in bent])
    right = np.concatenate([d.segments == c.segment for d, c in zip(bent, cases, strict=True)])
    return [f"{value:.3f}" for value in (*accuracy, calibration_error(sure, right))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The decoder on made withdrawals.")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=FAMILIES)
    parser.add_argument("--network", type=Path, help="another bend network than the shipped one")
    options = parser.parse_args()
    drawn = np.random.default_rng([options.seed, 17])
    reader = open_bend_network(options.network)
    rows = [[family, *figures(made_withdrawals(drawn, family, options.count), reader)] for family in options.families]
    print(text_table(list(HEADER), rows))
