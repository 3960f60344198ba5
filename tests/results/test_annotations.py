"""annotations.json: what is read, what is refused, and that it comes back as it was written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from haustra.core.errors import HaustraError
from haustra.results.annotations import (
    FORMAT,
    TIMES,
    Annotations,
    Comment,
    NotedFinding,
    Sighting,
    parse_annotations,
    read_annotations_file,
    to_json,
)


def given(**more: Any) -> bytes:
    return json.dumps({"format": FORMAT, **more}).encode()


def test_everything_comes_back_as_it_was_written(tmp_path: Path) -> None:
    annotations = Annotations(
        FORMAT,
        recording="0a" * 32,
        by="Dr. Ä 結",
        version=3,
        times_s={"cecum": 12.0, "transverse": 61.25, "stop": 300.5},
        begins="cecum",
        ends=0.9,
        sightings=(Sighting("retroflexion", 290.0),),
        findings=(NotedFinding("polyp", 70.0, 4.5, "<b>flat</b>"),),
        comments=(Comment("prep poor"), Comment("fold", 80.0)),
        reviewed=True,
    )
    file = tmp_path / "annotations.json"
    file.write_bytes(to_json(annotations))
    assert read_annotations_file(file) == annotations
    assert annotations.boundaries_s == {2: 61.25}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (given(times_s={"liver": 3}), "'liver' is not a time of a withdrawal: choose from cecum"),
        (given(times_s={"rectum": 3, "sigmoid": 4}), "must not decrease"),
        (given(times_s={"cecum": 3, "stop": 3}), "must not decrease"),
        (given(times_s={"rectum": -1}), ">= 0"),
        (given(times_s={"rectum": 1e9}), "<= 172800"),
        (given(times_s={"rectum": "3:05"}), "expected 'float', got 'str'"),
        (given(findings=[{"kind": "polyp"}]), "'findings[0]': object missing required field 'time_s'"),
        (given(findings=[{"kind": "polyp", "time_s": 1, "size_mm": 0}]), "> 0"),
        (given(sightings=[{"kind": "appendix", "time_s": 1}]), "'sightings[0].kind' is 'appendix': invalid enum value"),
        (given(comments=[{"text": "x" * 2001}]), "length <= 2000"),
        (given(begins="liver"), "'begins' is 'liver': invalid enum value"),
        (given(ends=1.5), "<= 1"),
        (given(by="x" * 101), "length <= 100"),
        (given(version=-1), ">= 0"),
        (given(recording="../../etc/passwd"), "regex"),
        (given(path="/etc/passwd"), "unknown field 'path'"),
        (b'{"format": "haustra-annotations-9"}', "invalid enum value 'haustra-annotations-9'"),
        (b'{"hepatic": 3, "transverse": 4}', "transverse is given twice"),
        (b'{"hepatic": 1' + b"0" * 400 + b"}", "is not a"),
        (b'{"hepatic": true}', "'True' is not a time"),
        (b"\xff\xfe{", "not a readable JSON file"),
        (b"[" * 100_000, "not a readable JSON file"),
        (b" " * 5_000_000, "larger than 4 MB"),
    ],
)
def test_what_is_wrong_is_one_line_that_names_the_file(data: bytes, says: str) -> None:
    with pytest.raises(HaustraError) as refused:
        parse_annotations(data, "mine.json")
    assert says in str(refused.value)
    assert str(refused.value).startswith("mine.json")
    assert "\n" not in str(refused.value)


def test_a_bare_object_may_hold_some_times_as_a_user_writes_them() -> None:
    found = parse_annotations(b'{"splenic": "4:10", "rectum": 400, "stop": "8:20"}', "some.json")
    assert found.times_s == {"descending": 250.0, "rectum": 400.0, "stop": 500.0}
    assert found.format == TIMES, "it says nothing about findings"
    with pytest.raises(HaustraError, match="no such file"):
        read_annotations_file(Path("nowhere.json"))
