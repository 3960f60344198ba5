"""Detection of the start of the withdrawal: `python -m benchmarks.withdrawal_start RECORDING... --work DIR`.

RECORDING are simulated folders, or folders of them, with and without an insertion. `locate` runs on each video with the
shipped models, without the start. Observations are kept in DIR: give another one after changing a network.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import haustra
from benchmarks.localisation import recordings_in
from benchmarks.observed import seen_in
from haustra.anatomy.cecum import start_log_likelihood
from haustra.anatomy.parameters import CecumParameters
from haustra.core.files import read_json
from haustra.lab.evaluate.score_result import read_truth
from haustra.lab.evaluate.text_table import text_table
from haustra.path import PathParameters
from haustra.path.withdrawal import follow_withdrawal
from haustra.quality.cecum_classifier import CecumScores
from haustra.results.folder import OBSERVATIONS

TOLERANCE_S = 10.0
SURE = PathParameters().start.sure


@dataclass(frozen=True)
class Answer:
    """One recording: true start of the withdrawal, and the start found by `locate`."""

    name: str
    insertion_s: float
    true_s: float
    found_s: float
    confidence: float
    says_insertion: bool

    @property
    def right(self) -> bool:
        return self.says_insertion == (self.insertion_s > 0) and abs(self.found_s - self.true_s) <= TOLERANCE_S

    def row(self) -> list[str]:
        kind = f"{self.insertion_s:.0f} s" if self.insertion_s else "none"
        said = "found" if self.says_insertion else "none found"
        return [
            self.name, kind, said, f"{self.true_s:.1f}", f"{self.found_s:.1f}", f"{self.found_s - self.true_s:+.1f}",
            f"{self.confidence:.2f}", "yes" if self.right else "no",
        ]  # fmt: skip


def ask(folder: Path, out: Path) -> Answer:
    """`out` keeps what was observed of the whole recording."""
    if not (out / OBSERVATIONS).is_file():
        haustra.locate(folder / "video.mp4", camera=str(folder / "camera.json"), out=out, overlay=False, threads=1)
    seen = seen_in(out)
    scores = CecumScores.of(seen)
    found = follow_withdrawal(seen, None, support=partial(start_log_likelihood, scores, parameters=CecumParameters()))
    assert found.start is not None, "no start was given"
    return Answer(
        name=folder_name(folder),
        insertion_s=float(read_json(folder / "recording.json")["insertion_s"]),
        true_s=float(read_truth(folder).time_s[0]),
        found_s=found.start_s,
        confidence=found.start.confidence,
        says_insertion=found.start.has_insertion,
    )


def folder_name(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


def summary_lines(title: str, answers: Sequence[Answer]) -> list[str]:
    """Counts, and the confidence of right and wrong answers."""
    if not answers:
        return []
    right = [a for a in answers if a.right]
    wrong = [a for a in answers if not a.right]
    told = sum(a.says_insertion == (a.insertion_s > 0) for a in answers)
    sure = sum(a.confidence >= SURE for a in right)
    doubts = ", ".join(f"{a.confidence:.2f}" for a in wrong) or "none is wrong"
    return [
        f"- {title}: start right to {TOLERANCE_S:.0f} s on {len(right)} of {len(answers)}, kind of recording right on"
        f" {told}. Confidence of at least {SURE} on {sure} of the {len(right)} right ones; confidence of the"
        f" wrong ones: {doubts}."
    ]


def report(answers: Sequence[Answer]) -> str:
    """One row per recording, and the counts."""
    header = ["recording", "insertion", "locate says", "true start, s", "start, s", "error, s", "confidence", "right"]
    return "\n".join(
        [
            text_table(header, [answer.row() for answer in answers]),
            "",
            *summary_lines("With an insertion", [a for a in answers if a.insertion_s > 0]),
            *summary_lines("Withdrawal only", [a for a in answers if not a.insertion_s]),
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recordings", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    folders = [folder for given in options.recordings for folder in recordings_in(given)]
    print(report([ask(folder, options.work / folder_name(folder).replace("/", "-")) for folder in folders]))
