"""The training loop of every trainer: steps, log, validation, timed checkpoints, early stopping, resuming."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from haustra.core.errors import HaustraError
from haustra.core.progress import progress_bar
from haustra.lab.training.checkpoint import CHECKPOINT_NAME, load_checkpoint, save_checkpoint, save_weights
from haustra.lab.training.logs import CsvLog, RunningTerms
from haustra.lab.training.processes import Place, average_gradients, of_first

BEST_NAME = "best.safetensors"
LOG_NAME = "log.csv"
KEPT_NAME = "kept"
Watch = Callable[[int, Mapping[str, float]], None]
Validate = Callable[[], Mapping[str, float]]


@dataclass(frozen=True)
class LoopSettings:
    """`patience`: number of validations without improvement that end the run. `keep_every`: steps between weights that
    are kept, whatever their validation says."""

    steps: int
    learning_rate: float
    cosine: bool = False
    warmup: int = 0
    weight_decay: float = 0.0
    log_every: int = 50
    validate_every: int = 1000
    patience: int = 20
    checkpoint_every_s: float = 180.0
    clip_norm: float | None = None
    keep_every: int | None = None

    def rate(self, step: int) -> float:
        """Learning rate of a step: constant as in the paper, or a cosine down to a hundredth."""
        rate = self.learning_rate
        if self.cosine:
            rate *= 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(step / self.steps, 1.0)))
        return rate * min(1.0, (step + 1) / self.warmup) if self.warmup else rate


@dataclass(frozen=True)
class Step:
    """Result of one step: the loss, its terms for the log, and diagnostics for `watch`."""

    loss: torch.Tensor
    terms: Mapping[str, float]
    signs: Mapping[str, float]


@dataclass(frozen=True)
class LoopResult:
    """Where training ended, and its best step by validation score (None: never validated)."""

    step: int
    best_step: int
    best_score: float | None


def run_loop(
    out: Path | None,
    model: nn.Module,
    settings: LoopSettings,
    place: Place,
    *,
    step: Callable[[int], Step],
    validate: Validate | None = None,
    watch: Watch | None = None,
    title: str = "training",
    quiet: bool = False,
) -> LoopResult:
    """Train `model` in place and keep its best weights in `out`, by the `score` of `validate` (lower is better). A run
    that finds a checkpoint in `out` resumes from it; without `out` nothing is written."""
    return _Loop(out, model, settings, place).run(step, validate, watch, title, quiet or not place.first)


class _Loop:
    def __init__(self, out: Path | None, model: nn.Module, settings: LoopSettings, place: Place) -> None:
        self._out, self._model, self._settings, self._place = out, model, settings, place
        learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
        # Adam's weight decay, added to the gradient, is the paper's L2 regularisation.
        self._optimizer = torch.optim.Adam(learning, settings.learning_rate, weight_decay=settings.weight_decay)
        self._learning = learning
        self._modules = {"model": model}
        self._start = 0
        self._best: tuple[float | None, int] = (None, 0)
        self._bad = 0
        self._log: CsvLog | None = None
        if out is not None and (out / CHECKPOINT_NAME).is_file():
            resumed = load_checkpoint(out / CHECKPOINT_NAME, self._modules, self._optimizer)
            self._start = resumed.step
            self._best = (resumed.extra["best_score"], resumed.extra["best_step"])
            self._bad = resumed.extra["bad"]

    def run(
        self, step: Callable[[int], Step], validate: Validate | None, watch: Watch | None, title: str, quiet: bool
    ) -> LoopResult:
        settings = self._settings
        terms, signs = RunningTerms(), RunningTerms()
        saved = time.monotonic()
        number = self._start
        with progress_bar(title, settings.steps, unit="steps", quiet=quiet) as report:
            while number < settings.steps and self._bad < settings.patience:
                done = self._one(step(number), number)
                number += 1
                terms.add({"loss": float(done.loss.detach()), **done.terms})
                signs.add(done.signs)
                report(number, terms.note())
                last = number == settings.steps
                if number % settings.log_every == 0 or last:
                    self._write(number, terms)
                    if watch is not None:
                        watch(number, signs.means())
                    terms.reset()
                    signs.reset()
                if validate is not None and (number % settings.validate_every == 0 or last):
                    self._validate(number, validate())
                if settings.keep_every is not None and number % settings.keep_every == 0:
                    self._keep(number)
                # All processes must take the same decision, so the first one's clock counts.
                if of_first(time.monotonic() - saved, self._place) > settings.checkpoint_every_s:
                    self._save(number)
                    saved = time.monotonic()
        self._save(number)
        if validate is not None and self._best[0] is None:
            raise HaustraError(
                f"no validation in {number} steps gave a number, so there is no best network: start again with a lower"
                " learning rate or other data"
            )
        return LoopResult(number, self._best[1], self._best[0])

    def _one(self, result: Step, number: int) -> Step:
        if not math.isfinite(float(result.loss.detach())):
            raise HaustraError(f"the loss of step {number + 1} is not a number: start again with a lower learning rate")
        for group in self._optimizer.param_groups:
            group["lr"] = self._settings.rate(number)
        self._optimizer.zero_grad()
        result.loss.backward()  # type: ignore[no-untyped-call]
        average_gradients(self._model, self._place)
        if self._settings.clip_norm is not None:
            nn.utils.clip_grad_norm_(self._learning, self._settings.clip_norm)
        self._optimizer.step()
        return result

    def _write(self, number: int, terms: RunningTerms) -> None:
        if self._out is None:
            return
        if self._log is None:
            path = self._out / (LOG_NAME if self._place.first else f"log-{self._place.rank}.csv")
            self._log = CsvLog(path, ["rate", *terms.means()], resume_step=self._start)
        self._log.write(number, {**terms.means(), "rate": self._settings.rate(number - 1)})

    def _validate(self, number: int, figures: Mapping[str, float]) -> None:
        score = of_first(figures["score"], self._place)
        if not math.isfinite(score) and self._place.first:
            print(f"the validation after {number} steps is not a number: it cannot be the best", file=sys.stderr)
        if math.isfinite(score) and (self._best[0] is None or score < self._best[0]):
            self._best, self._bad = (score, number), 0
            if self._place.first and self._out is not None:
                save_weights(self._out / BEST_NAME, self._modules)
        else:
            self._bad += 1
        if self._place.first and self._out is not None:
            path = self._out / "validation.csv"
            CsvLog(path, list(figures), resume_step=number - 1).write(number, figures)

    def _keep(self, number: int) -> None:
        if self._place.first and self._out is not None:
            (self._out / KEPT_NAME).mkdir(exist_ok=True)
            save_weights(self._out / KEPT_NAME / f"step-{number:06d}.safetensors", self._modules)

    def _save(self, number: int) -> None:
        if self._place.first and self._out is not None:
            extra = {"best_score": self._best[0], "best_step": self._best[1], "bad": self._bad}
            save_checkpoint(self._out / CHECKPOINT_NAME, self._modules, self._optimizer, number, extra)
