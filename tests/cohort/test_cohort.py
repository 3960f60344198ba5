"""A cohort on this machine: results, restarts, shards, and what happens to recordings that fail."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
from pathlib import Path

import polars as pl
import pytest
from tiny_study import OPTIONS, PATIENT, STUDY

from haustra.anatomy import load_template
from haustra.cohort import CohortResult, merge, run_cohort
from haustra.cohort.entries import Entry, find_entries
from haustra.cohort.job import ATTEMPTS, Job, run_job
from haustra.cohort.monitor import Beat, Tally
from haustra.cohort.status import State, Status, read_status
from haustra.cohort.store import LocalStore
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS
from haustra.demo import DEMO
from haustra.pipeline import locate

TABLES = ("recordings.csv", "index.html", "template.json", "evaluation.json")


def tables(out: str) -> dict[str, bytes]:
    """Every byte of the tables."""
    parts = {path for path in (Path(out) / "cohort.parquet").rglob("*") if path.is_file()}
    return {str(path.relative_to(out)): path.read_bytes() for path in (*parts, *(Path(out) / name for name in TABLES))}


def copied(done: CohortResult, tmp_path: Path) -> Path:
    return Path(shutil.copytree(done.out, tmp_path / "out"))


def test_a_corrupt_recording_fails_alone_with_its_line(done: CohortResult) -> None:
    assert done.merged is not None
    assert (done.merged.finished, done.merged.failed, done.merged.unfinished) == (3, 1, 0)
    ((recording, line),) = done.merged.failures
    assert recording == "p3"
    assert line == "p3.mp4 is not a video that can be read: invalid data found when processing input"


def test_frames_and_recordings_are_tables_in_two_lines(done: CohortResult) -> None:
    frames = pl.read_parquet(Path(done.out) / "cohort.parquet")
    rows = pl.read_csv(Path(done.out) / "recordings.csv")
    assert rows["recording"].to_list() == ["p1", "p2", "p3", "p4"]
    assert rows["state"].to_list() == ["finished", "finished", "failed", "finished"]
    assert (
        frames.group_by("recording").len().sort("recording")["len"].to_list() == rows["frames"].drop_nulls().to_list()
    )
    first = rows.row(0, named=True)
    whole = pl.read_parquet(Path(done.out) / "recordings/p1/frames.parquet")
    assert first["withdrawal_end_s"] == pytest.approx(whole["time_s"][-1], abs=1e-5)
    assert first["withdrawal_time_s"] == pytest.approx(sum(first[f"{name}_time_s"] for name in SEGMENTS), abs=1e-4)
    assert first["net_time_s"] == pytest.approx(first["withdrawal_time_s"])
    assert first["findings"] == 1
    assert 0 <= first["scopeguide_mae"] < 0.5
    assert rows["segment_accuracy"].is_not_null().to_list() == [True, True, False, True]


def test_the_annotated_recordings_give_a_template_that_is_tested_on_others(done: CohortResult) -> None:
    template = load_template(Path(done.out) / "template.json")
    assert template.built_from == ("p1", "p2", "p4")
    tested = json.loads((Path(done.out) / "evaluation.json").read_text())
    assert tested["recordings"] == 3
    assert 0 <= tested["accuracy"][0] <= 1


def test_no_output_tells_the_file_name_where_an_id_is_given(done: CohortResult) -> None:
    for path in Path(done.out).rglob("*"):
        assert "Doe" not in path.name
        if path.is_file():
            assert PATIENT.encode() not in path.read_bytes(), path
            assert b"corrupt.mp4" not in path.read_bytes(), path


def test_four_shards_merged_are_the_local_run_byte_for_byte(done: CohortResult, study: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    for number in (2, 4, 1, 3):
        result = run_cohort([str(study)], out, shard=f"{number}/4", **STUDY)
        assert result.merged is None
        assert not (tmp_path / "out" / "recordings.csv").exists()
    assert merge(out, STUDY["score"]) == done.merged
    assert tables(out) == tables(done.out)


def test_a_second_run_does_nothing_again_and_changes_nothing(done: CohortResult, study: Path, tmp_path: Path) -> None:
    out = copied(done, tmp_path)
    seen: list[Status] = []
    again = run_cohort([str(study)], str(out), workers=2, **STUDY, monitor=lambda _, e: keep(seen, e))
    assert {status.recording: status.reused for status in seen} == dict.fromkeys(("p1", "p2", "p3", "p4"), True)
    assert tables(again.out) == tables(done.out)


def keep(seen: list[Status], event: Status | Beat) -> None:
    if isinstance(event, Status):
        seen.append(event)


def test_a_failed_recording_is_tried_again_when_asked_or_when_the_file_is_another(
    done: CohortResult, study: Path, tmp_path: Path
) -> None:
    out = copied(done, tmp_path)
    table = tmp_path / "study.csv"
    corrupt = tmp_path / "corrupt.mp4"
    shutil.copy2(study.parent / "corrupt.mp4", corrupt)
    table.write_text(f"id,video\np3,{corrupt}\n")
    arguments = ([str(table)], str(out))
    store = LocalStore(out)
    before = read_status(store, "p3")
    run_cohort(*arguments, **STUDY)
    assert read_status(store, "p3") == before  # not even opened
    run_cohort(*arguments, **STUDY, retry_failed=True)
    tried = read_status(store, "p3")
    assert tried is not None
    assert before is not None
    assert tried.session != before.session
    shutil.copyfile(study.parent / "second.mp4", corrupt)
    result = run_cohort(*arguments, **STUDY)
    assert result.merged is not None
    assert (result.merged.recordings, result.merged.finished) == (1, 1)


def test_a_new_template_looks_at_no_frame_again(
    done: CohortResult, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = copied(done, tmp_path)
    monkeypatch.setattr("haustra.pipeline.observe", lambda *_: pytest.fail("the video is read again"))
    entry = find_entries([str(study)], str(out), OPTIONS | {"template": "paper-set3"})[1]
    status = run_job(Job(entry, str(out), threads=1, session="s"))
    assert (status.state, status.reused) == (State.FINISHED, False)
    before = pl.read_parquet(Path(done.out) / "cohort.parquet/recording=p2/part.parquet")
    after = pl.read_parquet(out / "cohort.parquet/recording=p2/part.parquet")
    assert after["time_s"].equals(before["time_s"])
    assert not after["p_cecum"].equals(before["p_cecum"])


@pytest.mark.posix
def test_a_recording_that_kills_its_worker_is_set_aside_after_three(tmp_path: Path) -> None:
    """A real death: the process works on a recording of a minute, and is killed each time it has begun."""
    out, kills = tmp_path / "out", 0

    def killer(_: Tally, event: Status | Beat) -> None:
        nonlocal kills
        status = read_status(LocalStore(out), "p2")
        if isinstance(event, Beat) and status and status.state is State.RUNNING and status.attempts == kills + 1:
            (victim,) = [child for child in multiprocessing.active_children() if child.name == "haustra p2"]
            os.kill(victim.pid or 0, signal.SIGKILL)
            kills += 1

    table = tmp_path / "study.csv"
    table.write_text(f"id,video\np2,{DEMO / 'video.mp4'}\n")
    result = run_cohort([str(table)], str(out), workers=1, **STUDY, monitor=killer)
    assert kills == ATTEMPTS
    assert [status.line for status in result.failed] == [
        "its worker died at every attempt: set aside (--retry-failed tries again)"
    ]


def test_options_of_a_row_reach_locate_and_its_files_keep_their_names_to_themselves(
    study: Path, tmp_path: Path
) -> None:
    """A cell that cannot be meant fails its recording alone; without a score nothing is compared with annotations."""
    video = study.parent / "second.mp4"
    (tmp_path / f"{PATIENT}.json").write_text('{"transverse": 0.7}')
    (tmp_path / "study.csv").write_text(
        "id,video,landmarks,annotations,fps,scopeguide,overlay\n"
        f"a,{video},{PATIENT}.json,{study.parent / 'times.json'},,,yes\n"
        f"b,{video},,,fast,,\nc,{video},,,,{PATIENT}.csv,\n"
    )
    result = run_cohort([str(tmp_path / "study.csv")], str(tmp_path / "out"), workers=1, options=OPTIONS)
    lines = {status.recording: status.line for status in result.failed}
    assert lines == {
        "b": "--fps: 'fast' is not a number above 0 and below 1000",
        "c": "no such file or folder: scopeguide",
    }
    frames = pl.read_parquet(tmp_path / "out/recordings/a/frames.parquet")
    assert frames.filter(pl.col("segment") == "transverse")["time_s"][0] == pytest.approx(0.7, abs=0.07)
    assert (tmp_path / "out/recordings/a/overlay.mp4").is_file()
    rows = pl.read_csv(tmp_path / "out/recordings.csv")
    assert rows["segment_accuracy"].null_count() == 3
    for path in (tmp_path / "out").rglob("*"):
        assert path.is_dir() or PATIENT.encode() not in path.read_bytes(), path


def test_a_recording_in_parts_is_one_of_the_cohort(study: Path, tmp_path: Path) -> None:
    """Of its files no name is told; the bytes are those of the same parts located alone, but for their names."""
    folder = study.parent
    table = tmp_path / "study.csv"
    table.write_text(f'id,video\na,"{folder / "second.mp4"}; {folder / "again.mp4"}"\nb,"1.mp4;gone.mp4"\n')
    shutil.copy(folder / "second.mp4", folder / "again.mp4")
    shutil.copy(folder / "second.mp4", tmp_path / "1.mp4")
    done = run_cohort([str(table)], str(tmp_path / "out"), workers=1, options=OPTIONS)
    frames = pl.read_parquet(tmp_path / "out/recordings/a/frames.parquet")
    assert frames["part_file"].unique().sort().to_list() == ["a-1.mp4", "a-2.mp4"]
    assert pl.read_parquet(tmp_path / "out/cohort.parquet")["part"].to_list() == frames["part"].to_list()
    ((recording, line),) = done.merged.failures if done.merged else ()
    assert (recording, line) == ("b", "no such file or folder: b-2")
    alone = locate([folder / "second.mp4", folder / "again.mp4"], out=tmp_path / "alone", overlay=False, **OPTIONS)
    assert alone.frames.drop("part_file").equals(frames.drop("part_file"))
    again = run_cohort([str(table)], str(tmp_path / "out"), workers=1, options=OPTIONS)
    assert again.tally.worked == 0, "both are known, and neither is done again"


def test_a_folder_with_other_files_is_refused(study: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(HaustraError, match="neither empty nor a cohort's folder"):
        run_cohort([str(study)], str(tmp_path), **STUDY)


def test_merge_needs_a_cohort(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match=r"not the folder of a cohort: it has no cohort\.json"):
        merge(str(tmp_path))


def test_a_worker_that_sees_another_disk_stops_the_command(tmp_path: Path) -> None:
    job = Job(Entry("a", "a.mp4"), str(tmp_path / "nowhere"), threads=1, session="s")
    with pytest.raises(HaustraError, match=r"a worker does not see .*nowhere"):
        run_job(job)
    with pytest.raises(HaustraError, match=r"a worker runs haustra .*, the command 0\.0: install the same"):
        run_job(Job(Entry("a", "a.mp4"), str(tmp_path), threads=1, session="s", haustra="0.0"))


@pytest.mark.posix
def test_merge_leaves_the_files_of_strangers_alone(done: CohortResult, tmp_path: Path) -> None:
    strangers = tmp_path / "strangers"
    (strangers / "deep").mkdir(parents=True)
    (strangers / "deep" / "thesis.parquet").write_text("years of work")
    out = copied(done, tmp_path)
    shutil.rmtree(out / "cohort.parquet")
    (out / "cohort.parquet").symlink_to(strangers, target_is_directory=True)
    with pytest.raises(HaustraError, match="is a link"):
        merge(str(out))
    assert (strangers / "deep" / "thesis.parquet").read_text() == "years of work"
    assert [path.name for path in strangers.iterdir()] == ["deep"]
