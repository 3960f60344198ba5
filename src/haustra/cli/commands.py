"""All commands, each a thin function over the library call of the same name.

Modules here import nothing heavy at the top, so that `--help` answers at once; each function imports what it needs.
"""

from __future__ import annotations

from typing import Annotated

import typer

from haustra import __version__
from haustra.cli.app import run as run_app
from haustra.cli.apply import apply
from haustra.cli.camera import calibrate, cameras, undistort
from haustra.cli.check import check
from haustra.cli.cohort import cohort_app
from haustra.cli.datasets import datasets
from haustra.cli.doctor import doctor, open_page
from haustra.cli.evaluate import evaluate_app
from haustra.cli.export import export
from haustra.cli.locate import compare, locate
from haustra.cli.place import map_findings, place, template_app
from haustra.cli.quality import quality
from haustra.cli.simulate import simulate_app
from haustra.cli.train import app as train_app
from haustra.cli.video import info


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"haustra {__version__}")
        raise typer.Exit


app = typer.Typer(
    name="haustra",
    help="Tells where in the colon every frame of a colonoscopy recording was taken.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help: the boxes of Rich would take as long again as everything else.
    rich_markup_mode=None,
)


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Tells where in the colon every frame of a colonoscopy recording was taken."""


app.command()(locate)
app.command()(check)
app.command()(apply)
app.command()(export)
app.command("app")(run_app)
app.add_typer(cohort_app, name="cohort")
app.command()(compare)
app.command()(info)
app.command("open")(open_page)
app.command()(doctor)
app.command()(cameras)
app.command()(calibrate)
app.command()(undistort)
app.add_typer(simulate_app, name="simulate")
app.add_typer(train_app, name="train")
app.command()(quality)
app.command()(datasets)
app.add_typer(evaluate_app, name="evaluate")
app.command()(place)
app.add_typer(template_app, name="template")
app.command("map")(map_findings)
