"""Tables as people have them, and as spreadsheets must not run them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from haustra.anatomy.findings import Finding
from haustra.anatomy.findings_file import read_findings
from haustra.core.csv_dialect import parse_csv, without_formulas
from haustra.core.errors import HaustraError
from haustra.core.spreadsheets import read_words
from haustra.path.indices import read_scopeguide
from haustra.results.table import write_csv

COMMAS = "time_s,label,score\n10.5,Polyp groß,2.5\n1:02.5,biopsy,\n"
FOUND = (Finding(10.5, "Polyp groß", 2.5), Finding(62.5, "biopsy", None))
DIALECTS = {
    "commas": COMMAS.encode(),
    "semicolons": COMMAS.replace(",", ";").encode(),
    "tabs": COMMAS.replace(",", "\t").encode(),
    "decimal commas": COMMAS.replace(",", ";").replace(".", ",").encode(),
    "byte order mark": COMMAS.encode("utf-8-sig"),
    "UTF-16": COMMAS.replace(",", "\t").encode("utf-16"),
    "Latin-1": COMMAS.encode("latin-1"),
    "Windows line ends": COMMAS.replace("\n", "\r\n").encode(),
    "a hint for Excel": b"sep=,\r\n" + COMMAS.encode(),
    "empty columns": COMMAS.replace("\n", ",,\n").encode(),
    "empty cells behind the last column": (COMMAS.replace("2.5\n", "2.5,,\n") + ",,,,\n").encode(),
    "capitals and spaces": COMMAS.replace("time_s", " Time_S ").encode(),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_findings_are_read_in_every_dialect(dialect: str, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_bytes(DIALECTS[dialect])
    assert read_findings(tmp_path / "f.csv") == FOUND


def test_so_are_lengths_of_scopeguide(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("time_s;length_cm;note\n1,5;90,25;x\n0,5;91;y\n")
    time_s, length_cm = read_scopeguide(tmp_path / "s.csv")
    assert (time_s.tolist(), length_cm.tolist()) == ([0.5, 1.5], [91.0, 90.25])


@pytest.mark.parametrize("second", ["Label", "label", '" label"'])
def test_a_column_that_is_there_twice_is_named(second: str, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text(f"time_s,label,{second}\n1,a,b\n")
    with pytest.raises(HaustraError, match="column label twice"):
        read_words(tmp_path / "f.csv", "label")


def test_a_row_with_more_cells_than_the_header_is_named(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text('time_s,label\n1,"a, b"\n2,polyp, flat\n')
    with pytest.raises(HaustraError, match=r"f\.csv, line 3: 3 cells, but the header names 2 columns: put a text"):
        read_findings(tmp_path / "f.csv")


@pytest.mark.parametrize("label", ["=1+1", "+1", "-1", "@sum", "\t=1"])
def test_no_label_is_a_formula_in_our_tables(label: str, tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", pl.DataFrame({"label": [label, "polyp", None], "score": [-1.0, 1.0, 2.0]}))
    read = pl.read_csv(tmp_path / "t.csv")
    assert read["label"].to_list() == [f"'{label}", "polyp", None]
    assert read["score"].to_list() == [-1.0, 1.0, 2.0], "numbers stay numbers"


def test_a_table_without_text_is_as_it_was() -> None:
    table = pl.DataFrame({"a": [1, -2], "b": [0.5, -0.5]})
    assert without_formulas(table).equals(table)


def test_lines_may_end_as_on_old_macs() -> None:
    assert parse_csv(b"a,b\r1,2\r3,4\r", "t.csv").rows() == [("1", "2"), ("3", "4")]


def test_a_column_twice_is_refused_whoever_sees_it() -> None:
    """Found by the fuzzer: a line that ends otherwise hid the second name from one of two readers of the header."""
    with pytest.raises(HaustraError, match="has the column segment twice"):
        parse_csv(b"kind,x\ry,segment,SEGMENT \n1,2,3,4\n", "t.csv")
