"""The sections of the proof's page, each printed from what was observed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np

from benchmarks.cut_recordings import HEADER as EXTENTS
from benchmarks.cut_recordings import given_ends_error
from benchmarks.cut_recordings import row as extents_row
from benchmarks.named_worlds import WAYS, NamedFrames
from benchmarks.proof.ablations import decoder_ablations, location_ablations
from benchmarks.proof.located import LENSES, PARTIAL, TRUE, Proof, kind_of
from benchmarks.proof.objections import OBJECTIONS, STEERED
from benchmarks.proof.scores import (
    DROPPED,
    DURATIONS_S,
    Scored,
    between,
    coverage_row,
    groups_of,
    location_row,
    scored,
)
from benchmarks.withdrawal_start import TOLERANCE_S
from benchmarks.withdrawal_start import report as start_report
from haustra.anatomy.bends import open_bend_network
from haustra.anatomy.segment_labels import Labelling
from haustra.anatomy.template import load_template
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import DEFAULT_TEMPLATE, IndexMethod
from haustra.lab.evaluate.bootstrap import interval_of, mean_interval
from haustra.lab.evaluate.segment_methods import calibration_error
from haustra.lab.evaluate.text_table import text_table
from haustra.lab.simulate.recording_sets import plan_set

DECODER = "decoder"
LOCATION = ("recordings", "n", "location error [95 %]", "worst", "clock", "clock - ours [95 %]", "paper's index",
            "paper's - ours [95 %]")  # fmt: skip
COVERAGE = ("recordings", "n", "within 1 deviation [95 %]", "within 2 [95 %]", "least within 2", "error over deviation",
            "location error")  # fmt: skip
SEGMENTS = ("named by", "accuracy [95 %]", "worst", "decoder - this [95 %]", "zero excluded")


@cache
def labelling() -> Labelling:
    return Labelling(load_template(DEFAULT_TEMPLATE), bend_network=open_bend_network())


@cache
def cases_of(proof: Proof, lens: str = TRUE) -> tuple[Scored, ...]:
    """The scores of the whole withdrawals."""
    found = tuple(scored(one, labelling()) for one in proof.observed(lens))
    if not found:
        raise HaustraError(f"no recording of a whole withdrawal was located with the lens '{lens}' yet")
    return found


def overview(proof: Proof) -> str:
    """What there is, what failed, and what steered what."""
    there = Counter(kind_of(name) for name in proof.names)
    planned = Counter(member.split for member in plan_set("proof"))
    rows = [
        [kind, str(planned.get(kind, "-")), str(count), *(str(_located(proof, kind, lens)) for lens in LENSES)]
        for kind, count in there.items()
    ]
    header = ("kind", "planned", "rendered", *(f"located, lens {lens}" for lens in LENSES))
    cases = cases_of(proof)
    seconds, dropped = np.array([(case.seconds, case.dropped) for case in cases]).T
    failures = proof.failures()
    failed = "No recording failed." if not failures else "Failures:\n\n" + "\n".join(f"- {line}" for line in failures)
    lengths = (
        f"Whole withdrawals: {seconds.min():.0f} to {seconds.max():.0f} s, median {np.median(seconds):.0f} s;"
        f" {dropped.mean():.0%} of the samples dropped in the mean."
    )
    return "\n\n".join((text_table(header, rows), failed, lengths, text_table(STEERED[0], STEERED[1:])))


def _located(proof: Proof, kind: str, lens: str) -> int:
    return sum(proof.is_located(name, lens) for name in proof.names if kind_of(name) == kind)


def location(proof: Proof) -> str:
    cases = cases_of(proof)
    each = [
        [c.name, f"{c.seconds:.0f}", f"{c.dropped:.2f}",
         *(f"{value:.3f}" for value in (c.error, c.covered.within, c.clock_error, c.paper_error))]
        for c in cases
    ]  # fmt: skip
    header = ("recording", "seconds", "dropped", "location error", "within 2 deviations", "clock", "paper's index")
    means = [location_row(name, group) for name, group in groups_of(cases).items()]
    return f"{text_table(LOCATION, means)}\n\n{text_table(header, each)}"


def coverage(proof: Proof) -> str:
    cases = cases_of(proof)
    groups: dict[str, Sequence[Scored]] = dict(groups_of(cases))
    for (low, high), part in between(cases, lambda case: case.seconds, DURATIONS_S).items():
        groups[f"{low:.0f} to {high:.0f} s" if np.isfinite(high) else f"{low:.0f} s and longer"] = part
    for (low, high), part in between(cases, lambda case: case.dropped, DROPPED).items():
        groups[f"{low:.0%} to {high:.0%} dropped"] = part
    groups |= {f"lens: {lens}": cases_of(proof, lens) for lens in LENSES[1:] if proof.observed(lens)}
    return text_table(COVERAGE, [coverage_row(name, group) for name, group in groups.items()])


def segments(proof: Proof) -> str:
    cases = [case.named for case in cases_of(proof) if case.named is not None]
    accuracy = {way: np.array([case.accuracy(way) for case in cases]) for way in WAYS}
    rows = []
    for way in (DECODER, *(way for way in WAYS if way != DECODER)):
        gain = mean_interval(accuracy[DECODER] - accuracy[way])
        paired = ["-", "-"] if way == DECODER else [gain.text(signed=True), "yes" if gain.excludes_zero else "no"]
        rows.append([way, mean_interval(accuracy[way]).text(), f"{accuracy[way].min():.3f}", *paired])
    error = interval_of(len(cases), lambda chosen: _calibration([cases[k] for k in chosen]))
    return f"{text_table(SEGMENTS, rows)}\n\nCalibration error of the decoder, all frames: {error.text()}."


def _calibration(cases: Sequence[NamedFrames]) -> float:
    right = np.concatenate([case.right[DECODER] for case in cases])
    return calibration_error(np.concatenate([case.certainty for case in cases]), right)


def start(proof: Proof) -> str:
    names = [name for name in proof.names if kind_of(name) != PARTIAL and proof.is_located(name)]
    answers = [proof.start(name) for name in names]
    right = mean_interval([float(answer.right) for answer in answers])
    return f"{start_report(answers)}\n\nRight to {TOLERANCE_S:.0f} s: {right.text(2)} of {len(answers)}."


def partial(proof: Proof) -> str:
    pieces = proof.observed(partial=True)
    if not pieces:
        return "No partial recording was located yet."
    rows = [extents_row("parts", pieces, start_given=given) for given in (False, True)]
    ours, papers = (np.array([given_ends_error(piece, index) for piece in pieces]) for index in IndexMethod)
    return (
        f"{text_table(list(EXTENTS), rows)}\n\nWith the places of both ends given: location error"
        f" {mean_interval(ours).text()}, worst {ours.max():.3f}; by the paper's index {mean_interval(papers).text()},"
        f" worst {papers.max():.3f}."
    )


def lenses(proof: Proof) -> str:
    """The recordings that were located with every lens that is there."""
    found = {lens: {c.name: c for c in cases_of(proof, lens)} for lens in LENSES if proof.observed(lens)}
    common = sorted(set.intersection(*(set(cases) for cases in found.values())))
    rows = []
    for lens, cases in found.items():
        errors, trues = (np.array([those[name].error for name in common]) for those in (cases, found[TRUE]))
        named = [c.named.accuracy(DECODER) for name in common if (c := cases[name]).named is not None]
        rows.append([
            lens, str(len(common)), mean_interval(errors).text(), f"{errors.max():.3f}",
            "-" if lens == TRUE else mean_interval(errors - trues).text(signed=True),
            mean_interval(named).text() if named else "-", str(sum(cases[name].has_places for name in common)),
        ])  # fmt: skip
    header = ("lens", "n", "location error [95 %]", "worst", "more than with the true one [95 %]", "segments [95 %]",
              "whole by the start alone")  # fmt: skip
    return text_table(header, rows)


def ablation(proof: Proof) -> str:
    recordings = proof.observed()
    known = [one for one in recordings if one.segment is not None]
    return f"{location_ablations(recordings)}\n\n{decoder_ablations(known, labelling())}"


def objections(proof: Proof) -> str:
    """Each with its answer."""
    kinds = {kind_of(name) for name in proof.names}
    given = {"count": len(proof.names), "planned": len(plan_set("proof")), "kinds": ", ".join(sorted(kinds))}
    return "\n\n".join(f"**{objection}** {answer.format(**given)}" for objection, answer in OBJECTIONS)


SECTIONS: Mapping[str, Callable[[Proof], str]] = {
    "overview": overview, "location": location, "coverage": coverage, "segments": segments, "start": start,
    "partial": partial, "lens": lenses, "ablation": ablation, "objections": objections,
}  # fmt: skip
