"""Equal budgets, and what becomes of a rival that collapses."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from benchmarks import rivals
from haustra.core.files import write_text
from haustra.lab.training.motion.collapse import CollapseError


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the trainer was asked for; above a rate of 2e-4 GeoNet and our own method collapse."""
    asked: list[dict[str, Any]] = []

    def run(_data: Path, out: Path, **options: Any) -> None:
        asked.append(options)
        rate = options["values"].get("learning_rate", 1e-3)
        if options["method"] != "sfmlearner" and rate is not None and rate > 2e-4:
            raise CollapseError("training collapsed")
        write_text(out / "motion.onnx", str(rate))

    monkeypatch.setattr(rivals, "run_motion_training", run)
    return asked


def options(work: Path) -> argparse.Namespace:
    return argparse.Namespace(
        cohort=work, work=work, steps=7, batch=4, width=0.5, lr=5e-4, validate_every=3, patience=2
    )


def test_a_rival_that_collapses_is_trained_at_its_published_rate(
    tmp_path: Path, runs: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "geonet-7-0").mkdir()
    weights = rivals.train("geonet", 0, options(tmp_path))
    assert weights.read_text() == "None", "the published one"
    assert "again at the published rate" in capsys.readouterr().err
    assert [run["values"]["steps"] for run in runs] == [7, 7]
    rivals.train("geonet", 0, options(tmp_path))
    assert len(runs) == 2, "what is trained stays"
    weights.unlink()
    rivals.train("geonet", 0, options(tmp_path))
    assert [run["values"]["learning_rate"] for run in runs] == [5e-4, None, None], "it does not collapse once more"


def test_a_run_ends_when_its_validation_is_flat(tmp_path: Path, runs: list[dict[str, Any]]) -> None:
    rivals.train("sfmlearner", 0, options(tmp_path))
    assert runs[0]["values"]["validate_every"] == 3
    assert runs[0]["values"]["patience"] == 2


def test_budgets_are_equal_and_our_own_collapse_is_an_error(tmp_path: Path, runs: list[dict[str, Any]]) -> None:
    rivals.train("sfmlearner", 3, options(tmp_path))
    with pytest.raises(CollapseError):
        rivals.train("ours", 3, options(tmp_path))
    assert {(run["values"]["steps"], run["values"]["batch"], run["seed"]) for run in runs} == {(7, 4, 3)}
    assert "width" not in runs[1]["values"]
