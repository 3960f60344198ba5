"""The page of results keeps whole outputs only, and commands get their folders as arguments."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as bench
from benchmarks import results_page
from haustra.errors import HaustraError


@pytest.fixture
def section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The section `made` runs the file `tmp_path/made.py`; what is kept of it lies in `tmp_path/results`."""
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(results_page, "HERE", tmp_path)
    monkeypatch.setattr(results_page, "PAGE", tmp_path / "RESULTS.md")
    (tmp_path / "results" / "localisation.md").write_text("")
    monkeypatch.setattr(results_page, "write_readme", lambda: None)
    made = results_page.Section("Made", "python WORK/made.py", "Measured on nothing.")
    monkeypatch.setattr(results_page, "SECTIONS", {"made": made})
    return tmp_path


def run(folder: Path, code: str) -> int:
    (folder / "made.py").write_text(code)
    return results_page.main(["made", "--work", str(folder)])


def test_what_a_crashed_command_printed_is_not_kept(section: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(section, "print('whole')") == 0
    assert run(section, "print('half', flush=True); raise ValueError('crash')") == 2
    assert (section / "results" / "made.md").read_text() == "whole\n"
    assert "ended with exit code 1" in capsys.readouterr().err
    assert "half" not in (section / "RESULTS.md").read_text()


def test_a_broken_limit_is_a_result(section: Path) -> None:
    assert run(section, f"print('BROKEN'); raise SystemExit({bench.LIMIT_BROKEN})") == 0
    assert "BROKEN" in (section / "RESULTS.md").read_text()
    assert bench.LIMIT_BROKEN not in (0, 1, 2), "neither success, nor a crash, nor a wrong argument"


def test_a_limit_is_broken_with_its_own_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    module = type(sys)("made")
    module.run, module.LIMITS = lambda: {"figure": 2.0}, {"figure": 1.0}
    monkeypatch.setattr(bench.importlib, "import_module", lambda _: module)
    assert bench.main(["video"]) == bench.LIMIT_BROKEN
    module.LIMITS = {"figure": 3.0}
    assert bench.main(["video"]) == 0


def test_a_folder_that_is_not_given_is_asked_for(section: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (section / "made.py").write_text("print('x')")
    assert results_page.main(["made"]) == 2
    assert "needs --work (where runs are kept)" in capsys.readouterr().err


def test_folders_stand_in_for_their_names() -> None:
    folders: dict[str, Path | None] = dict.fromkeys(results_page.FOLDERS, Path("/some where"))
    assert results_page.filled("python -m x COHORT/set1 --work WORK", folders) == (
        "python -m x '/some where'/set1 --work '/some where'"
    )
    for section in results_page.SECTIONS.values():
        named = set(re.findall(r"\b[A-Z]{4,}\b", section.command))
        assert named <= set(results_page.FOLDERS), section.command
        assert "HAUSTRA_" not in section.command
    with pytest.raises(HaustraError, match="needs --pairs"):
        results_page.filled("x PAIRS", dict.fromkeys(results_page.FOLDERS))


def test_nothing_printed_says_where_folders_lie(tmp_path: Path) -> None:
    printed = f"tables written to {(tmp_path / 'times').resolve()}"
    assert results_page.without_places(printed, {"WORK": tmp_path, "DATA": None}) == "tables written to WORK/times"
    nested: dict[str, Path | None] = {"COHORT": tmp_path.parent, "WORK": tmp_path}
    assert results_page.without_places(printed, nested) == "tables written to WORK/times"
