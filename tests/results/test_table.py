"""The table's columns have one place, one order and one type each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from haustra.core.errors import HaustraError
from haustra.core.vocabulary import Reason
from haustra.results.table import SCHEMA, frames_table, pose_columns, poses_of, read_frames, write_frames


def test_columns_come_in_the_order_and_the_types_of_the_schema() -> None:
    table = frames_table({"reason": [Reason.FORCEPS, Reason.KEPT], "time_s": np.array([0, 1]), "frame": [0.0, 1.0]})
    assert table.columns == ["frame", "time_s", "reason"]
    assert [table.schema[name] for name in table.columns] == [SCHEMA[name] for name in table.columns]
    assert table["reason"].to_list() == ["forceps", ""]


def test_numbers_that_are_not_known_are_empty_cells() -> None:
    assert frames_table({"location_index": np.array([0.5, np.nan])})["location_index"].to_list() == [0.5, None]


def test_a_column_that_the_format_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="no such columns"):
        frames_table({"speed": [1.0]})


def test_poses_survive_the_table(tmp_path: Path) -> None:
    T = np.tile(np.eye(4), (3, 1, 1))
    T[:, :3, 3] = np.arange(9).reshape(3, 3)
    T[1] = np.nan
    write_frames(
        tmp_path, frames_table({"time_s": np.arange(3.0), **pose_columns(T), "location_index": np.arange(3) / 2})
    )
    np.testing.assert_allclose(poses_of(read_frames(tmp_path)), T)


def test_a_table_of_something_else_is_one_line(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "frames.parquet")
    with pytest.raises(HaustraError, match="no column time_s, location_index"):
        read_frames(tmp_path)
