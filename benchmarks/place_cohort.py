"""The paper's location index from the true poses of a simulated cohort: `python -m benchmarks.place_cohort`.

Prints the location error of every Set 3 recording and the paper's accuracy table with the oracle: the error of path and
template when the motion is known exactly. Nothing is rendered.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

import numpy as np

from haustra.anatomy.template import AnnotatedRecording, Template, template_of
from haustra.anatomy.template_segments import segments_of
from haustra.core.arrays import FloatArray
from haustra.lab.evaluate.location_errors import location_errors
from haustra.lab.evaluate.score_result import oracle
from haustra.lab.evaluate.segment_scores import SegmentResult, segment_result, summarise
from haustra.lab.evaluate.template_cross_validation import CANDIDATES, leave_one_out, tune_gamma
from haustra.lab.evaluate.text_table import accuracy_table, mean_std, template_table, text_table
from haustra.lab.simulate.episodes import Episode
from haustra.lab.simulate.forceps import Biopsy
from haustra.lab.simulate.procedure import make_plan
from haustra.lab.simulate.scopeguide import make_track
from haustra.lab.simulate.simulated_cohort import plan_cohort
from haustra.path import location_index
from haustra.path.indices import scopeguide_index, time_index


@dataclass(frozen=True)
class Case:
    """A simulated withdrawal: annotation with true index, positions, true segments, and informative frames."""

    truth: AnnotatedRecording
    positions: FloatArray
    segment: np.ndarray
    kept: np.ndarray
    scopeguide: FloatArray

    @property
    def clock(self) -> FloatArray:
        return time_index(self.truth.time_s).index

    def with_index(self, index: FloatArray) -> AnnotatedRecording:
        return replace(self.truth, index=index)


def make_cases(seed: int, seconds: float, split: str) -> list[Case]:
    """The recordings of one split of a cohort."""
    members = [m for m in plan_cohort(44, seed, seconds=seconds) if m.split == split]
    return [make_case(m.path, m.settings.seed, m.settings.seconds) for m in members]


def make_case(name: str, seed: int, seconds: float) -> Case:
    plan = make_plan(seed, seconds, 15.0)
    timeline, bounds = plan.timeline, plan.colon.boundaries_mm
    times = timeline.times_s
    arc = plan.operator.arc_mm(times)
    track = make_track(seed, timeline, arc, plan.colon.length_mm)
    inside = (times >= timeline.start_s - 1e-9) & (times <= timeline.stop_s + 1e-9)
    times, arc = times[inside], arc[inside]
    entered = [float(times[np.argmax(arc >= border - 1e-9)]) for border in bounds[1:-1]]
    kept = np.ones(len(times), dtype=bool)
    spans: list[Episode | Biopsy] = [*plan.episodes, *plan.biopsies]
    for span in spans:
        kept &= (times < span.start_s) | (times > span.end_s)
    kept[[0, -1]] = True
    index = np.clip((arc - bounds[0]) / (bounds[-1] - bounds[0]), 0, 1)
    return Case(
        AnnotatedRecording(name, times, index, np.array([times[0], *entered, times[-1]])),
        plan.operator.poses(times)[:, :3, 3],
        np.searchsorted(bounds[1:-1], arc, side="right") + 1,
        kept,
        scopeguide_index(times, track.time_s, track.length_cm).index,
    )


def located(case: Case, *, only_kept: bool) -> FloatArray:
    """Index of all frames from the true positions of all, or only of those outside episodes and biopsies."""
    if not only_kept:
        return location_index(case.positions).index
    at = np.flatnonzero(case.kept)
    return np.interp(np.arange(len(case.kept)), at, location_index(case.positions[at]).index)


def judge(cases: list[Case], indices: list[FloatArray], template: Template) -> list[SegmentResult]:
    pairs = zip(cases, indices, strict=True)
    return [segment_result(segments_of(index, template), case.segment) for case, index in pairs]


def run(seed: int, seconds: float, tune: bool) -> None:
    set2, set3 = (make_cases(seed, seconds, split) for split in ("set2", "set3"))
    motion2, motion3 = ([located(case, only_kept=False) for case in cases] for cases in (set2, set3))
    kept3 = [located(case, only_kept=True) for case in set3]
    motion = template_of("motion, Set 2", [c.with_index(i) for c, i in zip(set2, motion2, strict=True)])
    by_time = [case.clock for case in (*set2, *set3)]
    times = template_of("time, Set 2", [c.with_index(i) for c, i in zip(set2, by_time[: len(set2)], strict=True)])
    rows = {
        "true poses, all frames (Set 2 template)": judge(set3, motion3, motion),
        "true poses, kept frames (Set 2 template)": judge(set3, kept3, motion),
        "oracle (Set 2 template)": [oracle(c.truth.index, c.segment, motion) for c in set3],
        "time index (Set 2 template)": judge(set3, by_time[len(set2) :], times),
        "true poses (leave-one-out, Set 3)": leave_one_out(
            [c.with_index(i) for c, i in zip(set3, motion3, strict=True)]
        ),
        "ScopeGuide length (leave-one-out, Set 3)": leave_one_out([c.with_index(c.scopeguide) for c in set3]),
    }
    errors = [
        [location_errors(i, c.truth.index).location_mae for c, i in zip(set3, s, strict=True)] for s in (motion3, kept3)
    ]
    print(text_table(["Set 3", "all frames", "kept frames"], [
        [c.truth.name, f"{a:.4f}", f"{b:.4f}"] for c, a, b in zip(set3, *errors, strict=True)
    ] + [["mean (std)", mean_std(errors[0], 4), mean_std(errors[1], 4)]]) + "\n")  # fmt: skip
    print(accuracy_table({name: summarise(results) for name, results in rows.items()}) + "\n")
    print(template_table([motion, times]))
    if tune:
        tuned = tune_gamma([c.truth for c in set2], [c.positions for c in set2], CANDIDATES)
        print("\n5-fold accuracy on Set 2 by gamma: " + ", ".join(f"{g:g}: {a:.4f}" for g, a in tuned.accuracy.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--tune", action="store_true", help="also tune gamma on Set 2 by 5-fold cross-validation")
    arguments = parser.parse_args()
    run(arguments.seed, arguments.seconds, arguments.tune)
