"""The examples name commands and options that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from haustra.cli.cohort import merge, run

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["slurm_array.sbatch", "kubernetes_job.yaml", "Snakefile"])
def test_every_option_of_an_example_is_one_of_the_command(name: str) -> None:
    called = [line for line in (EXAMPLES / name).read_text().splitlines() if re.search(r"haustra cohort [^m]", line)]
    used = {option for line in called for option in re.findall(r"--[a-z-]+", line)}
    assert called
    assert used <= {f"--{option.replace('_', '-')}" for option in run.__annotations__}
    assert "haustra cohort merge" in (EXAMPLES / name).read_text()
    assert merge.__name__ == "merge"


def test_the_dask_jobqueue_example_asks_for_a_process_and_a_cpu_for_each_recording() -> None:
    jobqueue = pytest.importorskip("dask_jobqueue", reason="no dask-jobqueue: pip install 'haustra[cluster]'")
    text = (EXAMPLES / "slurm_dask.py").read_text()
    arguments = re.search(r"worker_extra_args=\[(.*?)\]", text)
    assert arguments is not None
    extra = re.findall(r'"([^"]+)"', arguments[1])
    script = jobqueue.slurm.SLURMJob(
        scheduler="tcp://127.0.0.1:1", name="x", cores=4, processes=4, memory="4 GB", worker_extra_args=extra
    ).job_script()
    assert "--nthreads 1 " in script
    assert "--nworkers 4 " in script
    assert "--resources CPU=1" in script
    # A script that is named like what it imports imports itself.
    assert not (EXAMPLES / "dask_jobqueue.py").exists()
