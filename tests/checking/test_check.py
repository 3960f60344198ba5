"""`haustra check` from a recording to the verdict, by the library and by the command."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import haustra
from haustra.checking import stretches
from haustra.cli.commands import app
from haustra.demo import DEMO


@pytest.fixture
def few_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "STRETCHES", 3)


@pytest.mark.usefixtures("few_stretches")
def test_the_command_prints_what_the_library_finds() -> None:
    found = haustra.check(DEMO / "video.mp4", camera=DEMO / "camera.json", quiet=True).as_dict()
    result = CliRunner().invoke(
        app, ["check", str(DEMO / "video.mp4"), "--camera", str(DEMO / "camera.json"), "--json"]
    )
    assert result.exit_code == 0
    assert json.loads(result.stdout) == json.loads(json.dumps(found))
    assert found["figures"]["stretches"] == 3
    assert found["lens"]["source"] == "given"
    assert found["verdict"] in ("good", "usable", "do not rely on it")


@pytest.mark.usefixtures("few_stretches")
def test_a_part_is_looked_at_where_one_is_named() -> None:
    part = ["--withdrawal-start", "0:20", "--withdrawal-end", "30"]
    result = CliRunner().invoke(app, ["check", str(DEMO / "video.mp4"), "--camera", "generic", *part, "--quiet"])
    assert result.exit_code == 0
    assert "verdict" in result.stdout.splitlines()[-1]
    found = haustra.check(DEMO / "video.mp4", camera="generic", withdrawal_start=20, withdrawal_end=30, quiet=True)
    assert all(20 <= span.start_s <= span.end_s <= 30 for span in found.fails)


def test_a_name_is_a_function_whatever_was_imported_before() -> None:
    import haustra.checking

    assert callable(haustra.check)
