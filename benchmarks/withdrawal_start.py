"""Is the start of the withdrawal found? `python -m benchmarks.withdrawal_start RECORDING... --work DIR`.

RECORDING are simulated folders, or folders of them, with and without an insertion. `locate` runs on each video with the
shipped models and is not given the start. What it saw stays in DIR: give another DIR after a change of a network.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import haustra
from benchmarks.localisation import recordings_in
from benchmarks.observed import seen_in
from haustra.anatomy.cecum import cecum_sightings
from haustra.evaluate.recording import read_truth
from haustra.evaluate.tables import text_table
from haustra.files import read_json
from haustra.path.withdrawal import SURE_START, follow_withdrawal
from haustra.result import OBSERVATIONS

TOLERANCE_S = 10.0


@dataclass(frozen=True)
class Answer:
    """One recording: truth, and what `locate` says about the start of the withdrawal."""

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


def ask(folder: Path, work: Path) -> Answer:
    name = f"{folder.parent.name}/{folder.name}"
    out = work / name.replace("/", "-")
    if not (out / OBSERVATIONS).is_file():
        haustra.locate(folder / "video.mp4", camera=str(folder / "camera.json"), out=out, overlay=False, threads=1)
    chunk, seen = seen_in(out)
    found = follow_withdrawal(seen, None, support=cecum_sightings(chunk.thumbnails).support)
    assert found.turn is not None, "no start was given"
    return Answer(
        name=name,
        insertion_s=float(read_json(folder / "recording.json")["insertion_s"]),
        true_s=float(read_truth(folder).time_s[0]),
        found_s=found.start_s,
        confidence=found.turn.confidence,
        says_insertion=found.turn.has_insertion,
    )


def summary_lines(title: str, answers: Sequence[Answer]) -> list[str]:
    """Counts, and how sure the wrong and the right answers were."""
    if not answers:
        return []
    right = [a for a in answers if a.right]
    wrong = [a for a in answers if not a.right]
    told = sum(a.says_insertion == (a.insertion_s > 0) for a in answers)
    sure = sum(a.confidence >= SURE_START for a in right)
    doubts = ", ".join(f"{a.confidence:.2f}" for a in wrong) or "none is wrong"
    return [
        f"- {title}: start right to {TOLERANCE_S:.0f} s on {len(right)} of {len(answers)}, kind of recording right on"
        f" {told}. Confidence of at least {SURE_START} on {sure} of the {len(right)} right ones; confidence of the"
        f" wrong ones: {doubts}."
    ]


def report(answers: Sequence[Answer]) -> str:
    """One row for each, and the counts."""
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
    print(report([ask(folder, options.work) for folder in folders]))
