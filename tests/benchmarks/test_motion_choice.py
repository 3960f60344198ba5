"""Weights are chosen by the locations they give: what is compared, and what is not done twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.coverage import Covered

from benchmarks import motion_choice
from haustra.core.errors import HaustraError
from haustra.core.files import write_text
from haustra.lab.training.motion.config import motion_config


def _case(error: float) -> Covered:
    return Covered("a", np.array([0.1, 0.9]), np.array([error, -error]), np.array([0.02, 0.02]), np.array([0.1, 0.1]))


def test_a_run_without_kept_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="keep_every"):
        motion_choice.kept_weights(tmp_path)


def test_every_kept_network_stands_beside_the_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, work = tmp_path / "run", tmp_path / "work"
    for step in (5, 10):
        write_text(run / "kept" / f"step-{step:06d}.safetensors", "")
    exports: list[str] = []

    def export(weights: Path, _train: Any, _validation: Any, out: Path, _config: Any) -> None:
        exports.append(weights.stem)
        write_text(out / "motion.onnx", "")

    errors = {None: 0.03, "step-000005": 0.05, "step-000010": 0.01}
    monkeypatch.setattr(motion_choice, "gather_pairs", lambda *_, **__: (None, None))
    monkeypatch.setattr(motion_choice, "export_weights", export)
    monkeypatch.setattr(motion_choice, "covered", lambda error: _case(error))

    def observe(_data: Path, _work: Path, motion: Path | None) -> list[float]:
        return [errors[motion.parent.name if motion else None]]

    monkeypatch.setattr(motion_choice, "observe", observe)
    for _ in range(2):
        table = motion_choice.choose(tmp_path, run, tmp_path, work, motion_config("wide"))
    assert exports == ["step-000005", "step-000010"], "exported once"
    rows = {line.split("|")[1].strip(): line for line in table.splitlines() if "0.0" in line}
    assert "0.0300" in rows["shipped"]
    assert "0.0500" in rows["step-000005"]
    assert "0.0100" in rows["step-000010"]
    assert "0.000 " in rows["step-000005"], "outside of two deviations"
