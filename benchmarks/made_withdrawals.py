"""The decoder on made withdrawals: courses made as wrong as estimated paths, with times of real operators.

`python -m benchmarks.made_withdrawals --count 60 --seed 1`. No picture is rendered, so many colons are cheap. The
shipped network of bends learnt from other draws of all families but `laid`; `--network` measures another one
(`haustra.training.bends.trainer --without`).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from haustra.anatomy.bends import TASK, course_features, likelihood_of, shipped_model
from haustra.anatomy.decoder import Decoded, decode_segments
from haustra.anatomy.segments import segments_of
from haustra.anatomy.template import load_template
from haustra.evaluate.namings import calibration_error
from haustra.evaluate.tables import text_table
from haustra.onnx_models import OnnxModel, open_model
from haustra.poses import FloatArray
from haustra.simulate.pace import SLOWEST_SHARE
from haustra.simulate.temper import REAL_PACE
from haustra.terms import DEFAULT_TEMPLATE
from haustra.training.bends.courses import draw
from haustra.training.bends.wrong_paths import make_wrong

FAMILIES = ("usual", "varied", "stationed", "slung", "laid")
FRAMES = 600
MEDIAN_S = 338.0  # of 48 real withdrawals (CAS-Colon)
SPEED_SPREAD = 0.5
STATED = 0.09  # the location's stated deviation is this times that of a bridge (Set 1, training)
HEADER = ("courses", "oracle", "template", "clock", "decoder without bends", "decoder", "calibration error")


@dataclass(frozen=True)
class Made:
    """Of every frame: time, true and estimated location, segment; and the features of the estimated course."""

    time_s: FloatArray
    location: FloatArray
    index: FloatArray
    segment: NDArray[np.int64]
    features: NDArray[np.float32]

    def decoded(self, network: OnnxModel | None) -> Decoded:
        std = 0.003 + STATED * np.sqrt(self.index * (1 - self.index))
        says = None if network is None else likelihood_of(self.features, std, network)
        return decode_segments(self.time_s, self.index, std, load_template(DEFAULT_TEMPLATE), bends=says)


def made_withdrawals(rng: np.random.Generator, family: str, count: int) -> list[Made]:
    """Withdrawals through courses of a family, each path as wrong as a level of its own says."""
    courses, inner = draw(rng, family, count)
    wrong = make_wrong(rng, courses, inner)
    features = course_features(wrong.points, wrong.unsure)
    found = []
    for k in range(count):
        time_s, location, segment = _withdrawn(rng, np.r_[0.0, inner[k], 1.0])
        index = np.interp(location, np.r_[0.0, inner[k], 1.0], np.r_[0.0, wrong.boundaries[k], 1.0])
        found.append(Made(time_s, location, index, segment, features[k : k + 1]))
    return found


def _withdrawn(rng: np.random.Generator, edges: FloatArray) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
    """Times, locations and segments of an operator with the pace of real ones."""
    length = np.diff(edges)
    share = np.array(REAL_PACE.time_share) * np.exp(np.array(REAL_PACE.time_spread) * rng.standard_normal(6))
    share = np.maximum(share / share.sum(), SLOWEST_SHARE * length)
    along = (np.arange(FRAMES) + 0.5) / FRAMES
    segment = np.minimum(np.searchsorted(np.cumsum(share / share.sum()), along, side="right"), 5)
    uneven = gaussian_filter1d(rng.standard_normal(FRAMES), 6.0)
    speed, location = np.exp(SPEED_SPREAD * uneven / uneven.std()), np.empty(FRAMES)
    for k in np.unique(segment):
        own = speed[segment == k]
        location[segment == k] = edges[k] + length[k] * (np.cumsum(own) - own / 2) / own.sum()
    return along * MEDIAN_S * REAL_PACE.duration_share(rng), location, segment + 1


def figures(cases: list[Made], network: OnnxModel) -> list[str]:
    """A row of the table, without its name."""
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
    parser.add_argument("--network", type=Path, help="another network of bends than the shipped one")
    options = parser.parse_args()
    drawn = np.random.default_rng([options.seed, 17])
    reader = shipped_model() if options.network is None else open_model(options.network, task=TASK)
    rows = [[family, *figures(made_withdrawals(drawn, family, options.count), reader)] for family in options.families]
    print(text_table(list(HEADER), rows))
