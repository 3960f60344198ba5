"""A cohort on a Slurm cluster through dask-jobqueue: workers come when there is work and go when it is done.

pip install 'haustra[cluster]'
python examples/slurm_dask.py study.csv /shared/study --tls /shared/certificates --jobs 20 --queue short

A scheduler without TLS runs the code of everyone who reaches its port, and a cluster's network is full of others:
docs/how-to/cluster.md says how the three files are made.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from dask_jobqueue import SLURMCluster

from haustra.cohort import run_cohort
from haustra.cohort.cluster import TlsFiles
from haustra.cohort.monitor import shown
from haustra.lab.evaluate.cohort_score import CohortScore


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recordings", help="a folder, a table or an address")
    parser.add_argument("out", help="a folder that all nodes share, or an address such as s3://bucket/study")
    parser.add_argument("--tls", type=Path, required=True, help="folder with ca.pem, cert.pem and key.pem")
    parser.add_argument("--jobs", type=int, default=10, help="Slurm jobs at most")
    parser.add_argument("--processes", type=int, default=4, help="recordings at a time in each job")
    parser.add_argument("--queue", default=None, help="Slurm partition")
    parser.add_argument("--walltime", default="08:00:00")
    given = parser.parse_args()
    tls = TlsFiles(given.tls / "ca.pem", given.tls / "cert.pem", given.tls / "key.pem")
    cluster = SLURMCluster(
        protocol="tls://",
        security=tls.security(),
        scheduler_options={"dashboard": False},
        queue=given.queue,
        walltime=given.walltime,
        cores=given.processes,
        processes=given.processes,  # a process and a thread for each recording
        memory=f"{2 * given.processes} GB",
        worker_extra_args=["--resources", "CPU=1", "--lifetime", "7h", "--lifetime-stagger", "20m"],
    )
    with cluster, shown(as_json=False, quiet=False) as monitor:
        cluster.adapt(maximum_jobs=given.jobs)
        result = run_cohort(
            [given.recordings],
            given.out,
            scheduler=cluster.scheduler_address,
            tls=tls,
            score=CohortScore(),
            monitor=monitor,
        )
    print(f"{result.out}/index.html")


if __name__ == "__main__":
    main()
