"""Labelled real pictures by folder; here Kvasir-SEG's 800 training stills, instruments labelled by eye."""

from __future__ import annotations

from pathlib import Path

from haustra.core.errors import HaustraError
from haustra.core.files import read_json
from haustra.lab.datasets.real_sequences import TRAINING
from haustra.lab.evaluate.real_frames import KINDS, read_hyperkvasir, read_training_sequences
from haustra.quality.labelled import FORCEPS, INFORMATIVE, NONINFORMATIVE, TEST, TRAIN, Sample

LIST = Path(__file__).parent / "kvasir_instruments.json"
HELD_OUT_EVERY = 5
SOURCE = "stills"


def read_stills(folder: Path) -> list[Sample]:
    """Labelled pictures of a dataset recognised by its folders: HyperKvasir, real sequences, or Kvasir-SEG."""
    if (folder / KINDS[0]).is_dir():
        return read_hyperkvasir(folder)
    return read_training_sequences(folder) if (folder / TRAINING[0]).is_dir() else read_kvasir(folder)


def read_kvasir(folder: Path) -> list[Sample]:
    """Every still but the doubtful ones; those with a number divisible by five are held out of training.

    Training stills that show the scene of a held-out one (the next second of the same examination) are left out.
    """
    lists = read_json(LIST)
    left_out = set(lists["doubtful"]) | set(lists["same_scene_as_held_out"])
    samples = []
    for path in sorted(folder.glob("*.jpg"), key=lambda item: (len(item.stem), item.stem)):
        if path.stem.isdigit() and int(path.stem) not in left_out:
            number = int(path.stem)
            split = TEST if number % HELD_OUT_EVERY == 0 else TRAIN
            samples.append(Sample(path, _label(number, lists), f"still {number}", split, None, SOURCE))
    if not samples:
        raise HaustraError(f"{folder} has no stills: give the folder of Kvasir-SEG's pictures 0.jpg, 1.jpg ...")
    return samples


def _label(number: int, lists: dict[str, list[int]]) -> str:
    if number in lists["instrument"]:
        return FORCEPS
    return NONINFORMATIVE if number in lists["noninformative"] else INFORMATIVE
