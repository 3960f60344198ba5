"""Inputs and outputs in an object store: moto's server on loopback."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tiny_study import STUDY

from haustra.anatomy import load_template
from haustra.cohort import CohortResult, merge, run_cohort
from haustra.cohort.monitor import Beat
from haustra.cohort.status import Status
from haustra.cohort.store import RemoteStore
from haustra.core.errors import HaustraError

pytest.importorskip("s3fs", reason="no s3fs: pip install 'haustra[cluster]'")
server = pytest.importorskip("moto.server", reason="no S3 server to test with: pip install 'haustra[test]'")


@pytest.fixture(scope="module")
def bucket(study: Path) -> Iterator[Any]:
    """The study in a bucket, with a table that names the recordings beside it."""
    import fsspec

    started = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    started.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{started.get_host_and_port()[1]}")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        fs = fsspec.filesystem("s3", skip_instance_cache=True)
        fs.mkdir("hospital")
        for name in ("second.mp4", "corrupt.mp4", "times.json"):
            fs.put_file(str(study.parent / name), f"hospital/in/{name}")
        load_template("paper-set2").save(study.parent / "colon.json")
        fs.put_file(str(study.parent / "colon.json"), "hospital/in/colon.json")
        fs.pipe_file("hospital/in/haustra.toml", b'template = "colon.json"\n')
        fs.pipe_file("hospital/in/study.csv", b"id,video,annotations\np2,second.mp4,times.json\np3,corrupt.mp4,\n")
        yield fs
    started.stop()


def test_a_cohort_from_a_bucket_into_a_bucket_is_the_local_one(done: CohortResult, bucket: Any) -> None:
    arguments = (["s3://hospital/in/study.csv"], "s3://hospital/out")
    result = run_cohort(*arguments, workers=1, **STUDY)
    assert result.merged is not None
    assert (result.merged.finished, result.merged.failed) == (1, 1)
    part = "cohort.parquet/recording=p2/part.parquet"
    assert bucket.cat_file(f"hospital/out/{part}") == (Path(done.out) / part).read_bytes()
    assert bucket.exists("hospital/out/recordings/p2/report.html")
    summary = json.loads(bucket.cat_file("hospital/out/recordings/p2/summary.json"))
    template = hashlib.sha256(bucket.cat_file("hospital/in/colon.json")).hexdigest()
    assert summary["run"]["placing"]["template"] == template, "of the haustra.toml in the bucket"
    ours = pl.read_csv(io.BytesIO(bucket.cat_file("hospital/out/recordings.csv"))).row(0, named=True)
    local = pl.read_csv(Path(done.out) / "recordings.csv").row(1, named=True)
    notes = {name for name, value in ours.items() if value != local[name]}
    assert len(notes) == 1, "all else is the same"
    assert "was built from 1 recording" in ours[notes.pop()], "there the template is a file of the user's"
    events: list[Status | Beat] = []
    run_cohort(*arguments, workers=1, **STUDY, monitor=lambda _, event: events.append(event))
    # The ETag follows from the contents: nothing is fetched, no process is started.
    assert [isinstance(event, Status) and event.reused for event in events] == [True, True]


def test_an_object_that_is_replaced_is_located_anew(bucket: Any, study: Path) -> None:
    bucket.put_file(str(study.parent / "second.mp4"), "hospital/other/x.mp4")
    arguments = (["s3://hospital/other/*.mp4"], "s3://hospital/anew")
    run_cohort(*arguments, workers=1, **STUDY)
    first = bucket.cat_file("hospital/anew/cohort.parquet/recording=x/part.parquet")
    bucket.put_file(str(study.parent / "fourth.mp4"), "hospital/other/x.mp4")
    result = run_cohort(*arguments, workers=1, **STUDY)
    ((recording, line),) = result.merged.failures if result.merged else ()
    # A folder that holds another recording's result is not written over.
    assert (recording, "holds the result of another recording" in line) == ("x", True)
    assert not bucket.exists("hospital/anew/cohort.parquet/recording=x/part.parquet")
    assert first


@pytest.mark.usefixtures("bucket")
def test_a_store_lists_reads_and_removes() -> None:
    store = RemoteStore("s3://hospital/store/")
    store.write("a/b.txt", b"one")
    store.write("a/c/d.txt", b"two")
    assert store.names("a") == ["b.txt", "c/d.txt"]
    assert (store.read("a/b.txt"), store.read("a/none.txt")) == (b"one", None)
    store.remove("a/b.txt")
    store.remove("a/b.txt")
    assert store.names("a") == ["c/d.txt"]


@pytest.mark.usefixtures("bucket")
def test_what_is_no_cohort_and_what_is_no_address_is_one_line() -> None:
    with pytest.raises(HaustraError, match="s3://hospital/nothing is not the folder of a cohort"):
        merge("s3://hospital/nothing")
    with pytest.raises(HaustraError, match="gopher"):
        merge("gopher://hospital/nothing")
