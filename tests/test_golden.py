"""The same observations give the same table, or the identity of a run has changed; nothing is renewed in silence."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

import golden
from haustra.core.files import read_json, write_json


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return golden.made()


def test_the_bundled_observations_give_the_kept_table(table: pl.DataFrame) -> None:
    found = golden.difference(pl.read_parquet(golden.TABLE), table)
    same = read_json(golden.IDENTITY) == golden.identity()
    advice = "raise the version, then" if same else "the identity has changed, so"
    assert not found, f"{found}: if that is meant, {advice} run `python tests/golden.py`"


def test_the_kept_table_belongs_to_todays_identity() -> None:
    """Else the next change of the code would be taken for that of a parameter."""
    assert read_json(golden.IDENTITY) == golden.identity(), "run `python tests/golden.py`"


def test_a_table_is_not_renewed_under_the_same_identity(
    table: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TABLE", "IDENTITY"):
        copy = tmp_path / getattr(golden, name).name
        shutil.copyfile(getattr(golden, name), copy)
        monkeypatch.setattr(golden, name, copy)
    moved = table.with_columns(pl.col("location_index") + 0.001)
    monkeypatch.setattr(golden, "made", lambda: moved)
    before = golden.TABLE.read_bytes()
    assert "location_index differs by up to 0.001 under the same identity" in golden.renew()
    assert golden.TABLE.read_bytes() == before
    write_json(golden.IDENTITY, golden.identity() | {"haustra": "0.0.1"})
    assert golden.renew() == ""
    assert golden.difference(pl.read_parquet(golden.TABLE), moved) == ""
    assert read_json(golden.IDENTITY) == golden.identity()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (pl.col("p_sigmoid") + 0.01, "p_sigmoid differs"),
        (pl.lit("rectum").alias("segment"), "segment is the same"),
        (pl.lit(None, pl.Float32).alias("tx"), "tx is known in other rows"),
        (pl.col("time_s") + 0.1, "other times"),
    ],
)
def test_what_is_another_is_told(table: pl.DataFrame, change: pl.Expr, told: str) -> None:
    assert told in golden.difference(table, table.with_columns(change))


def test_no_picture_is_bundled() -> None:
    assert not golden.observations().thumbnails
    assert sum(path.stat().st_size for path in golden.FOLDER.iterdir()) < 200_000
