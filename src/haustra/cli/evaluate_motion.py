"""`haustra evaluate motion`: motion methods side by side, on any dataset with poses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import RATE

DataArgument = Annotated[Path, typer.Argument(help="The folder of a dataset (`haustra datasets` lists them).")]
DatasetOption = Annotated[str | None, typer.Option(help="Name of the dataset, where its layout does not tell.")]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Folder for tables (csv, Markdown, LaTeX), trajectories (TUM) and figures."),
]


def motion(
    data: DataArgument,
    methods: Annotated[
        str,
        typer.Option(
            help="Comma-separated: ours, liu2013, klt, orb, xfeat, expansion, constant, zero, a motion.onnx, NAME=FILE."
        ),
    ] = "ours,liu2013,klt,orb,expansion,constant,zero",
    dataset: DatasetOption = None,
    camera: Annotated[str | None, typer.Option(help="Calibration file or preset, for a dataset that has none.")] = None,
    rate: Annotated[float | None, typer.Option(**RATE, help="Frames per second to use. Default: all.")] = None,
    out: OutOption = None,
    json: JsonOption = False,
) -> None:
    """Measure ATE and RPE after one similarity alignment, per recording and over all."""
    from haustra.core.progress import progress_bar
    from haustra.lab.evaluate.motion_evaluation import evaluate_motion, parse_methods, write_paths
    from haustra.lab.evaluate.motion_tables import motion_tables
    from haustra.lab.evaluate.paper_figures import path_figures
    from haustra.lab.evaluate.result_table import write_tables

    with progress_bar("recordings", None, unit="recordings", quiet=json) as progress:
        found = evaluate_motion(
            data, parse_methods([methods]), dataset=dataset, camera=camera, rate_hz=rate, progress=progress
        )
    tables = motion_tables(found)
    written = []
    if out is not None:
        written = [
            *write_tables(out, tables),
            *write_paths(out / "paths", found),
            *path_figures(out / "figures", found),
        ]
    if json:
        print_json({**found.as_dict(), "written": [str(path) for path in written]})
        return
    print("\n".join(str(table) for table in tables))
    if out is not None:
        print(f"tables, paths and figures written to {out}")
