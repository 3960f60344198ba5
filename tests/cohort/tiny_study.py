"""The tiny recordings that the tests of cohorts share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from haustra.demo import DEMO
from haustra.lab.evaluate.cohort_score import CohortScore

sys.path.append(str(Path(__file__).parents[1] / "pipeline"))
from clips import cut

PATIENT = "Doe^Jane 1970-01-01"
# The quality network takes most of the time of so short a recording, and nothing here is about it.
OPTIONS = {"withdrawal_start": "0", "quality": "none", "from_place": "cecum", "to_place": "rectum"}
STUDY: dict[str, Any] = {"options": OPTIONS, "score": CohortScore()}
TIMES = '{"cecum": 0, "ascending": 0.2, "transverse": 0.4, "descending": 0.6, "sigmoid": 0.8, "rectum": 1, "stop": 1.3}'


def write_study(folder: Path) -> Path:
    """A table of four recordings, one of them named after a patient; the third cannot be read."""
    first = cut(DEMO / "video.mp4", folder / f"{PATIENT}.mp4", 1.4, 96)
    cut(DEMO / "video.mp4", folder / "second.mp4", 1.4, 80)
    (folder / "corrupt.mp4").write_bytes(b"not a video " * 1000)
    cut(DEMO / "video.mp4", folder / "fourth.mp4", 1.4, 112)
    (folder / "times.json").write_text(TIMES)
    (folder / "findings.csv").write_text("time,label,score\n0.5,polyp,2\n")
    (folder / "lengths.csv").write_text("time_s,length_cm\n0,90\n1.4,0\n")
    table = folder / "study.csv"
    table.write_text(
        "id,video,annotations,findings,scopeguide\n"
        f"p1,{first.name},times.json,findings.csv,lengths.csv\n"
        "p2,second.mp4,times.json,,\np3,corrupt.mp4,,,\np4,fourth.mp4,times.json,,\n"
    )
    return table
