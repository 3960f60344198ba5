"""How unevenly the simulated operators withdraw, beside the paper's: `python -m benchmarks.operator_pace`.

The paper prints the mean share of time in each segment, but not its spread over patients. What it does print is how
well the clock alone tells the segment (0.608, std 0.140, template of Set 2, tested on Set 3): the more the pace varies,
the lower that is. `TIME_SPREAD` of simulate/pace.py is set by this figure. Nothing is rendered.
"""

from __future__ import annotations

import numpy as np

from benchmarks.place_cohort import judge, make_cases
from haustra.anatomy.template import template_of
from haustra.evaluate.tables import text_table

SEEDS = (11, 12, 13, 14)  # none of the cohorts that other figures are measured on
SECONDS = 180.0
PAPER = (0.608, 0.140)


def accuracies(seed: int) -> tuple[list[float], list[float]]:
    """Accuracy of each Set 3 recording of a cohort by its true index and by the clock, templates of Set 2."""
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
