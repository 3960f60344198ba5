"""Rows of one table were trained alike and tested on the same recordings."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from benchmarks.reproduce_motion import ADAPT, keep, motion_tables, row_settings, train_row

from haustra.core.files import read_json, write_json


def settings(steps: int | None = 2000, seed: int = 0, test: str = "a") -> dict[str, object]:
    return {"config": "targets", "ablation": None, "steps": steps, "seed": seed, "test": [test]}


@pytest.mark.parametrize("other", [settings(steps=1000), settings(seed=1), settings(test="b"), {}])
def test_rows_of_other_settings_are_dropped(
    other: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "motion.json"
    keep({"full": {"cpe": 1.0}}, other, results)
    keep({"no-flow": {"cpe": 2.0}}, settings(), results)
    assert list(read_json(results)["rows"]) == ["no-flow"]
    assert "dropped full" in capsys.readouterr().err


def test_rows_of_the_same_settings_and_models_stay(tmp_path: Path) -> None:
    results = tmp_path / "motion.json"
    keep({"full": {"cpe": 1.0}}, settings(), results)
    keep({"simulated": {"cpe": 2.0}}, {"test": ["a"]}, results)
    keep({ADAPT: {"cpe": 3.0}}, settings(steps=None), results)
    keep({"full": {"cpe": 4.0}}, settings(), results)
    rows = read_json(results)["rows"]
    assert {name: row["cpe"] for name, row in rows.items()} == {"full": 4.0, "simulated": 2.0, ADAPT: 3.0}
    assert "lambda_mc = 100" in motion_tables(rows)


def test_rows_without_settings_are_of_unknown_origin(tmp_path: Path) -> None:
    write_json(tmp_path / "motion.json", {"steps": 2000, "rows": {"full": {"cpe": 1.0}}})
    keep({"no-flow": {"cpe": 2.0}}, settings(), tmp_path / "motion.json")
    assert list(read_json(tmp_path / "motion.json")["rows"]) == ["no-flow"]


def test_a_run_with_other_settings_has_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.reproduce_motion.run_motion_training", lambda *_, **__: None)
    folders = set()
    for steps, seed, paper in ((2000, 0, False), (1000, 0, False), (2000, 1, False), (2000, 0, True)):
        options = argparse.Namespace(
            cohort=tmp_path, work=tmp_path, steps=steps, seed=seed, paper=paper, threads=1, rows="full", model=[]
        )
        folders.add(train_row("full", row_settings("full", options), options))
    assert len(folders) == 4
