"""`haustra cohort`, `haustra cohort merge`, and what `haustra locate` says to several recordings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_study import OPTIONS
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.cohort import CohortResult
from haustra.core.errors import HaustraError


def test_merge_is_a_command_and_anything_else_is_an_input(done: CohortResult, tmp_path: Path) -> None:
    merged = CliRunner().invoke(app, ["cohort", "merge", done.out, "--json"])
    assert merged.exit_code == 0
    assert json.loads(merged.stdout)["finished"] == 3
    missing = CliRunner().invoke(app, ["cohort", str(tmp_path / "none*"), "--out", str(tmp_path / "out")])
    assert isinstance(missing.exception, HaustraError)
    assert "no recording was found" in str(missing.exception)


def test_some_failed_has_an_exit_code_of_its_own(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_ARRAY_TASK_ID", raising=False)
    table = tmp_path / "study.csv"
    table.write_text(f"id,video\np3,{study.parent / 'corrupt.mp4'}\n")
    options = [word for name, value in OPTIONS.items() for word in (flag(name), value)]
    result = CliRunner().invoke(app, ["cohort", str(table), "--out", str(tmp_path / "out"), "--json", *options])
    assert result.exit_code == 3
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [event["event"] for event in events if event["event"] != "progress"] == ["failed", "end"]
    assert events[-1]["tables"]["failures"] == [{"recording": "p3", "error": events_line(events)}]


def flag(name: str) -> str:
    return f"--{name.removesuffix('_place').replace('_', '-')}"


def events_line(events: list[dict[str, str]]) -> str:
    return next(event["error"] for event in events if event["event"] == "failed")
