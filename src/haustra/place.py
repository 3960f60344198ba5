"""place(): stages 6 to 8 for a trajectory that another program made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from haustra import __version__
from haustra.anatomy import load_template
from haustra.anatomy.places import located, place_columns
from haustra.files import write_json
from haustra.path import DEFAULT_SMOOTHING, location_index
from haustra.path.files import read_trajectory
from haustra.result import OUTPUTS, SUMMARY, TEMPLATE, check_output
from haustra.table import frames_table, pose_columns, write_frames
from haustra.terms import DEFAULT_TEMPLATE


def place(
    trajectory: Path, out: Path, *, template: str | Path = DEFAULT_TEMPLATE, smoothing: float | None = None
) -> dict[str, Any]:
    """Location index and segments of a trajectory file; writes the table and the summary, and returns the summary."""
    check_output(out, [trajectory, Path(template)], OUTPUTS)
    colon = load_template(template)
    time_s, T_w_c = read_trajectory(trajectory)
    gamma = DEFAULT_SMOOTHING if smoothing is None else smoothing
    location = location_index(T_w_c[:, :3, 3], smoothing=gamma)  # 6 path
    table = frames_table(
        {
            "frame": np.arange(len(time_s)),
            "time_s": time_s,
            **pose_columns(T_w_c),
            **place_columns(location.index, location.std, colon),
        }
    )
    figures = located(table).figures  # 7 anatomy
    summary = {
        "haustra": __version__,
        "trajectory": trajectory.name,
        "poses": len(time_s),
        "smoothing": gamma,
        "template": {"name": colon.name, "mean": colon.mean.tolist(), "built_from": list(colon.built_from)},
        "withdrawal": figures.as_dict(),
        "warnings": list(location.warnings),
    }
    write_frames(out, table)  # 8 report
    colon.save(out / TEMPLATE)
    write_json(out / SUMMARY, summary)
    return summary
