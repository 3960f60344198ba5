"""place(): stages 6 to 8 for the trajectory of another program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from haustra import __version__
from haustra.anatomy import load_template
from haustra.anatomy.frame_places import located, place_columns
from haustra.core.files import write_json
from haustra.core.vocabulary import DEFAULT_TEMPLATE
from haustra.path import PathParameters, location_index
from haustra.path.trajectory_files import read_trajectory
from haustra.report.write import write_intervals
from haustra.results.folder import OUTPUTS, SUMMARY, TEMPLATE, check_output
from haustra.results.schema import KEY, VERSION
from haustra.results.table import frames_table, pose_columns, write_frames


def place(
    trajectory: Path, out: Path, *, template: str | Path = DEFAULT_TEMPLATE, smoothing: float | None = None
) -> dict[str, Any]:
    """Location index and segments of a trajectory file; writes the table and the summary, and returns the summary."""
    check_output(out, [trajectory, Path(template)], OUTPUTS)
    colon = load_template(template)
    time_s, T_w_c = read_trajectory(trajectory)
    parameters = PathParameters().paper_index
    if smoothing is not None:
        parameters = replace(parameters, smoothing=smoothing)
    location = location_index(T_w_c[:, :3, 3], parameters)  # 6 path
    table = frames_table(
        {
            "frame": np.arange(len(time_s)),
            "time_s": time_s,
            **pose_columns(T_w_c),
            **place_columns(location.index, location.std, colon),
        }
    )
    placed = located(table)  # 7 anatomy
    summary = {
        KEY: VERSION,
        "haustra": __version__,
        "trajectory": trajectory.name,
        "poses": len(time_s),
        "smoothing": parameters.smoothing,
        "template": {"name": colon.name, "mean": colon.mean.tolist(), "built_from": list(colon.built_from)},
        "withdrawal": placed.figures.as_dict(),
        "warnings": list(location.warnings),
    }
    write_frames(out, table)  # 8 report
    write_intervals(out, placed)
    colon.save(out / TEMPLATE)
    write_json(out / SUMMARY, summary)
    return summary
