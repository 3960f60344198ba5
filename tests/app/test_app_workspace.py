"""What the app works on: which folder is what, ids, settings, progress; all kept on disk."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from running_app import DEMO, App, until

from haustra.app.cohort_table import cohort_table
from haustra.app.job_progress import JobMeter
from haustra.app.library import FILE, Library, LibraryEntry, Stage
from haustra.app.recording_board import RecordingBoard, certainty
from haustra.app.recording_view import RecordingViews
from haustra.app.runner import Runner
from haustra.app.workspace import OneResult, open_workspace
from haustra.cohort.entries import find_entries
from haustra.cohort.status import State, Status, write_status
from haustra.core.errors import HaustraError


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def _recordings(tmp_path: Path) -> Path:
    folder = tmp_path / "patients"
    for name in ("PatA/1.mp4", "PatB/1.mp4"):
        (folder / name).parent.mkdir(parents=True)
        shutil.copy(DEMO, folder / name)
    return folder


def test_a_folder_of_recordings_is_not_copied(tmp_path: Path) -> None:
    folder = _recordings(tmp_path)
    found = open_workspace(folder)
    assert found.out == tmp_path / "patients-haustra"
    assert found.ids() == ["PatA-1", "PatB-1"]
    assert [source.files for source in found.library.all()] == [
        (str(folder / "PatA" / "1.mp4"),),
        (str(folder / "PatB" / "1.mp4"),),
    ]
    assert not any(path.suffix == ".mp4" for path in (tmp_path / "data").rglob("*"))


def test_without_a_folder_the_users_own_is_used(tmp_path: Path) -> None:
    assert open_workspace(None).out.is_relative_to(tmp_path / "data")


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("x")
    with pytest.raises(HaustraError, match="no recording was found"):
        open_workspace(other)
    with pytest.raises(HaustraError, match="neither empty nor a cohort"):
        open_workspace(None, other)
    assert [path.name for path in other.iterdir()] == ["letter.txt"]


def test_one_result_is_reviewed_and_nothing_is_added(demo_cohort: Path) -> None:
    found = open_workspace(demo_cohort / "recordings" / "demo")
    assert isinstance(found, OneResult)
    assert found.ids() == ["demo"]
    assert found.status("demo").row["withdrawal_time_s"] > 0
    assert not found.takes_recordings


def test_what_was_given_on_the_command_line_is_there_to_locate_again(demo_cohort: Path) -> None:
    found = open_workspace(demo_cohort.parent / "recordings", demo_cohort)
    source = found.library.get("demo")
    assert source is not None
    assert source.options == {"withdrawal_start": "00:00", "overlay": True}


def test_settings_are_kept(tmp_path: Path) -> None:
    found = open_workspace(_recordings(tmp_path))
    found.change("PatA-1", new_id="seven", options={"withdrawal_start": "0:05", "camera": ""})
    again = open_workspace(None, found.out)
    source = again.library.get("seven")
    assert source is not None
    assert source.options["withdrawal_start"] == "0:05"
    assert again.entry(source).video == source.files[0]
    assert again.ids() == ["seven", "PatB-1"]


def test_a_table_of_recordings_goes_in_and_comes_out(tmp_path: Path) -> None:
    """With its options, its parts and the files beside it: set up in the app, located by `haustra cohort`."""
    folder = _recordings(tmp_path)
    (tmp_path / "lens.json").write_text("{}")
    study = tmp_path / "study.csv"
    rows = ["id,video,withdrawal_start,camera,from_place,landmarks,annotations"]
    rows += ["a,patients/PatA/1.mp4;patients/PatB/1.mp4,0:05,lens.json,0.3,hepatic=0:20; splenic=0:31,notes.json"]
    study.write_text("\n".join([*rows, "b,patients/PatB/1.mp4,,,,,"]))
    found = open_workspace(study)
    assert found.out == tmp_path / "study-haustra"
    found.change("b", new_id="c", options={"withdrawal_end": "0:50"})
    table = tmp_path / "elsewhere" / "recordings.csv"
    table.parent.mkdir()
    table.write_bytes(cohort_table(found.library.all()))
    before = find_entries([str(study)], "out")
    assert find_entries([str(table)], "out") == [
        replace(before[0], options={**before[0].options, "overlay": "yes"}),
        replace(before[1], id="c", options={**before[1].options, "overlay": "yes", "withdrawal_end": "0:50"}),
    ]
    assert found.library.all()[0].files == (str(folder / "PatA" / "1.mp4"), str(folder / "PatB" / "1.mp4"))


def test_parts_of_a_recording_lie_in_one_folder(tmp_path: Path) -> None:
    folder = _recordings(tmp_path)
    shutil.copy(DEMO, folder / "PatA" / "2.mp4")
    found = open_workspace(folder, parts=True)
    assert [(source.id, len(source.files)) for source in found.library.all()] == [("PatA", 2), ("PatB", 1)]


def test_what_only_a_table_can_give_is_kept(tmp_path: Path) -> None:
    """A calibration file, a location index: shown in the set-up, sent back as they are, and not to be chosen there."""
    found = open_workspace(_recordings(tmp_path))
    given = {"camera": str(tmp_path / "lens.json"), "from_place": 0.3, "landmarks": ["hepatic=0:20"]}
    source = found.library.all()[0]
    found.library.put(msgspec.structs.replace(source, options={**source.options, **given}))
    shown = {"camera": given["camera"], "from_place": "0.3", "withdrawal_start": "0:05", "to_place": ""}
    changed = found.change("PatA-1", new_id="PatA-1", options=shown)
    assert changed.options == {**source.options, **given, "withdrawal_start": "0:05"}
    assert "camera" not in found.change("PatA-1", new_id="PatA-1", options={**shown, "camera": ""}).options
    with pytest.raises(HaustraError, match="chosen by its name"):
        found.change("PatA-1", new_id="PatA-1", options=shown)


def test_where_a_recording_stands(tmp_path: Path) -> None:
    found = open_workspace(_recordings(tmp_path))
    views = RecordingViews()
    board = RecordingBoard(found, Runner(found), views)
    found.enlist("PatA-1")
    found.enlist("lost")
    for recording in ("PatA-1", "lost"):  # both were begun by `haustra cohort`
        write_status(found.store, Status(recording, State.RUNNING, "", ""))
        (found.folder(recording) / ".work").mkdir(parents=True)
    stood = {row["id"]: row["state"] for row in board.rows()}
    assert stood == {"PatA-1": "new", "lost": "unfinished", "PatB-1": "new"}, "cancelled; its files are not known"
    found.library.set_stage("PatA-1", Stage.ENDED)
    assert {row["id"]: row["state"] for row in board.rows()} == {**stood, "PatA-1": "paused"}
    assert "haustra app RECORDINGS" in next(row["note"] for row in board.rows() if row["id"] == "lost")


@pytest.mark.parametrize(
    ("new_id", "options"),
    [
        ("PatB-1", {}),
        ("patb-1", {}),
        ("../x", {}),
        ("", {}),
        ("PatA-1", {"withdrawal_start": "noon"}),
        ("PatA-1", {"template": "/etc/passwd"}),
        ("PatA-1", {"camera": "/etc/passwd"}),
        ("PatA-1", {"from_place": "liver"}),
    ],
)
def test_what_is_not_possible_changes_nothing(tmp_path: Path, new_id: str, options: dict[str, str]) -> None:
    found = open_workspace(_recordings(tmp_path))
    before = found.library.all()
    with pytest.raises(HaustraError):
        found.change("PatA-1", new_id=new_id, options=options)
    assert found.library.all() == before


def test_a_new_id_is_like_no_other(tmp_path: Path) -> None:
    found = open_workspace(_recordings(tmp_path))
    assert found.free_id("Müller 7.") == "Muller_7."
    assert found.free_id("pata-1") == "pata-1-2"


def test_an_upload_that_was_under_way_is_forgotten(tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    file = library.upload_folder("0123") / "1.mp4"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x")
    library.put(LibraryEntry("half", (str(file),), stage=Stage.UPLOADING, own=True))
    library.put(LibraryEntry("whole", (str(DEMO),), stage=Stage.QUEUED))
    again = Library(tmp_path / "library")
    assert [source.id for source in again.all()] == ["whole"]
    assert not file.exists()


def test_files_that_are_not_the_apps_are_never_removed(tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    outside = tmp_path / "outside.mp4"
    outside.write_bytes(b"x")
    library.put(LibraryEntry("a", (str(outside),), own=True))
    library.remove("a")
    assert outside.exists()


def test_a_damaged_library_is_one_line(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{")
    with pytest.raises(HaustraError, match="move it away"):
        Library(tmp_path)


def test_progress_is_read_from_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("haustra.app.job_progress.time.monotonic", lambda: now[0])
    meter = JobMeter(tmp_path, 100.0)
    work = tmp_path / ".work"
    work.mkdir()
    (work / "chunk-000000.npz").touch()  # of an earlier run
    assert (meter.read().share, meter.read().left_s) == (0.1, None)
    now[0] = 105.0
    for number in (1, 2):
        (work / f"chunk-00000{number}.npz").touch()
    found = meter.read()
    assert found.share == pytest.approx(0.3)
    assert found.frames_per_s == pytest.approx(60)  # 20 s of the recording in 5 s, 15 frames each
    assert found.left_s == pytest.approx(17.5)


def test_the_certainty_of_a_result(demo_cohort: Path) -> None:
    found = certainty(demo_cohort / "recordings" / "demo" / "frames.parquet")
    assert found is not None
    assert 1 / 6 < found <= 1


def test_what_the_command_line_located_is_not_done_again(
    start: Callable[..., App], demo_cohort: Path, tmp_path: Path
) -> None:
    shutil.copytree(demo_cohort, tmp_path / "out")
    app = start(demo_cohort.parent / "recordings", "--out", tmp_path / "out")
    settings = {"id": "demo", "options": {"withdrawal_start": "0"}, "queue": True}
    made = (tmp_path / "out" / "recordings" / "demo" / "manifest.json").stat().st_mtime_ns
    assert app.ask("/api/recordings/demo/settings", "POST", settings)[0] == 200
    status = tmp_path / "out" / "status" / "demo.json"
    until(lambda: json.loads(status.read_text())["reused"])
    assert (tmp_path / "out" / "recordings" / "demo" / "manifest.json").stat().st_mtime_ns == made
