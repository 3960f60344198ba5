"""Frame classification on real pictures: `python -m benchmarks.real_quality DATA [--quality FILE]`.

Held-out stills of Kvasir-SEG and HyperKvasir by kind: good ones kept, degraded versions of them dropped. Then every
real sequence, played at 15 Hz: frames kept, and frames classified as forceps, with and without an instrument in view
(labelled by eye). The shipped network was trained on none of the sequences.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.vocabulary import DEFAULT_QUALITY, Reason
from haustra.lab.datasets.real_sequences import PLAYED_HZ, REPORTED, TRAINING
from haustra.lab.evaluate.classifier_test import kept_share, labelled_test
from haustra.lab.evaluate.degraded.synthetic_tests import degraded_test
from haustra.lab.evaluate.labelled_stills import read_stills
from haustra.lab.evaluate.real_frames import HYPERKVASIR, KINDS, SEQUENCES, frames_with_instruments
from haustra.lab.evaluate.text_table import text_table
from haustra.quality import QualityModel, assess_recording
from haustra.quality.labelled import INFORMATIVE, NONINFORMATIVE, TEST, Sample, part
from haustra.quality.labelled_pictures import load_pictures
from haustra.video import open_recording

KVASIR = "kvasir-seg-train"
SPARE = 7 / 6  # pictures are degraded a little above the input size, as in training
STILLS_HEADER = ("held-out stills", "good ones", "kept", "called forceps", "degraded, dropped")
SEQUENCE_HEADER = ("sequence", "", "frames", "kept", "instrument in view", "of these forceps", "false forceps")


def still_rows(data: Path, model: QualityModel) -> list[list[str]]:
    """A row per kind of still."""
    samples = part([*read_stills(data / KVASIR), *read_stills(data / HYPERKVASIR)], TEST)
    kinds = {"polyps (Kvasir-SEG)": "still ", **{kind: f"{kind} " for kind in KINDS}}
    lines = [_still_row(kind, [s for s in samples if s.recording.startswith(start)], model)
             for kind, start in kinds.items()]  # fmt: skip
    poor = [sample for sample in samples if sample.label == NONINFORMATIVE]
    if poor:
        probabilities = model.classify(load_pictures(poor, model.size))
        dropped = int((probabilities.noninformative >= model.thresholds.noninformative).sum())
        lines.append(["not good, of any kind", "0", "-", "-", f"{dropped} of {len(poor)} as they are"])
    return lines


def _still_row(kind: str, samples: list[Sample], model: QualityModel) -> list[str]:
    good = [sample for sample in samples if sample.label == INFORMATIVE]
    pictures = load_pictures(good, round(model.size * SPARE))
    test = labelled_test(good, pictures, model.size)
    probabilities = model.classify(test.pictures)
    forceps = int((probabilities.forceps >= model.thresholds.forceps).sum())
    degraded = model.classify(degraded_test(good, pictures, model.size).pictures[len(good) :]).noninformative
    dropped = float((degraded >= model.thresholds.noninformative).mean())
    kept = kept_share(probabilities, test.labels, model.thresholds)
    return [kind, str(len(good)), f"{100 * kept:.1f} %", str(forceps), f"{100 * dropped:.1f} %"]


def sequence_rows(folder: Path, model: QualityModel) -> list[list[str]]:
    """A row per sequence, and one for all frames without an instrument."""
    lines = []
    frames = false = 0
    for name in (*TRAINING, *REPORTED):
        assessed = assess_recording(open_recording(folder / name, fps=PLAYED_HZ), model)
        called: NDArray[np.bool_] = np.array([reason == Reason.FORCEPS for reason in assessed.reason], np.bool_)
        shown = np.isin(np.arange(len(called)) + 1, frames_with_instruments(name))
        frames, false = frames + int((~shown).sum()), false + int((called & ~shown).sum())
        found = f"{int((called & shown).sum())} of {int(shown.sum())}" if shown.any() else "-"
        counts = [str(len(called)), str(int(assessed.kept.sum())), str(int(shown.sum()))]
        role = "training" if name in TRAINING else "reported"
        lines.append([name, role, *counts, found, str(int((called & ~shown).sum()))])
    return [*lines, ["without an instrument", "", str(frames), "", "", "", f"{false} ({100 * false / frames:.2f} %)"]]


def main() -> None:
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help=f"folder that holds {KVASIR}, {HYPERKVASIR} and {SEQUENCES}")
    parser.add_argument("--quality", default=DEFAULT_QUALITY, help="lite, or a model file")
    options = parser.parse_args()
    model = QualityModel(options.quality)
    print(text_table(STILLS_HEADER, still_rows(options.data, model)), "\n")
    print(text_table(SEQUENCE_HEADER, sequence_rows(options.data / SEQUENCES, model)))


if __name__ == "__main__":
    main()
