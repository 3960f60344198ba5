"""Runs of frames in one segment."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from haustra.anatomy.decoder import Decoded
from haustra.anatomy.intervals import (
    boundaries_of,
    entry_times,
    intervals_table,
    segment_runs,
    steady_segments,
)
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.parameters import DecoderParameters
from haustra.core.vocabulary import SEGMENTS, Naming

PARAMETERS = DecoderParameters()
SHORT, LONG = int(PARAMETERS.shortest_visit_s * 10) - 1, int(PARAMETERS.shortest_visit_s * 10) + 1


def rows(*runs: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Ten frames a second from 5 s on; each run is a segment and how many frames it lasts."""
    segment = np.repeat([segment for segment, _ in runs], [count for _, count in runs]).astype(np.int64)
    return 5 + np.arange(len(segment)) / 10, segment


def test_a_short_visit_belongs_to_the_segment_around_it() -> None:
    time_s, segment = rows((3, 50), (4, 9), (3, LONG), (4, 80), (5, SHORT), (6, 40))
    steady = steady_segments(time_s, segment, PARAMETERS)
    assert (steady == rows((3, 59 + LONG), (4, 80), (5, SHORT), (6, 40))[1]).all(), "what is passed once is no visit"


def test_of_a_flicker_the_shortest_goes_first() -> None:
    time_s, segment = rows((5, 80), (6, 20), (5, 10), (6, 40))
    assert (steady_segments(time_s, segment, PARAMETERS) == rows((5, 80), (6, 70))[1]).all()


def test_a_long_visit_is_a_re_entry_and_says_so() -> None:
    time_s, segment = rows((3, 50), (4, LONG), (3, LONG), (4, 80))
    steady = steady_segments(time_s, segment, PARAMETERS)
    assert (steady == segment).all()
    runs = segment_runs(time_s, steady)
    assert [(run.segment, run.re_entered) for run in runs] == [(3, False), (4, False), (3, True), (4, True)]
    assert [run.end_s for run in runs[:-1]] == [run.start_s for run in runs[1:]], "no time is lost between runs"
    assert (runs[0].start_s, runs[0].last) == (5.0, 49)
    assert np.isclose(runs[-1].end_s, time_s[-1] + 0.1)
    assert entry_times(time_s, steady) == {3: 10.0}, "entered is when it was entered first"


def test_frames_without_a_segment_join_nothing() -> None:
    time_s, segment = rows((0, 4), (3, 9), (0, 2), (4, 9), (0, 1), (3, 9))
    assert (steady_segments(time_s, segment, PARAMETERS) == segment).all()
    assert [run.segment for run in segment_runs(time_s, segment)] == [3, 4, 3]
    assert segment_runs(np.empty(0), np.empty(0, np.int64)) == []


def test_only_boundaries_that_were_passed_were_entered() -> None:
    time_s, segment = rows((2, 10), (3, 10), (5, 10))
    assert entry_times(time_s, segment) == {2: 6.0, 3: 7.0, 4: 7.0}
    assert entry_times(time_s, np.zeros_like(segment)) == {}


def decoded() -> Decoded:
    return Decoded(
        np.linspace(0.1, 0.9, 5), np.full(5, 0.02), np.arange(15.0).reshape(5, 3) / 7, np.full((10, 6), 1 / 6),
        {"time": np.linspace(0, 1, 5), "location": np.linspace(1, 0, 5)},
    )  # fmt: skip


def test_boundaries_say_what_the_frames_say_and_who_set_them() -> None:
    time_s, segment = np.arange(10.0), np.array([0, 2, 2, 3, 3, 3, 5, 5, 5, 5])
    found = [boundary.as_dict() for boundary in boundaries_of(time_s, segment, Naming.DECODER, decoded())]
    assert [(one["segment"], one["entered_s"]) for one in found] == [
        ("transverse", 3.0), ("descending", 6.0), ("sigmoid", 6.0),
    ]  # fmt: skip
    assert found[0]["between_s"] == [round(3 / 7, 3), 3.0], "the frames' own answer lies within"
    assert (found[0]["decided_by"], found[0]["set_by"]) == ({"time": 0.25, "location": 0.75}, "decoder")
    marks = (Landmark(2, 3.2, by="Dr. A"), Landmark(5, 9.0, by="Dr. B"), Landmark(3, 1.0, 4.0))
    given = [boundary.as_dict() for boundary in boundaries_of(time_s, segment, Naming.DECODER, decoded(), marks)]
    assert (given[0]["between_s"], given[0]["decided_by"], given[0]["set_by"]) == (
        [3.0, 3.0],
        {"landmark": 1.0},
        "Dr. A",
    )
    assert given[1:3] == found[1:]
    assert (given[3]["segment"], given[3]["set_by"]) == ("rectum", "Dr. B"), "what was set is there, passed or not"
    assert boundaries_of(time_s, np.zeros(10, np.int64), Naming.DECODER) == ()
    assert boundaries_of(time_s, segment, Naming.TEMPLATE)[0].between_s is None


def test_the_table_of_intervals_is_that_of_the_frames() -> None:
    time_s, segment = rows((2, 50), (3, LONG), (2, LONG), (3, 80))
    table = pl.DataFrame(
        {
            "frame": np.arange(len(time_s)) + 7,
            "time_s": time_s,
            "kept": np.arange(len(time_s)) % 2 == 0,
            "segment": [SEGMENTS[k - 1] for k in segment],
            **{f"p_{name}": np.where(segment == k, 0.8, 0.04) for k, name in enumerate(SEGMENTS, 1)},
        }
    )
    found = intervals_table(table, {"ascending": "found", "transverse": "Dr. A"}, "decoder")
    assert found["segment"].to_list() == ["ascending", "transverse", "ascending", "transverse"]
    assert found["entered_by"].to_list() == ["found", "Dr. A", "decoder", "decoder"]
    assert found["re_entered"].to_list() == [False, False, True, True]
    assert found.row(0)[1:6] == (5.0, 10.0, 5.0, 7, 56)
    assert found["duration_s"].sum() == pytest.approx(time_s[-1] - time_s[0] + 0.1)
    assert found["probability"].to_list() == pytest.approx([0.8] * 4)
    assert found["kept_share"][0] == 0.5
    unnamed = intervals_table(table.with_columns(segment=pl.lit("")), {}, "decoder")
    assert (unnamed.height, unnamed.columns) == (0, found.columns)
