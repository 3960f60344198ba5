"""Segments in many worlds, and is their probability honest? `python -m benchmarks.named_worlds DATA ... --work DIR`.

The kept frames of every recording are named as `locate` names them, from what it saw (benchmarks.observed). A recording
is right or wrong for long stretches: how honest a probability is shows over many, so the last row has all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.observed import Observed, sets_of_command
from haustra.anatomy.cecum import cecum_sightings
from haustra.anatomy.naming import name_segments
from haustra.anatomy.segments import segments_of
from haustra.anatomy.template import Template, load_template
from haustra.evaluate.namings import calibration_error
from haustra.evaluate.tables import text_table
from haustra.poses import FloatArray
from haustra.terms import DEFAULT_TEMPLATE, Naming

HEADER = ("set", "n", "oracle", "template", "clock", "decoder", "least", "says", "calibration error")
ALL = "all of them"


@dataclass(frozen=True)
class NamedFrames:
    """Of the kept frames of one recording: which are named right by each way, and how sure the decoder is."""

    right: dict[str, NDArray[np.bool_]]
    certainty: FloatArray

    def accuracy(self, way: str) -> float:
        return float(self.right[way].mean())


def named(recording: Observed, template: Template) -> NamedFrames:
    found = recording.located()
    kept = found.seen.kept
    truth, location = recording.segment_at(found.seen.time_s)[kept], recording.location_at(found.seen.time_s)[kept]
    sightings = cecum_sightings(recording.thumbnails).between(found.start_s, found.end_s)
    decoded = name_segments(found, template, Naming.DECODER, (), sightings)[1]
    clock = name_segments(found, template, Naming.TIME)[1]
    assert decoded is not None
    assert clock is not None
    ways = {
        "oracle": segments_of(location, template),
        "template": segments_of(found.index[kept], template),
        "clock": clock.segments[kept],
        "decoder": decoded.segments[kept],
    }
    return NamedFrames({way: value == truth for way, value in ways.items()}, decoded.probabilities[kept].max(axis=1))


def row(name: str, cases: Sequence[NamedFrames]) -> list[str]:
    """Means over recordings; how honest, over all their frames."""
    ways = [np.mean([case.accuracy(way) for case in cases]) for way in ("oracle", "template", "clock", "decoder")]
    certainty = np.concatenate([case.certainty for case in cases])
    right = np.concatenate([case.right["decoder"] for case in cases])
    least = min(case.accuracy("decoder") for case in cases)
    figures = [*ways, least, np.mean([case.certainty.mean() for case in cases]), calibration_error(certainty, right)]
    return [name, str(len(cases)), *(f"{value:.3f}" for value in figures)]


def report(observed: Mapping[str, Sequence[Observed]]) -> str:
    template = load_template(DEFAULT_TEMPLATE)
    sets = {name: [named(one, template) for one in recordings] for name, recordings in observed.items()}
    rows = [row(name, cases) for name, cases in sets.items()]
    return text_table(list(HEADER), [*rows, row(ALL, [case for cases in sets.values() for case in cases])])


if __name__ == "__main__":
    print(report(sets_of_command(__doc__)))
