"""The results keep whole outputs with the stamp of the code that printed them, and say when that is not today's."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.results_page import __main__ as command
from benchmarks.results_page import headline, record, sections, stamp, tables, write

from benchmarks import __main__ as bench
from haustra.core.errors import HaustraError

MADE = sections.Section("made", "Made", "Measured on nothing.", "python WORK/made.py")


def run(folder: Path, code: str, section: sections.Section = MADE) -> str:
    """Record a section whose command runs `code`; what is kept of it."""
    (folder / "made.py").write_text(code)
    record.record(section, dict.fromkeys(sections.FOLDERS, None) | {"WORK": folder}, folder)
    return (folder / "made.md").read_text()


def test_what_a_crashed_command_printed_is_not_kept(tmp_path: Path) -> None:
    whole = run(tmp_path, "print('whole')")
    with pytest.raises(HaustraError, match="ended with exit code 1"):
        run(tmp_path, "print('half', flush=True); raise ValueError('crash')")
    assert (tmp_path / "made.md").read_text() == whole
    assert whole.endswith("-->\nwhole\n")


def test_a_broken_limit_is_a_result(tmp_path: Path) -> None:
    assert "BROKEN" in run(tmp_path, f"print('BROKEN'); raise SystemExit({bench.LIMIT_BROKEN})")
    assert bench.LIMIT_BROKEN not in (0, 1, 2), "neither success, nor a crash, nor a wrong argument"


def test_a_limit_is_broken_with_its_own_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    module = type(sys)("made")
    module.run, module.LIMITS = lambda: {"figure": 2.0}, {"figure": 1.0}
    monkeypatch.setattr(bench.importlib, "import_module", lambda _: module)
    assert bench.main(["video"]) == bench.LIMIT_BROKEN
    module.LIMITS = {"figure": 3.0}
    assert bench.main(["video"]) == 0


def test_what_others_measured_cannot_be_recorded(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="measured by others"):
        run(tmp_path, "", replace(MADE, command=None))


def test_wrong_names_and_missing_folders_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["nonsense"]) == 2
    assert "no section nonsense: there are" in capsys.readouterr().err
    assert command.main(["coverage"]) == 2
    assert "needs --cohort (simulated recordings of 'haustra simulate cohort')" in capsys.readouterr().err


def test_folders_stand_in_for_their_names() -> None:
    folders: record.Folders = dict.fromkeys(sections.FOLDERS, Path("/some where"))
    assert record.filled("python -m x COHORT/set1 --work WORK", folders) == (
        "python -m x '/some where'/set1 --work '/some where'"
    )
    for section in sections.sections().values():
        named = set(re.findall(r"(?<![=\w])[A-Z]{4,}\b", section.command or ""))
        assert named <= {*sections.FOLDERS, "SCALE"}, section.command


def test_nothing_printed_says_where_folders_lie(tmp_path: Path) -> None:
    printed = f"tables written to {(tmp_path / 'times').resolve()}"
    assert record.without_places(printed, {"WORK": tmp_path, "DATA": None}) == "tables written to WORK/times"
    nested: record.Folders = {"COHORT": tmp_path.parent, "WORK": tmp_path}
    assert record.without_places(printed, nested) == "tables written to WORK/times"


def test_a_section_of_older_code_says_so_by_itself(tmp_path: Path) -> None:
    run(tmp_path, "print('figures')")
    today = stamp.stamp_today()
    assert "with today's parameters and models" in write.section_text(MADE, today, tmp_path)
    retrained = replace(today, models="0" * 12)
    assert "; models changed since" in write.section_text(MADE, retrained, tmp_path)
    tuned = replace(retrained, parameters="0" * 12)
    assert "; parameters and models changed since" in write.section_text(MADE, tuned, tmp_path)
    (tmp_path / "made.md").write_text("<!-- recorded 2026-11-16 by 0.1.0 -->\nfigures\n")
    assert "by version 0.1.0, before digests were kept" in write.section_text(MADE, today, tmp_path)


def test_a_section_without_a_row_that_its_command_prints_today_says_so(tmp_path: Path) -> None:
    run(tmp_path, "print('| ours | 0.1 |')")
    newer, today = replace(MADE, shows="the paper's index"), stamp.stamp_today()
    assert "`the paper's index` was added to its command" in write.section_text(newer, today, tmp_path)
    run(tmp_path, "print('| the paper\\'s index | 0.2 |')")
    assert "added to its command" not in write.section_text(newer, today, tmp_path)


def test_what_has_no_stamp_is_refused(tmp_path: Path) -> None:
    (tmp_path / "made.md").write_text("figures\n")
    with pytest.raises(ValueError, match="no line that says when"):
        write.section_text(MADE, stamp.stamp_today(), tmp_path)


def test_the_pages_are_those_of_what_is_recorded(tmp_path: Path) -> None:
    write.write_pages(tmp_path)
    made = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.md")}
    there = {path.name: path.read_text(encoding="utf-8") for path in write.PAGES_FOLDER.glob("*.md")}
    assert made == there, "run python -m benchmarks.results_page"


def test_everything_recorded_is_on_a_page() -> None:
    assert {path.stem for path in record.RESULTS.glob("*.md")} <= set(sections.sections())


def test_the_index_is_one_page() -> None:
    text = headline.headline(stamp.stamp_today())
    assert len(text.splitlines()) <= 150


def test_no_table_of_simulated_rows_is_called_endoslam() -> None:
    titles = re.findall(r"^\*\*(.*EndoSLAM.*)\*\*", (record.RESULTS / "reproduce_small.md").read_text(), re.MULTILINE)
    assert titles == []


def test_figures_are_found_by_row_and_column(tmp_path: Path) -> None:
    printed = (
        "| set | n | error |\n|---|---|---|\n| a | 1 | 0.1 |\n| a | 2 | 0.2 |\n\n|  | x |\n|---|---|\n| b | 0.3 |\n"
    )
    record.keep(tmp_path / "made.md", printed)
    assert tables.Cell("made", "a / 2", "error").text(tmp_path) == "0.2"
    assert tables.Cell("made", "b", "x", 1).text(tmp_path) == "0.3"
    with pytest.raises(HaustraError, match="no row 'c' with a column 'x' in table 1"):
        tables.Cell("made", "c", "x", 1).text(tmp_path)
