"""Naming only what is probable: share named and share right, `python -m benchmarks.abstention DATA ... --work DIR`.

DATA are recordings with true location and segments. For each level of `locate --abstain`: the share of the frames that
is named, the accuracy that the probabilities promise, and the accuracy; over all kept frames, and the least of a
recording.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.observed import Observed, sets_of_command
from haustra.anatomy import load_template
from haustra.anatomy.abstention import LEVELS
from haustra.anatomy.bends import open_bend_network
from haustra.anatomy.segment_labels import Labelling, label_segments
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import DEFAULT_TEMPLATE, segment_number
from haustra.lab.evaluate.text_table import text_table
from haustra.quality.cecum_classifier import CecumScores
from haustra.results.table import PROBABILITY_COLUMNS

HEADER = ("set", "level", "named", "promised", "right", "least right", "least named")


def named_frames(one: Observed, labelling: Labelling) -> FloatArray:
    """Probability of the named segment, and 1 where that is right (n, 2), of the kept frames."""
    found = one.located()
    labels, _ = label_segments(found, labelling, CecumScores.of(found.seen))
    number = np.array([segment_number(name) for name in labels["segment"]])
    probability = np.column_stack([labels[name] for name in PROBABILITY_COLUMNS])
    kept = found.seen.kept & (number > 0)
    right = number == one.segment_at(found.seen.time_s)
    return np.column_stack([probability[np.arange(len(number)), number - 1], right])[kept]


def report(sets: Mapping[str, Sequence[Observed]]) -> str:
    labelling = Labelling(load_template(DEFAULT_TEMPLATE), bend_network=open_bend_network())
    rows = []
    for name, recordings in sets.items():
        frames = [named_frames(one, labelling) for one in recordings]
        rows += [_row(name, level, frames) for level in LEVELS]
    return text_table(HEADER, rows)


def _row(name: str, level: float, frames: Sequence[FloatArray]) -> list[str]:
    sure = [one[one[:, 0] >= level] for one in frames]
    together = np.concatenate(sure)
    share = len(together) / sum(map(len, frames))
    if not len(together):
        return [name, f"{level:g}", f"{share:.3f}", *"----"]
    promised, right = together.mean(axis=0)
    worst = min(float(one[:, 1].mean()) for one in sure if len(one))
    least = min(len(one) / len(all_frames) for one, all_frames in zip(sure, frames, strict=True))
    return [name, f"{level:g}", *(f"{value:.3f}" for value in (share, promised, right, worst, least))]


if __name__ == "__main__":
    print(report(sets_of_command(__doc__ or "")))
