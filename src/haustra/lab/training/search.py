"""`haustra train motion --search`: grid search of hyper-parameters by validation CPE, as the paper describes.

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

from haustra.core.errors import HaustraError
from haustra.core.files import write_text
from haustra.lab.training.command import run_motion_training

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
    """Train every combination of `choices` in its own folder of `out`; returns the best (first in search.csv). All
    share the pairs. A stopped search resumes: finished trials are not trained again."""
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
    """A csv table of all trials, the best first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*trials[0].values, "cpe", "best_step", "steps", "folder"])
    for trial in trials:
        figures = trial.figures
        row = [trial.cpe, figures["best_step"], figures["steps"], trial.folder.name]
        writer.writerow([*trial.values.values(), *row])
    write_text(path, text.getvalue())
