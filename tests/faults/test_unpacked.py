"""Small files that would become large when they are read are refused by what they say of themselves."""

from __future__ import annotations

import io

import polars as pl
import pytest

from haustra.core import csv_dialect, files
from haustra.core.checked_tables import MOST_CELLS, MOST_ROWS, parse_parquet
from haustra.core.csv_dialect import parse_csv
from haustra.core.errors import HaustraError
from haustra.core.records import decode_record
from haustra.options import MOST_TOML, parse_options_file


def _parquet(table: pl.DataFrame | pl.LazyFrame) -> bytes:
    made = io.BytesIO()
    table.lazy().collect().write_parquet(made)
    return made.getvalue()


def test_a_table_has_so_many_cells() -> None:
    """40 columns of a million equal numbers are 124 kB as a file, and 320 MB as a table."""
    rows = 1_000_000
    one = pl.repeat(False, rows, eager=True)
    data = _parquet(pl.DataFrame({f"c{n}": one for n in range(MOST_CELLS // rows + 1)}))
    assert len(data) < 1_000_000
    with pytest.raises(HaustraError, match="says it has 1000000 rows of 101 columns: at most"):
        parse_parquet(data, "t.parquet")
    with pytest.raises(HaustraError, match=f"says it has {MOST_ROWS + 1} rows of 1 columns: at most"):
        parse_parquet(_parquet(pl.select(a=pl.repeat(False, MOST_ROWS + 1))), "t.parquet")


def test_a_cell_of_a_table_has_one_value() -> None:
    with pytest.raises(HaustraError, match=r"the column a holds List\(Float64\): a cell has one value"):
        parse_parquet(_parquet(pl.DataFrame({"a": [[0.0] * 1000]})), "t.parquet")


def test_a_header_has_so_many_columns() -> None:
    data = b"," * csv_dialect.MOST_COLUMNS + b"\n1\n"
    with pytest.raises(HaustraError, match="has 2001 columns: at most 2000 are read"):
        parse_csv(data, "t.csv")


def test_options_are_few() -> None:
    """A key of 64 kB of dots would take 4 GB."""
    assert parse_options_file(b"# " + b"x" * 1000, "haustra.toml") == {}
    with pytest.raises(HaustraError, match="bytes: at most"):
        parse_options_file(b"a" + b".a" * MOST_TOML + b" = 1", "haustra.toml")


def test_json_is_bounded_wherever_it_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("haustra.core.records.MOST_TEXT", 10)
    assert files.MOST_TEXT <= 64 << 20
    with pytest.raises(HaustraError, match="has 12 bytes: at most 10 are read"):
        decode_record(b"[[],[],[],1]", object, "a.json")
