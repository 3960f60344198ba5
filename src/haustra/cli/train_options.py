"""Options that the trainers share: one name, one meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import print_json
from haustra.cli.ranges import SEED, STEPS, THREADS

OutOption = Annotated[Path, typer.Option("--out", "-o", help="Folder of the run; the same command resumes.")]
StepsOption = Annotated[int | None, typer.Option(**STEPS, help="Steps to train (default: the configuration's).")]
SeedOption = Annotated[int, typer.Option(**SEED, help="Seed of weights and batches.")]
ThreadsOption = Annotated[int | None, typer.Option(**THREADS, help="Cores to use (default: all).")]
WeightsOption = Annotated[
    Path | None, typer.Option(help="Initial weights: best or checkpoint.safetensors of another run.")
]


def finish(summary: dict[str, float | None], out: Path, json_output: bool) -> None:
    """Print the final figures of a run."""
    if not summary:
        return  # not the first of several processes
    if json_output:
        print_json(summary)
        return
    for name, value in summary.items():
        print(f"{name:>16}  {'not measured' if value is None else format(value, '.5g')}")
    print(f"exported to {out}")
