"""Real pictures labelled by eye: HyperKvasir's stills and the frames of the real training sequences.

`real_labels.json` has the numbers. By the paper's rule (sec:dataset) a frame against the wall, blurred, or badly
exposed is non-informative. Stool is not: a soiled lumen, or stool in diverticula ("impacted"), still shows the camera's
motion. Doubtful pictures are left out. Stills of one scene are on one side of the split: HyperKvasir has many of each.
"""

from __future__ import annotations

from pathlib import Path

from haustra.core.errors import HaustraError
from haustra.core.files import read_json
from haustra.lab.datasets.real_sequences import TRAINING
from haustra.quality.labelled import FOLDER_HZ, FORCEPS, INFORMATIVE, NONINFORMATIVE, TEST, TRAIN, Sample

LABELS = Path(__file__).parent / "real_labels.json"
HYPERKVASIR, SEQUENCES = "hyperkvasir", "real-sequences"
KINDS = ("normal-cecum", "bbps-2-3", "bbps-0-1", "impacted-stool")

Numbers = dict[str, list[int]]


def read_hyperkvasir(folder: Path) -> list[Sample]:
    """Every still but the doubtful ones, each as a recording of its own."""
    lists: dict[str, Numbers] = read_json(LABELS)[HYPERKVASIR]
    samples = []
    for kind in KINDS:
        held_out = lists["held_out"][kind]
        for path in sorted((folder / kind).glob("*.jpg")):
            if label := _label(lists, kind, int(path.stem)):
                split = TEST if int(path.stem) in held_out else TRAIN
                samples.append(Sample(path, label, f"{kind} {path.stem}", split, None, HYPERKVASIR))
    if not samples:
        raise HaustraError(f"{folder} has no stills: folders {', '.join(KINDS)} of pictures are needed")
    return samples


def read_training_sequences(folder: Path) -> list[Sample]:
    """Frames of the training sequences, timed as if played at 15 Hz."""
    lists: dict[str, Numbers] = read_json(LABELS)[SEQUENCES]
    samples = []
    for name in TRAINING:
        for position in range(len(list((folder / name).glob("*.jpg")))):
            if label := _label(lists, name, position + 1):
                samples.append(Sample(folder / name, label, name, TRAIN, position / FOLDER_HZ, SEQUENCES))
    if not samples:
        raise HaustraError(f"{folder} has none of the sequences {', '.join(TRAINING)}")
    return samples


def frames_with_instruments(sequence: str) -> list[int]:
    """Numbers (from 1) of the frames of a real sequence that show an instrument."""
    numbers: Numbers = read_json(LABELS)[SEQUENCES]["forceps"]
    return numbers.get(sequence, [])


def _label(lists: dict[str, Numbers], name: str, number: int) -> str:
    """Empty for a doubtful picture."""
    if number in lists["doubtful"].get(name, ()):
        return ""
    if number in lists.get("forceps", {}).get(name, ()):
        return FORCEPS
    return NONINFORMATIVE if number in lists["noninformative"].get(name, ()) else INFORMATIVE
