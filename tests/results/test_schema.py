"""The layout of a result has a version, and every column and key of it a meaning."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from haustra.anatomy.findings import FINDING_COLUMNS, PLACE_COLUMNS
from haustra.anatomy.intervals import INTERVALS
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS
from haustra.results import schema
from haustra.results.folder import open_summary
from haustra.results.table import SCHEMA, read_frames, write_frames

jsonschema = pytest.importorskip("jsonschema")
SEGMENT = {"time_s": 1.0, "share_of_time": 0.1, "speed_percent_per_min": None}
SEGMENT |= {"noninformative_share": None, "dropped_share": 0.5}
WITHDRAWAL = {"duration_s": 6.0, "noninformative_share": 0.0, "dropped_share": 0.5}
SUMMARY = {"haustra": "0.1", "withdrawal": WITHDRAWAL | {"segments": dict.fromkeys(SEGMENTS, SEGMENT)}, "warnings": []}
FRAMES = pl.DataFrame({"time_s": [0.0, 1.0], "location_index": [0.0, 1.0], "kept": [True, False], "segment": ["", ""]})


def test_every_column_has_a_meaning_and_no_other_has() -> None:
    assert list(schema.FRAMES) == list(SCHEMA)
    assert list(schema.INTERVALS) == list(INTERVALS)
    assert list(schema.FINDINGS) == [*FINDING_COLUMNS, *PLACE_COLUMNS]


def test_a_summary_of_another_layout_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "summary.json"
    for version in ({"schema_version": schema.VERSION}, {}):
        source.write_text(json.dumps({**SUMMARY, **version}))
        assert open_summary(source)["haustra"] == "0.1"
    for other in (schema.VERSION + 1, "1", None):
        source.write_text(json.dumps({"schema_version": other}))
        with pytest.raises(HaustraError, match=r"has layout version .*, this program reads 1: use the program"):
            open_summary(source)


def test_so_is_a_table(tmp_path: Path) -> None:
    write_frames(tmp_path, FRAMES)
    assert pl.read_parquet_metadata(tmp_path / "frames.parquet")["schema_version"] == "1"
    assert read_frames(tmp_path).equals(FRAMES)
    FRAMES.write_parquet(tmp_path / "frames.parquet")
    assert read_frames(tmp_path).equals(FRAMES), "older than the versions"
    FRAMES.write_parquet(tmp_path / "frames.parquet", metadata={"schema_version": "2"})
    with pytest.raises(HaustraError, match="has layout version 2"):
        read_frames(tmp_path)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("time_s", ["a", "b"], "the column time_s holds String, numbers are needed"),
        ("location_std", ["0.1", ""], "the column location_std holds String, numbers"),
        ("kept", ["yes", "no"], "the column kept holds String, true and false"),
        ("segment", [1, 2], "the column segment holds Int64, text"),
        ("p_cecum", [[0.1], [0.2]], "the column p_cecum holds List"),
    ],
)
def test_text_where_numbers_belong_is_refused(column: str, values: list[object], message: str, tmp_path: Path) -> None:
    FRAMES.with_columns(pl.Series(column, values)).write_parquet(tmp_path / "frames.parquet")
    with pytest.raises(HaustraError, match=message.replace("(", r"\(")):
        read_frames(tmp_path)


def test_empty_and_whole_numbers_are_numbers(tmp_path: Path) -> None:
    table = FRAMES.with_columns(time_s=pl.Series([0, 1]), location_std=None)
    table.write_parquet(tmp_path / "frames.parquet")
    assert read_frames(tmp_path).height == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"warnings": 3}, "'warnings' is 3: expected 'array', got 'int'"),
        ({"withdrawal": WITHDRAWAL}, "'withdrawal': object missing required field 'segments'"),
        ({"withdrawal": {**SUMMARY["withdrawal"], "dropped_share": 7}}, "'withdrawal.dropped_share' is 7: expected"),
        ({"boundaries": [{"segment": "liver"}]}, r"'boundaries\[0\].segment' is 'liver': invalid enum value"),
        ({"run": {"digest": "../x"}}, "'run.digest' is '../x'"),
    ],
)
def test_what_is_wrong_in_a_summary_is_named(change: dict[str, object], said: str, tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text(json.dumps(SUMMARY | change))
    with pytest.raises(HaustraError, match=rf"summary\.json: {said}"):
        open_summary(tmp_path / "summary.json")


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("time_s", [1.0, 1.0], "the column time_s has 1 in row 0: allowed is more than in the row before"),
        ("time_s", [0.0, None], "the column time_s is empty in row 1"),
        ("location_index", [0.5, 2.0], "the column location_index has 2 in row 1: allowed is from 0 to 1"),
        ("segment", ["", "liver"], "the column segment has 'liver' in row 1: allowed is one of cecum"),
    ],
)
def test_what_is_wrong_in_a_table_is_named(name: str, values: list[object], said: str, tmp_path: Path) -> None:
    FRAMES.with_columns(pl.Series(name, values)).write_parquet(tmp_path / "frames.parquet")
    with pytest.raises(HaustraError, match=said):
        read_frames(tmp_path)


def test_the_schema_of_the_summary_is_one() -> None:
    found = schema.summary_schema()
    jsonschema.Draft202012Validator.check_schema(found)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema_version": "1"}, found)
