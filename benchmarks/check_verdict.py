"""Does the verdict of `haustra check` predict the error? `python -m benchmarks.check_verdict DATA ... --work DIR`.

DATA are recordings whose poses are known. Each is checked as it is and as degraded copies (blurred, noisy, few bits,
narrow-band look, dark, few frames a second, frames repeated, a wrong lens; `--copies N` takes N of these for each, in
turn), with its true lens. The error is that of the translation over six samples, as a share of it. Prints a row for
each copy, the rank correlation (Spearman) of expected and true error over all of them, what the verdicts had, and the
regression fitted anew, with every recording predicted by the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from benchmarks.check_truth import motion_error, rotation_error_deg, scaled_lens, step_pairs
from haustra.camera import camera_for_picture
from haustra.checking.stretch_figures import CheckFigures, Examiner, together
from haustra.checking.verdict import VerdictWord, expected_error, judge, predictors
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.files import read_json, write_json
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.dataset_recording import DatasetRecording
from haustra.lab.evaluate.degraded.recordings import COPIES, DegradedRecording
from haustra.lab.evaluate.text_table import text_table
from haustra.motion import open_motion
from haustra.motion.stream import opencv_on_one_thread
from haustra.quality import QualityModel
from haustra.video import find_picture, open_recording

AS_IT_IS = next(iter(COPIES))
RIDGE = 1.0
HEADER = (
    "recording",
    "copy",
    "usable",
    "followed",
    "near",
    "far",
    "a-b-c, a-c",
    "expected",
    "true",
    "rotation",
    "verdict",
)


@dataclass(frozen=True)
class Case:
    """A copy of a recording: what the check measured, and the true errors."""

    base: str
    kind: str
    figures: CheckFigures
    error: float
    rotation_deg: float

    @property
    def word(self) -> VerdictWord:
        return judge(self.figures, 0.0).word


def copies_of(number: int, count: int) -> list[str]:
    """As it is, and `count` ways of degrading it: those of neighbouring recordings differ."""
    ways = list(COPIES)[1:]
    return [AS_IT_IS, *dict.fromkeys(ways[(6 * number + 2 * turn + number // 2) % len(ways)] for turn in range(count))]


def measured(recording: DatasetRecording, kind: str, work: Path) -> Case:
    """Measured once and kept in the work folder."""
    kept = work / f"{recording.name}-{kind}.json"
    if not kept.is_file():
        write_json(kept, _measure(recording, kind))
    found = read_json(kept)
    figures = CheckFigures(**{name: np.nan if value is None else value for name, value in found["figures"].items()})
    ours, true = (np.array(found[name], np.float64).reshape(-1, 4, 4) for name in ("ours", "true"))
    return Case(recording.name, kind, figures, motion_error(ours, true), rotation_error_deg(ours, true))


def _measure(recording: DatasetRecording, kind: str) -> dict[str, Any]:
    if recording.source is None or recording.camera is None or recording.T_w_c is None:
        raise HaustraError(f"{recording.name} has no video, lens or poses")
    copy, original = COPIES[kind], open_recording(recording.source, fps=recording.fps)
    picture = find_picture(original)
    camera = camera_for_picture(recording.camera, (picture.frame_width, picture.frame_height), picture.box)
    degraded = DegradedRecording(original, copy)
    examiner = Examiner(degraded, picture, scaled_lens(camera, copy.lens), open_motion(), QualityModel())
    known_s = recording.time_s[np.isfinite(recording.T_w_c).all(axis=(1, 2))]
    with opencv_on_one_thread():
        stretches = examiner.stretches(float(known_s[0]), float(known_s[-1]))
    figures = asdict(together(stretches, degraded.frame_rate))
    ours, true = step_pairs(stretches, recording)
    kept = {name: value if np.isfinite(value) else None for name, value in figures.items()}
    return {"figures": kept, "ours": ours.tolist(), "true": true.tolist()}


def report(cases: Sequence[Case]) -> str:
    rows = [_row(case) for case in sorted(cases, key=lambda case: (case.error, case.base))]
    known = [case for case in cases if np.isfinite(case.error) and expected_error(case.figures) is not None]
    expected = np.array([expected_error(case.figures) for case in known], np.float64)
    error = np.array([case.error for case in known])
    rotation = np.array([case.rotation_deg for case in known])
    lines = [
        f"{len(cases)} copies of {len({case.base for case in cases})} recordings, {len(known)} with motion to compare.",
        f"Spearman of expected error and true translation error {spearmanr(expected, error)[0]:.2f}, "
        f"true rotation error {spearmanr(expected, rotation)[0]:.2f}.",
        *(_of_word(word, cases) for word in VerdictWord),
        _worst_tenth(cases),
        *_refit(known),
    ]
    return f"{text_table(HEADER, rows)}\n\n" + "\n".join(lines)


def _row(case: Case) -> list[str]:
    f, expected = case.figures, expected_error(case.figures)
    figures = [f"{value:.2f}" for value in (f.kept, f.followed, f.near_ratio, f.far_ratio, f.loop_share)]
    shown = "-" if expected is None else f"{expected:.2f}"
    return [case.base, case.kind, *figures, shown, f"{case.error:.2f}", f"{case.rotation_deg:.2f}", case.word.value]


def _of_word(word: VerdictWord, cases: Sequence[Case]) -> str:
    errors = [case.error for case in cases if case.word is word]
    known = [error for error in errors if np.isfinite(error)]
    spread = f", true error median {np.median(known):.2f}, worst {max(known):.2f}" if known else ""
    return f"'{word.value}': {len(errors)} copies{spread}."


def _worst_tenth(cases: Sequence[Case]) -> str:
    """Copies without any motion to compare count as the worst."""
    order = sorted(cases, key=lambda case: case.error if np.isfinite(case.error) else np.inf)
    worst = order[-max(len(cases) // 10, 1) :]
    good = sum(case.word is VerdictWord.GOOD for case in worst)
    return f"Of the worst tenth ({len(worst)}) {good} are called good."


def _refit(known: Sequence[Case]) -> list[str]:
    """Weights from all recordings, and the rank correlation when each is predicted by the others."""
    X = np.array([list(predictors(case.figures).values()) for case in known])
    y, base = np.log([case.error for case in known]), np.array([case.base for case in known])
    predicted = np.empty(len(y))
    for name in set(base.tolist()):
        out = base == name
        weights = _ridge(X[~out], y[~out])
        predicted[out] = weights[0] + X[out] @ weights[1:]
    names = ("intercept", *predictors(known[0].figures))
    fitted = ", ".join(f"{name} {weight:.2f}" for name, weight in zip(names, _ridge(X, y), strict=True))
    return [
        f"Fitted anew: {fitted}.",
        f"Each recording predicted by the others: Spearman {spearmanr(predicted, y)[0]:.2f}.",
    ]


def _ridge(X: FloatArray, y: FloatArray) -> FloatArray:
    """Intercept and weights; the intercept is not held back."""
    middle = X.mean(axis=0)
    weights = np.linalg.solve((X - middle).T @ (X - middle) + RIDGE * np.eye(X.shape[1]), (X - middle).T @ y)
    return np.concatenate([[y.mean() - middle @ weights], weights])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True, help="where what was measured is kept")
    parser.add_argument("--copies", type=int, default=6, help="ways of degrading each recording")
    options = parser.parse_args()
    recordings = [recording for data in options.data for recording in open_dataset(data, None)[1]]
    cases = [
        measured(recording, kind, options.work)
        for number, recording in enumerate(recordings)
        for kind in copies_of(number, options.copies)
    ]
    print(report(cases))


if __name__ == "__main__":
    main()
