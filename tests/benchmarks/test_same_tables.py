"""Two trees side by side: what counts as the same, and what is told of what is not."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from benchmarks.same_tables import differences, report, tree_of

from benchmarks import same_tables
from haustra.core.errors import HaustraError

TABLE = pl.DataFrame(
    {"time_s": [0.0, 0.1, 0.2], "location_index": [0.0, None, math.nan], "segment": ["cecum", "", None]}
)


def test_the_same_bits_are_the_same_empty_cells_and_nan_too() -> None:
    assert differences(TABLE, TABLE.clone()) == []
    text, same = report({"demo": (TABLE, TABLE)})
    assert same
    assert "3 of 3 columns are the same" in text


@pytest.mark.parametrize(
    ("change", "column", "rows"),
    [
        (pl.col("time_s") + pl.Series([0.0, 0.0, 2**-55]), "time_s", 1),
        (pl.Series("location_index", [-0.0, None, math.nan]), "location_index", 1),
        (pl.Series("location_index", [0.0, 0.0, math.nan]), "location_index", 1),
        (pl.Series("segment", ["cecum", None, None]), "segment", 1),
        (pl.col("time_s").cast(pl.Float32), "time_s (Float64, Float32)", 3),
    ],
)
def test_whatever_differs_is_told(change: pl.Expr | pl.Series, column: str, rows: int) -> None:
    (found,) = differences(TABLE, TABLE.with_columns(change))
    assert (found.column, found.rows) == (column, rows)
    text, same = report({"demo": (TABLE, TABLE.with_columns(change))})
    assert not same
    assert column in text


def test_missing_rows_and_new_columns() -> None:
    assert [one.column for one in differences(TABLE, TABLE.head(2))] == ["(rows)"]
    text, same = report({"demo": (TABLE, TABLE.with_columns(basis=pl.lit("seen")))})
    assert same, "a new column changes none of the old ones"
    assert "basis: in one tree only" in text


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_tree_is_a_checkout_or_a_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path / "repository"
    (repository / "src" / "haustra").mkdir(parents=True)
    (repository / "src" / "haustra" / "__init__.py").write_text("# then\n")
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "then"]):
        subprocess.run([*git, *words], check=True)
    (repository / "src" / "haustra" / "__init__.py").write_text("# now\n")
    monkeypatch.setattr(same_tables, "REPOSITORY", repository)
    assert (tree_of(str(repository), tmp_path) / "src" / "haustra" / "__init__.py").read_text() == "# now\n"
    assert (tree_of("HEAD", tmp_path) / "src" / "haustra" / "__init__.py").read_text() == "# then\n"
    with pytest.raises(HaustraError, match="'nonsense' is neither a checkout nor a revision"):
        tree_of("nonsense", tmp_path)
