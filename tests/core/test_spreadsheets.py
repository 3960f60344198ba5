"""Spreadsheets are read within bounds."""

from __future__ import annotations

import datetime
import zipfile
from pathlib import Path

import pytest

from haustra.core import spreadsheets
from haustra.core.errors import HaustraError
from haustra.core.spreadsheets import parse_table, read_words
from haustra.core.times import parse_time

openpyxl = pytest.importorskip("openpyxl")


def workbook(target: Path, rows: list[list[object]]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(target)
    return target


def test_times_of_day_are_refused_and_durations_are_seconds(tmp_path: Path) -> None:
    rows = [["time", "x"], [datetime.time(0, 3, 5), 1.0], [datetime.timedelta(seconds=70), "a"]]
    table = read_words(workbook(tmp_path / "t.xlsx", rows), "time")
    assert table.rows() == [("185.0", "1"), ("70.0", "a")]
    with pytest.raises(
        HaustraError, match=r"t\.xlsx, line 2, time: 12:40:00 is a time of day: format the column as te"
    ):
        read_words(workbook(tmp_path / "t.xlsx", [["time"], [datetime.time(12, 40)]]), "time")


@pytest.mark.parametrize(
    ("member", "before", "element"),
    [
        ("xl/worksheets/sheet1.xml", "</row></sheetData>", "<c/>"),
        ("xl/styles.xml", "</cellXfs>", '<xf numFmtId="0"/>'),
    ],
)
def test_a_small_workbook_of_millions_of_elements_is_refused_unread(
    member: str, before: str, element: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every four bytes an object of 300 was made: a workbook of 21 kB took 750 MB."""
    sound = workbook(tmp_path / "sound.xlsx", [["time"], [1]])
    with (
        zipfile.ZipFile(sound) as given,
        zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in given.namelist():
            content = given.read(name).decode()
            if name == member:
                assert before in content
                content = content.replace(before, element * (spreadsheets.MOST_ELEMENTS + 1) + before)
            archive.writestr(name, content)
    assert (tmp_path / "bomb.xlsx").stat().st_size < 300_000
    monkeypatch.setattr(openpyxl, "load_workbook", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(HaustraError, match=r"bomb\.xlsx is too large: 1250\d{3} cells and formats"):
        parse_table((tmp_path / "bomb.xlsx").read_bytes(), "bomb.xlsx")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_a_workbook_declares_no_entities(encoding: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/a.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'.encode(encoding))
    with pytest.raises(HaustraError, match=r"declares a document type in xl/a\.xml"):
        parse_table((tmp_path / "bomb.xlsx").read_bytes(), "bomb.xlsx")


def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * (spreadsheets.MOST_UNPACKED + 1))
    assert (tmp_path / "bomb.xlsx").stat().st_size < 1_000_000
    with pytest.raises(HaustraError, match="at most 67108864 are read"):
        read_words(tmp_path / "bomb.xlsx", "time")


def test_so_is_one_with_too_many_rows_or_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheets, "MOST_ROWS", 3)
    monkeypatch.setattr(spreadsheets, "MOST_COLUMNS", 2)
    data = workbook(tmp_path / "t.xlsx", [["a", "b"]] + [[1, 2]] * 3).read_bytes()
    assert len(parse_table(data, "t.xlsx")[1]) == 3
    for rows in ([["a", "b"]] + [[1, 2]] * 4, [["a", "b", "c"]]):
        with pytest.raises(HaustraError, match="at most 3 rows and 2 columns"):
            parse_table(workbook(tmp_path / "t.xlsx", rows).read_bytes(), "t.xlsx")


@pytest.mark.parametrize("data", [b"PK\x03\x04 nonsense", b"<html>", b"PK"])
def test_what_is_no_workbook_is_one_line(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(data)
    with pytest.raises(HaustraError, match="is not a readable xlsx table"):
        read_words(tmp_path / "t.xlsx", "time")


@pytest.mark.parametrize(
    ("value", "shown_as", "seconds"),
    [
        (datetime.time(12, 40), "h:mm", 760.0),
        (datetime.time(0, 20), "hh:mm;@", 20.0),
        (datetime.time(0, 20), '[$-409]h:mm" s"', 20.0),
        (datetime.timedelta(hours=24, minutes=30), "[h]:mm", 1470.0),
        (datetime.timedelta(minutes=12, seconds=40), "[h]:mm:ss", 760.0),
        (datetime.time(0, 12, 40), "mm:ss", 760.0),
    ],
)
def test_a_time_is_what_its_cell_shows(value: object, shown_as: str, seconds: float, tmp_path: Path) -> None:
    """Whoever types 12:40 for minutes and seconds gets a cell of hours and minutes, which shows 12:40."""
    book = openpyxl.Workbook()
    book.active.append(["time"])
    book.active.append([value])
    book.active["A2"].number_format = shown_as
    book.save(tmp_path / "t.xlsx")
    assert parse_time(read_words(tmp_path / "t.xlsx", "time").item()) == seconds


def test_half_past_noon_is_no_time_in_a_recording(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["time"])
    book.active.append([datetime.time(12, 40)])
    book.active["A2"].number_format = "h:mm AM/PM"
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(HaustraError, match="is a time of day"):
        read_words(tmp_path / "t.xlsx", "time")
