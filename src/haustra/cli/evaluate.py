"""`haustra evaluate ...`: the paper's tables, each metric named by its protocol."""

from __future__ import annotations

import typer

from haustra.cli.evaluate_location import location, segments
from haustra.cli.evaluate_motion import motion
from haustra.cli.evaluate_quality import quality

evaluate_app = typer.Typer(
    help="Measure accuracy where the truth is known.", no_args_is_help=True, add_completion=False
)
evaluate_app.command("quality")(quality)
evaluate_app.command("motion")(motion)
evaluate_app.command("location")(location)
evaluate_app.command("segments")(segments)
