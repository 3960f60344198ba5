"""Which recordings an argument stands for, and under which id."""

from __future__ import annotations

import logging
import unicodedata
from datetime import time
from pathlib import Path
from typing import Any

import pytest

from haustra.cohort.entries import Entry, find_entries
from haustra.cohort.videos import clean_id
from haustra.core.errors import HaustraError
from haustra.core.option import is_id
from haustra.options import RECORDING_OPTIONS, LocateOptions
from option_values import as_toml, two_values


def touched(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")


def found(tmp_path: Path, *inputs: str) -> dict[str, str]:
    entries = find_entries([str(tmp_path / given) for given in inputs], str(tmp_path / "out"))
    return {entry.id: str(Path(entry.video).relative_to(tmp_path)) for entry in entries}


def test_a_folder_stands_for_all_videos_below_it_but_not_for_results(tmp_path: Path) -> None:
    touched(tmp_path, "b.mp4", "deep/a.MKV", "notes.txt", ".hidden.mp4", "out/recordings/x/overlay.mp4")
    touched(tmp_path, "r/overlay.mp4", "r/frames.parquet")
    assert found(tmp_path, ".") == {"b": "b.mp4", "deep-a": "deep/a.MKV"}


def test_a_pattern_stands_for_the_videos_that_match(tmp_path: Path) -> None:
    touched(tmp_path, "x1.mp4", "x2.mp4", "y.mp4", "x3.csv")
    assert found(tmp_path, "x*", "y.mp4") == {"x1": "x1.mp4", "x2": "x2.mp4", "y": "y.mp4"}


def test_equal_names_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    touched(tmp_path, "one/video.mp4", "two/video.mp4")
    ids = list(found(tmp_path, "."))
    assert len(set(ids)) == 2
    assert all(name.endswith(f"{place}-video") for name, place in zip(ids, ("one", "two"), strict=True))


def test_ids_are_whole(tmp_path: Path) -> None:
    touched(tmp_path, "study/PatA/1.mpg", "study/PatA/2.mpg", "study/PatB/1.mpg", "study/x.mpg", "other/x.mpg")
    inside = {"PatA-1", "PatA-2", "PatB-1"}
    assert set(found(tmp_path, "study")) == {*inside, "x"}
    assert set(found(tmp_path, "study/*/*.mpg")) == inside
    assert set(found(tmp_path, "study/PatA/1.mpg", "study/PatA/2.mpg", "study/PatB/1.mpg")) == inside
    assert set(found(tmp_path, "study/PatA/1.mpg", "study/PatA/2.mpg")) == {"1", "2"}
    assert set(found(tmp_path, "study", "other")) == {*inside, "study-x", "other-x"}
    (tmp_path / "study.csv").write_text("video\nstudy/PatA/1.mpg\nstudy/PatB/1.mpg\n")
    assert set(found(tmp_path, "study.csv")) == {"study-PatA-1", "study-PatB-1"}


def test_a_cell_with_semicolons_names_parts(tmp_path: Path) -> None:
    touched(tmp_path, "odd;name.mp4")
    (tmp_path / "study.csv").write_text('id,video\na,"x/1.mpg; x/2.mpg;s3://b/3.mpg"\nb,odd;name.mp4\nc,x/1.mpg;\n')
    a, b, c = find_entries([str(tmp_path / "study.csv")], "out")
    assert a.videos == (str(tmp_path / "x/1.mpg"), str(tmp_path / "x/2.mpg"), "s3://b/3.mpg")
    assert b.videos == (str(tmp_path / "odd;name.mp4"),)
    assert c.videos == (str(tmp_path / "x/1.mpg"),)


def test_folders_hold_parts_where_the_user_says_so(tmp_path: Path) -> None:
    touched(tmp_path, "s/PatA/1.mpg", "s/PatA/2.mpg", "s/PatA/10.mpg", "s/PatB/1.mpg", "s/r/C/a.mpg", "s/r/C/b.mpg")
    entries = find_entries([str(tmp_path / "s")], str(tmp_path / "out"), parts=True)
    names = {entry.id: [Path(video).name for video in entry.videos] for entry in entries}
    assert names == {"PatA": ["1.mpg", "2.mpg", "10.mpg"], "PatB": ["1.mpg"], "r-C": ["a.mpg", "b.mpg"]}
    (entry,) = find_entries([str(tmp_path / "s/PatA")], str(tmp_path / "out"), parts=True)
    assert entry.id == "PatA"
    (entry,) = find_entries([str(tmp_path / f"s/PatA/{n}.mpg") for n in (1, 2)], "out", parts=True)
    assert (entry.id, len(entry.videos)) == ("PatA", 2)


def test_names_become_ids_that_are_good_folders(tmp_path: Path) -> None:
    touched(tmp_path, "Ärzte & co (2).mp4")
    assert list(found(tmp_path, ".")) == ["Arzte_co_2_"]


def test_names_that_differ_in_letters_no_id_has_stay_apart() -> None:
    """And a name is the same one however a system writes its accents; a device of Windows is no folder."""
    names = ("Müller", "Möller", "田中", "山本", "田中 2", "nul", "con.1", "Straße")
    ids = [clean_id(name) for name in names]
    assert ids[:2] == ["Muller", "Moller"]
    assert len({one.casefold() for one in ids}) == len(names)
    assert all(is_id(one) for one in ids)
    assert [clean_id(unicodedata.normalize("NFD", name)) for name in names] == ids
    assert (clean_id("nul"), clean_id("con.1")) == ("nul_", "con_.1")


def test_nothing_found_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="no recording was found"):
        found(tmp_path, ".")


def test_a_table_gives_options_files_and_ids(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "lens.json").write_text("{}")
    table = tmp_path / "study.csv"
    table.write_text(
        "ID;Video;Withdrawal start;camera;template;annotations;Name of the patient\n"
        "007;rooms/1.mp4;12:40;lens.json;paper-set2;a.json;Doe\n"
        ";2.mp4;;;;;\n"
    )
    with caplog.at_level(logging.WARNING):
        first, second = find_entries([str(table)], str(tmp_path / "out"), {"camera": "generic", "fps": "15"})
    assert first == Entry(
        "007",
        str(tmp_path / "rooms/1.mp4"),
        {
            "camera": str(tmp_path / "lens.json"),
            "fps": "15",
            "withdrawal_start": "12:40",
            "template": "paper-set2",
            "overlay": False,
        },
        {"annotations": str(tmp_path / "a.json")},
    )
    assert (second.id, second.options) == ("2", {"camera": "generic", "fps": "15", "overlay": False})
    assert "not used: Name of the patient" in caplog.text
    assert "Doe" not in caplog.text


@pytest.mark.parametrize("name", RECORDING_OPTIONS)
def test_every_option_of_locate_is_a_column_and_an_option_for_all(name: str, tmp_path: Path) -> None:
    """A cell wins over the command, the command over haustra.toml; files are relative to where they are written."""
    option = RECORDING_OPTIONS[name]
    first, second = two_values(option)
    cell = str(second).lower() if isinstance(second, bool) else str(second)
    study = tmp_path / "study"
    study.mkdir()
    (study / "haustra.toml").write_text(f"{name} = {as_toml(first)}\n")
    (tmp_path / "table.csv").write_text(f"video,{name}\nstudy/1.mp4,{cell}\nstudy/2.mp4,\n")

    def found(common: dict[str, Any]) -> list[LocateOptions]:
        entries = find_entries([str(tmp_path / "table.csv")], "out", common)
        return [LocateOptions(**entry.options) for entry in entries]

    def wanted(value: Any, folder: Path) -> LocateOptions:
        return LocateOptions(**{"overlay": False, name: option.with_files(value, lambda file: str(folder / file))})

    assert found({}) == [wanted(second, tmp_path), wanted(first, study)]
    assert found({name: second}) == [wanted(second, tmp_path), wanted(second, Path.cwd())]


def test_several_landmarks_stand_in_one_cell(tmp_path: Path) -> None:
    (tmp_path / "study.csv").write_text('video,landmarks\na.mp4,"hepatic=3:05, times.json"\n')
    (entry,) = find_entries([str(tmp_path / "study.csv")], "out")
    assert entry.options["landmarks"] == ["hepatic=3:05", str(tmp_path / "times.json")]


def test_a_mistake_in_what_holds_for_all_stops_the_command(tmp_path: Path) -> None:
    touched(tmp_path, "a.mp4")
    for common, complaint in (
        ({"fps": "fast"}, "^--fps: 'fast' is not"),
        ({"threads": 2}, "^unknown option 'threads'"),
    ):
        with pytest.raises(HaustraError, match=complaint):
            find_entries([str(tmp_path)], "out", common)
    (tmp_path / "haustra.toml").write_text("lens = 'a.json'\n")
    with pytest.raises(HaustraError, match=r"haustra\.toml: unknown option 'lens': choose from withdrawal_start,"):
        find_entries([str(tmp_path)], "out")


def test_a_spreadsheet_is_read_like_a_csv_table(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["id", "video", "withdrawal_start", "fps"], [17, "a.mp4", time(0, 12, 40), 25.0], [None] * 4):
        book.active.append(row)
    book.save(tmp_path / "study.xlsx")
    (entry,) = find_entries([str(tmp_path / "study.xlsx")], "out")
    assert (entry.id, entry.options) == ("17", {"withdrawal_start": "760.0", "fps": "25", "overlay": False})


def test_a_time_of_day_in_a_spreadsheet_is_refused(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["video", "withdrawal_start"], ["a.mp4", time(12, 40)]):
        book.active.append(row)
    book.save(tmp_path / "study.xlsx")
    with pytest.raises(HaustraError, match=r"line 2, withdrawal_start: 12:40:00 is a time of day: format the column"):
        find_entries([str(tmp_path / "study.xlsx")], "out")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("id,file\n1,a.mp4\n", "has the columns id, file: needed is 'video'"),
        ("id,video\n1,\n", "names no video"),
        ("id,video\n../x,a.mp4\n", "the id '../x' is not possible"),
        ("id,video\nA,a.mp4\na,b.mp4\n", "would both be 'a'"),
        ("id,video,Video\n1,a.mp4,b.mp4\n", "has the column video twice"),
    ],
)
def test_a_table_that_cannot_be_meant_is_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "study.csv").write_text(text)
    with pytest.raises(HaustraError, match=complaint):
        find_entries([str(tmp_path / "study.csv")], "out")
