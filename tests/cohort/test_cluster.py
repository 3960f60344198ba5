"""A cohort on a Dask scheduler; the deaths of workers and schedulers are in benchmarks/bench_cohort_dask_long.py."""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_study import STUDY

from haustra.cohort import CohortResult, run_cohort
from haustra.cohort.cluster import MEMORY_BYTES, TlsFiles, _needs
from haustra.core.errors import HaustraError

distributed = pytest.importorskip("distributed", reason="no Dask: pip install 'haustra[cluster]'")

FREE = "127.0.0.1:0"  # None is port 8787, which another scheduler may have


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A real scheduler on loopback; its worker is a thread, which starts at once. Every port is one that is free."""
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=FREE, protocol="tcp", resources={"CPU": 1}
    ) as started:
        yield started


def test_a_cluster_gives_the_tables_of_the_local_run(
    done: CohortResult, study: Path, cluster: Any, tmp_path: Path
) -> None:
    result = run_cohort([str(study)], str(tmp_path / "out"), scheduler=cluster.scheduler_address, **STUDY)
    assert result.merged == done.merged
    for name in ("recordings.csv", "cohort.parquet/recording=p2/part.parquet", "recordings/p4/summary.json"):
        assert (tmp_path / "out" / name).read_bytes() == (Path(done.out) / name).read_bytes()


def test_a_recording_asks_only_for_what_every_worker_has(cluster: Any) -> None:
    with distributed.Client(cluster.scheduler_address) as client:
        assert _needs(client, 1) == {"CPU": 1.0}
    assert MEMORY_BYTES < 2e9


def test_a_scheduler_that_does_not_answer_is_one_line(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("haustra.cohort.cluster.CONNECT_S", 0.5)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(HaustraError, match="no Dask scheduler answers at tcp://127"):
            run_cohort([str(study)], str(tmp_path / "out"), scheduler=address, **STUDY)


def test_a_scheduler_has_its_own_workers(study: Path, tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="leave out --workers and --shard"):
        run_cohort([str(study)], str(tmp_path / "out"), scheduler="tcp://127.0.0.1:1", workers=2)


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    """Certificates as docs/how-to/cluster.md makes them."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl on this machine")
    folder = tmp_path_factory.mktemp("tls")
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "cluster.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    (openssl .*)$", page, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        subprocess.run(shlex.split(command), cwd=folder, check=True, capture_output=True)
    return TlsFiles(folder / "ca.pem", folder / "cert.pem", folder / "key.pem")


def test_a_cluster_with_tls_works_for_whoever_has_the_certificate_and_for_nobody_else(
    done: CohortResult, study: Path, tls: TlsFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=FREE, protocol="tls://",
        security=tls.security(),
    ) as started:  # fmt: skip
        address = started.scheduler_address
        assert address.startswith("tls://")
        result = run_cohort([str(study)], str(tmp_path / "out"), scheduler=address, tls=tls, **STUDY)
        assert result.merged == done.merged
        monkeypatch.setattr("haustra.cohort.cluster.CONNECT_S", 2)
        for wrong in (address, address.replace("tls://", "tcp://")):
            with pytest.raises(HaustraError, match="no Dask scheduler answers"):
                run_cohort([str(study)], str(tmp_path / "other"), scheduler=wrong, **STUDY)


def test_a_missing_certificate_and_tls_without_a_scheduler_are_one_line(study: Path, tmp_path: Path) -> None:
    tls = TlsFiles(*(tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")))
    with pytest.raises(HaustraError, match="give --scheduler, too"):
        run_cohort([str(study)], str(tmp_path / "out"), tls=tls)
    with pytest.raises(HaustraError, match=r"no such file: .*ca\.pem"):
        run_cohort([str(study)], str(tmp_path / "out"), scheduler="tls://127.0.0.1:1", tls=tls, **STUDY)
