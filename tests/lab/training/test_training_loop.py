"""The loop that every trainer runs: what is best, what is no number, what a stopped run finds again."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

from haustra.core.errors import HaustraError
from haustra.lab.training.checkpoint import load_weights
from haustra.lab.training.loop import BEST_NAME, KEPT_NAME, LoopResult, LoopSettings, Step, run_loop
from haustra.lab.training.processes import Place
from haustra.lab.training.run_folder import claim_folder

HERE = Place(0, 1, torch.device("cpu"))
NAN = float("nan")


def _run(
    out: Path | None, scores: list[float], *, patience: int = 20, loss: float = 1.0
) -> tuple[LoopResult, nn.Module]:
    """One step and one validation for each of the `scores`; the weight counts the steps."""
    model = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.zero_()
    found: Iterator[float] = iter(scores)

    def step(_: int) -> Step:
        return Step((model.weight * 0).sum() - model.weight.sum() * loss, {}, {})

    settings = LoopSettings(len(scores), 1.0, validate_every=1, patience=patience, log_every=1)
    result = run_loop(out, model, settings, HERE, step=step, validate=lambda: {"score": next(found)}, quiet=True)
    return result, model


def test_no_number_is_never_the_best(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result, model = _run(tmp_path, [NAN, 0.5, 0.7, NAN, 0.4, 0.6])
    assert (result.best_step, result.best_score) == (5, 0.4)
    load_weights(tmp_path / BEST_NAME, {"model": model})
    assert float(model.weight.detach()) == pytest.approx(5.0, rel=1e-4)  # Adam's steps of 1
    assert capsys.readouterr().err.count("is not a number") == 2
    rows = list(csv.DictReader((tmp_path / "validation.csv").open()))
    assert [row["score"] for row in rows] == ["nan", "0.5", "0.7", "nan", "0.4", "0.6"]


def test_a_run_whose_validation_is_never_a_number_says_so(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="no validation in 3 steps gave a number"):
        _run(tmp_path, [NAN] * 10, patience=3)
    assert not (tmp_path / BEST_NAME).exists()


def test_a_loss_that_is_no_number_stops_before_it_spoils_the_weights(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="loss of step 1 is not a number"):
        _run(tmp_path, [1.0], loss=NAN)


def test_without_a_folder_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _run(None, [0.3, 0.2])[0].best_score == 0.2
    assert list(tmp_path.iterdir()) == []


def test_rate_warms_up_and_falls_along_a_cosine() -> None:
    settings = LoopSettings(100, 1.0, cosine=True, warmup=10)
    assert [round(settings.rate(step), 3) for step in (0, 4, 9)] == [0.1, 0.498, 0.98]
    assert settings.rate(50) == pytest.approx(0.505)
    assert settings.rate(100) == pytest.approx(0.01)
    assert LoopSettings(100, 1.0).rate(99) == 1.0


def test_weight_decay_is_adams_l2_term() -> None:
    """With no other gradient the weight shrinks, towards zero from either side."""
    model = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.fill_(2.0)
    run_loop(
        None,
        model,
        LoopSettings(3, 0.1, weight_decay=0.5),
        HERE,
        step=lambda _: Step((model.weight * 0).sum(), {}, {}),
        quiet=True,
    )
    assert float(model.weight.detach()) == pytest.approx(1.7, abs=1e-3)


def test_a_folder_belongs_to_one_set_of_settings(tmp_path: Path) -> None:
    claim_folder(tmp_path, {"config": {"steps": 3, "ramp": (0.1, 0.2)}})
    claim_folder(tmp_path, {"config": {"steps": 3, "ramp": (0.1, 0.2)}})
    with pytest.raises(HaustraError, match="steps 3, not 4"):
        claim_folder(tmp_path, {"config": {"steps": 4, "ramp": (0.1, 0.2)}})


def test_weights_are_kept_whatever_their_validation_says(tmp_path: Path) -> None:
    model = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.zero_()

    def step(_: int) -> Step:
        return Step(-model.weight.sum(), {}, {})

    settings = LoopSettings(5, 1.0, validate_every=1, log_every=1, keep_every=2)
    worse = iter(range(5))
    run_loop(tmp_path, model, settings, HERE, step=step, validate=lambda: {"score": next(worse)}, quiet=True)
    kept = sorted((tmp_path / KEPT_NAME).iterdir())
    assert [path.stem for path in kept] == ["step-000002", "step-000004"]
    load_weights(kept[1], {"model": model})
    assert float(model.weight.detach()) == pytest.approx(4.0, rel=1e-4)  # Adam's steps of 1
