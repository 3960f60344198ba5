"""What is exported: a withdrawal with a re-entry and a biopsy, and what a reader noted."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from haustra.anatomy import load_template
from haustra.anatomy.frame_places import Located, place_columns
from haustra.results.annotations import FORMAT, Annotations, Comment, NotedFinding, Sighting
from haustra.results.table import frames_table, pose_columns

DIGEST = "ab" * 32
RUN = {"digest": DIGEST, "observed": DIGEST, "recording": DIGEST, "haustra": "x"}
NOTED = Annotations(
    FORMAT,
    times_s={"rectum": 55.0},
    sightings=(Sighting("cecum", 1.5),),
    findings=(NotedFinding("polyp", 20.0, 4.0, "flat <b> & -->"), NotedFinding("ulcer: deep", 31.5)),
    comments=(Comment("=1+1 prep poor"), Comment("look\nagain", 40.0), Comment("and here", 40.4)),
)


def made_frames() -> pl.DataFrame:
    """A minute at even speed, with a push back into the transverse colon and forceps at 42 s."""
    time_s = np.arange(0, 60, 1 / 15)
    index = time_s / time_s[-1]
    index[480:540] -= 0.14
    poses = np.tile(np.eye(4), (len(time_s), 1, 1))
    poses[:, 2, 3] = index
    reason = ["forceps" if 42 <= t < 43 else "" for t in time_s]
    return frames_table(
        {
            "frame": np.arange(len(time_s)),
            "time_s": time_s,
            "kept": [not word for word in reason],
            "reason": reason,
            **pose_columns(poses),
            **place_columns(index, 0 * index + 0.02, load_template("paper-set2")),
        }
    )


def made_summary(placed: Located) -> dict[str, Any]:
    """All but the recording."""
    ends = {"start_s": 0.0, "end_s": 60.0}
    return {
        "haustra": "x",
        "run": RUN | {key: {} for key in ("camera", "models", "reading", "placing")},
        "frames": {"sampled": 900, "kept": 885},
        "withdrawal": placed.figures.as_dict() | ends,
        "findings": {"count": None, "biopsies": 1},
        "warnings": [],
    }
