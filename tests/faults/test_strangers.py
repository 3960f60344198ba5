"""Folders and tables of strangers: what they hold is neither obeyed by a terminal, nor followed, nor read for ever."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import polars as pl
import pytest

from haustra.anatomy.template import load_template
from haustra.cohort.status import State, Status, write_cohort, write_status
from haustra.cohort.store import LocalStore
from haustra.core.errors import HaustraError
from haustra.core.files import read_json, write_json
from haustra.core.log_lines import LineFormatter
from haustra.lab.evaluate.score_result import read_truth
from haustra.options import options_for

CLEAR = "\x1b[2J"  # a terminal obeys it


@pytest.mark.parametrize("text", ['"\\ud800"', "1e999", "[NaN]", "-Infinity", "9" * 5000, "[" * 100_000])
def test_json_that_cannot_be_written_again_is_none(text: str, tmp_path: Path) -> None:
    """Found by the fuzzer: half a letter came through to where no message was ready for it."""
    (tmp_path / "a.json").write_text(f'{{"format": "haustra-template-1", "name": {text}}}')
    with pytest.raises(HaustraError, match=r"a\.json is not a readable JSON file"):
        read_json(tmp_path / "a.json")
    with pytest.raises(HaustraError, match=r"a\.json is not a readable JSON file"):
        load_template(tmp_path / "a.json")


def test_a_truth_without_a_withdrawal_is_refused(tmp_path: Path) -> None:
    """Found by the fuzzer."""
    numbers = dict.fromkeys(("location_index", "tx", "ty", "tz", "qx", "qy", "qz"), 0.0)
    row = {"time_s": [0.0, 1.0], "segment": "rectum", "phase": "insertion", **numbers, "qw": 1.0}
    pl.DataFrame(row).write_parquet(tmp_path / "truth.parquet")
    with pytest.raises(HaustraError, match="no row of the withdrawal"):
        read_truth(tmp_path)


def test_words_of_a_table_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "study.csv").write_text(f'video,"{CLEAR}x\ny"\nnobody.mp4,1\n')
    command = [sys.executable, "-m", "haustra", "cohort", str(tmp_path / "study.csv"), "--out", str(tmp_path / "out")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "not used:  [2Jx y (possible" in ended.stderr
    assert CLEAR not in ended.stdout + ended.stderr


def test_only_a_traceback_has_more_than_one_line() -> None:
    record = logging.makeLogRecord({"msg": "a %s", "args": (f"b\n{CLEAR}",)})
    assert LineFormatter("%(message)s").format(record) == "a b  [2J"
    try:
        raise KeyError("x")
    except KeyError:
        fault = logging.makeLogRecord({"msg": "stopped", "exc_info": sys.exc_info()})
    assert LineFormatter("%(message)s").format(fault).splitlines()[-1] == "KeyError: 'x'"


def test_why_a_recording_failed_is_a_line() -> None:
    assert Status("a", State.FAILED, "", "", line=f"no{CLEAR}\nvideo").line == "no [2J video"


def test_a_haustra_toml_is_small(tmp_path: Path) -> None:
    with (tmp_path / "haustra.toml").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(HaustraError, match="bytes: at most"):
        options_for(tmp_path / "a.mp4", {})


def _cohort(folder: Path, *names: str) -> LocalStore:
    store = LocalStore(folder)
    write_cohort(store, "1", names)
    for name in names:
        write_status(store, Status(name, State.FINISHED, "", ""))
    return store


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")
@pytest.mark.parametrize("name", ["cohort.json", "status/a.json"])
def test_a_pipe_in_a_cohort_is_not_waited_for(name: str, tmp_path: Path) -> None:
    store = _cohort(tmp_path, "a")
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(HaustraError, match="is not a file"):
        store.read(name)


@pytest.mark.posix
def test_one_damaged_result_does_not_hide_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    from haustra.app.recording_board import RecordingBoard
    from haustra.app.recording_view import RecordingViews
    from haustra.app.runner import Runner
    from haustra.app.workspace import open_workspace

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    _cohort(theirs, "broken", "elsewhere", "typed", "whole")
    for name in ("broken", "typed"):
        (theirs / "recordings" / name).mkdir(parents=True)
    (theirs / "recordings" / "broken" / "frames.parquet").write_text("PAR1")
    times = pl.DataFrame({"time_s": np.arange(3.0), "location_index": ["x"] * 3})
    times.write_parquet(theirs / "recordings" / "typed" / "frames.parquet")
    mine.mkdir()
    write_json(mine / "summary.json", {})
    (theirs / "recordings" / "elsewhere").symlink_to(mine)
    workspace = open_workspace(theirs)
    board = RecordingBoard(workspace, cast(Runner, SimpleNamespace(running={}, faults={})), RecordingViews())
    said = {row["id"]: (row["state"], row["note"]) for row in board.rows()}
    assert {name: state for name, (state, _) in said.items()} == dict.fromkeys(said, "failed")
    assert "broken/frames.parquet" in said["broken"][1]
    assert "has no column segment" in said["typed"][1]
    assert "elsewhere is a link" in said["elsewhere"][1]
    with pytest.raises(HaustraError, match="is a link"):
        workspace.has_result("elsewhere")
