"""Segment accuracy and calibration over several datasets: `python -m benchmarks.named_worlds DATA ... --work DIR`.

The kept frames of every recording are classified as by `locate`, from its stored observations (benchmarks.observed).
"paper's index" is the paper's own way throughout: its location index from the same motion, and the template.
Recordings are right or wrong over long stretches, so calibration is only meaningful over many: the last row pools all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.observed import Observed, sets_of_command
from haustra.anatomy.bends import open_bend_network
from haustra.anatomy.decoder import Decoded
from haustra.anatomy.segment_labels import Labelling, label_segments
from haustra.anatomy.template import load_template
from haustra.anatomy.template_segments import segments_of
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import DEFAULT_TEMPLATE, IndexMethod, Naming
from haustra.lab.evaluate.segment_methods import calibration_error
from haustra.lab.evaluate.text_table import text_table
from haustra.path.withdrawal import Withdrawal
from haustra.quality.cecum_classifier import CecumScores

PAPER = "paper's index"
WAYS = ("oracle", "template", PAPER, "clock", "decoder")
HEADER = ("set", "n", *WAYS, "least", "says", "calibration error")
ALL = "all of them"


@dataclass(frozen=True)
class NamedFrames:
    """Kept frames of one recording: which each method classifies correctly, and the decoder's probability."""

    right: dict[str, NDArray[np.bool_]]
    certainty: FloatArray

    def accuracy(self, way: str) -> float:
        return float(self.right[way].mean())


def decoded_of(found: Withdrawal, labelling: Labelling) -> Decoded:
    decoded = label_segments(found, labelling, CecumScores.of(found.seen))[1]
    assert decoded is not None
    return decoded


def decoder_right(recording: Observed, found: Withdrawal, labelling: Labelling) -> NDArray[np.bool_]:
    """The kept frames that the decoder names rightly."""
    truth = recording.segment_at(found.seen.time_s)
    return np.asarray((decoded_of(found, labelling).segments == truth)[found.seen.kept])


def named(recording: Observed, labelling: Labelling) -> NamedFrames:
    found = recording.located()
    kept = found.seen.kept
    truth, location = recording.segment_at(found.seen.time_s)[kept], recording.location_at(found.seen.time_s)[kept]
    decoded = decoded_of(found, labelling)
    clock = label_segments(found, replace(labelling, naming=Naming.TIME))[1]
    assert clock is not None
    papers = recording.located(IndexMethod.PAPER).index[kept]
    ways = {
        "oracle": segments_of(location, labelling.template),
        "template": segments_of(found.index[kept], labelling.template),
        PAPER: segments_of(papers, labelling.template),
        "clock": clock.segments[kept],
        "decoder": decoded.segments[kept],
    }
    return NamedFrames({way: value == truth for way, value in ways.items()}, decoded.probabilities[kept].max(axis=1))


def row(name: str, cases: Sequence[NamedFrames]) -> list[str]:
    """Means over recordings; calibration over all their frames."""
    ways = [np.mean([case.accuracy(way) for case in cases]) for way in WAYS]
    certainty = np.concatenate([case.certainty for case in cases])
    right = np.concatenate([case.right["decoder"] for case in cases])
    least = min(case.accuracy("decoder") for case in cases)
    figures = [*ways, least, np.mean([case.certainty.mean() for case in cases]), calibration_error(certainty, right)]
    return [name, str(len(cases)), *(f"{value:.3f}" for value in figures)]


def report(observed: Mapping[str, Sequence[Observed]]) -> str:
    labelling = Labelling(load_template(DEFAULT_TEMPLATE), bend_network=open_bend_network())
    sets = {name: [named(one, labelling) for one in recordings] for name, recordings in observed.items()}
    rows = [row(name, cases) for name, cases in sets.items()]
    return text_table(list(HEADER), [*rows, row(ALL, [case for cases in sets.values() for case in cases])])


if __name__ == "__main__":
    print(report(sets_of_command(__doc__)))
