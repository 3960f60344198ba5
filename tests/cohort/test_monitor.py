"""What is said while a cohort runs."""

from __future__ import annotations

import json

import pytest

from haustra.cohort.monitor import Beat, JsonEvents, Lines, Tally, shown
from haustra.cohort.status import State, Status

FINISHED = Status("a", State.FINISHED, "", "", seconds=2.0, frames=30)
FAILED = Status("b", State.FAILED, "", "", line="no such file or folder: b")
REUSED = Status("c", State.FINISHED, "", "", frames=99, reused=True)


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("haustra.cohort.monitor.time.monotonic", lambda: 1000.0)


def tally(*events: Status | Beat) -> Tally:
    made = Tally(total=5, began=990.0)
    for event in events:
        made.take(event)
    return made


def test_the_rate_and_the_time_left_are_by_what_was_done_now() -> None:
    made = tally(Beat(2), FINISHED, FAILED, REUSED)
    assert (made.done, made.failed, made.running) == (2, 1, 0)
    assert made.frames_per_s == 3.0
    assert made.left_s == 10.0  # two recordings, five seconds each


def test_nothing_is_promised_before_something_is_done() -> None:
    assert tally(Beat(2), REUSED).left_s is None
    assert str(tally(Beat(2))) == "0/5 done, 2 running, 0 failed, 0 frames/s"


def test_plain_lines_name_failures_at_once_and_the_rest_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    lines, made = Lines(), Tally(total=2)
    for event in (Beat(1), FAILED, FINISHED):
        made.take(event)
        lines(made, event)
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "failed: b: no such file or folder: b"
    assert said[1].startswith("cohort: 1/2 done, 0 running, 1 failed, ")
    assert len(said) == 2


def test_json_events_are_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    events, made = JsonEvents(), Tally(total=2)
    for event in (Beat(1), FINISHED, FAILED):
        made.take(event)
        events(made, event)
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["event"] for line in said] == ["finished", "progress", "failed", "progress"]
    assert said[0]["frames"] == 30
    assert said[2]["error"] == FAILED.line
    assert {"done", "running", "failed", "frames_per_s", "left_s"} <= set(said[3])


def test_without_a_terminal_there_are_lines_and_quiet_says_nothing() -> None:
    with shown(as_json=False, quiet=False) as monitor:
        assert isinstance(monitor, Lines)
    with shown(as_json=False, quiet=True) as monitor:
        monitor(Tally(total=1), FAILED)
