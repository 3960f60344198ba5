"""`haustra train motion --search`: settings chosen by the CPE of the validation pairs, as the paper describes.

"Different combinations of hyper-parameters [...] were used to train the network on the training set, with the
hyper-parameters that achieved the best corrected photometric loss on the validation set chosen as optimal" (section
"Model training and hyper-parameter tuning").
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haustra.errors import HaustraError
from haustra.files import write_text
from haustra.training.command import run_motion_training

TRIALS_NAME = "search.csv"


@dataclass(frozen=True)
class Trial:
    """One combination of settings, and the figures of its best network on the validation pairs."""

    values: Mapping[str, float]
    folder: Path
    figures: Mapping[str, Any]

    @property
    def cpe(self) -> float:
        found = self.figures["cpe"]
        return float("inf") if found is None else float(found)


def search_motion(
    data: Path,
    out: Path,
    choices: Mapping[str, Sequence[float]],
    *,
    values: dict[str, Any] | None = None,
    **options: Any,
) -> Trial:
    """Train every combination of `choices` into a folder of its own in `out`; returns the best, which search.csv names
    first. All share the pairs. A search that was stopped goes on: finished trials are not trained again."""
    if not choices or not all(choices.values()):
        raise HaustraError("nothing to search: give a setting several times, such as --lambda-mc 10 --lambda-mc 100")
    options = {**options, "cache": options.get("cache") or out / "pairs"}
    trials = []
    for chosen in itertools.product(*choices.values()):
        own = dict(zip(choices, chosen, strict=True))
        folder = out / "-".join(f"{name}={value:g}" for name, value in own.items())
        figures = run_motion_training(data, folder, values={**(values or {}), **own}, **options)
        trials.append(Trial(own, folder, figures))
        if figures:  # the first of several processes
            write_trials(sorted(trials, key=lambda trial: trial.cpe), out / TRIALS_NAME)
    return min(trials, key=lambda trial: trial.cpe if trial.figures else 0.0)


def write_trials(trials: Sequence[Trial], path: Path) -> None:
    """A csv table of what was tried, the best first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*trials[0].values, "cpe", "best_step", "steps", "folder"])
    for trial in trials:
        figures = trial.figures
        row = [trial.cpe, figures["best_step"], figures["steps"], trial.folder.name]
        writer.writerow([*trial.values.values(), *row])
    write_text(path, text.getvalue())
