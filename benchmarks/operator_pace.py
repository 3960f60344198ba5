"""Variation of pace of the simulated operators, compared with the paper's: `python -m benchmarks.operator_pace`.

The paper prints the mean share of time in each segment but not its variation over patients. It does print the segment
accuracy of the time index (0.608, std 0.140, template of Set 2, tested on Set 3), which falls as pace varies more.
`TIME_SPREAD` of simulate/pace.py was set by this figure. Nothing is rendered.
"""

from __future__ import annotations

import numpy as np

from benchmarks.place_cohort import judge, make_cases
from haustra.anatomy.template import template_of
from haustra.lab.evaluate.text_table import text_table

SEEDS = (11, 12, 13, 14)  # cohorts used for no other figure
SECONDS = 180.0
PAPER = (0.608, 0.140)


def accuracies(seed: int) -> tuple[list[float], list[float]]:
    """Accuracy of each Set 3 recording by its true index and by time, with templates of Set 2."""
    set2, set3 = (make_cases(seed, SECONDS, split) for split in ("set2", "set3"))
    by_length = template_of("length", [case.truth for case in set2])
    by_time = template_of("time", [case.with_index(case.clock) for case in set2])
    oracle = judge(set3, [case.truth.index for case in set3], by_length)
    timed = judge(set3, [case.clock for case in set3], by_time)
    return [result.accuracy for result in oracle], [result.accuracy for result in timed]


def main() -> None:
    rows, everything = [], []
    for seed in SEEDS:
        oracle, timed = accuracies(seed)
        everything += timed
        rows.append([f"cohort {seed}", f"{np.mean(oracle):.3f}", f"{np.mean(timed):.3f} ({np.std(timed):.3f})"])
    rows.append(["all", "", f"{np.mean(everything):.3f} ({np.std(everything):.3f})"])
    rows.append(["paper", "", "{:.3f} ({:.3f})".format(*PAPER)])
    print(text_table(["accuracy (std over recordings)", "oracle", "time index"], rows))


if __name__ == "__main__":
    main()
