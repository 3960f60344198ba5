"""Segments of real withdrawals by time, leave-one-out: `python -m benchmarks.withdrawal_times withdrawals.csv`.

`--write` writes the shipped template `cas-colon-time` and the durations from the same table.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from haustra.anatomy.decoder_priors import duration_prior_of
from haustra.core.files import write_json
from haustra.lab.datasets.cas_colon import read_withdrawals
from haustra.lab.evaluate.withdrawal_times import (
    TimedSegments,
    time_template,
    timed_segments,
    times_table,
)

SOURCE = "CAS-Colon (Sci Data 2025, doi 10.1038/s41597-025-05588-3): times of {n} real withdrawals"
NOTE = (
    "Share of the time, not of the length. Flexures count with the segment before them, the anal canal with the rectum."
)
DATA = Path(__file__).parents[1] / "src" / "haustra" / "data"


def write(truths: list[TimedSegments]) -> None:
    source = SOURCE.format(n=len(truths))
    time_template("cas-colon-time", truths, source, NOTE).save(DATA / "templates" / "cas-colon-time.json")
    prior = duration_prior_of(np.stack([truth.seconds for truth in truths]))
    write_json(
        DATA / "durations.json",
        {
            "source": source,
            "note": "Median seconds in each segment, cecum first, drawn towards the shares of time of the 18"
            " withdrawals of the paper's Set 2 by their number; one spread of the logarithms, Student-t. " + NOTE,
            "median_s": [round(float(value), 2) for value in prior.median_s],
            "log_std": round(prior.log_std, 4),
            "freedom": prior.freedom,
        },
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--write", action="store_true", help="also write the shipped template and durations")
    arguments = parser.parse_args()
    timed = [timed_segments(withdrawal) for withdrawal in read_withdrawals(arguments.table)]
    if arguments.write:
        write(timed)
    print(times_table(timed))
