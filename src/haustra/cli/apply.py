"""`haustra apply`: corrections into a result."""

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import JsonOption, print_json


def apply(
    result: Annotated[Path, typer.Argument(help="A result folder of 'haustra locate'.")],
    annotations: Annotated[
        Path,
        typer.Argument(
            help="The annotations.json of the report page, a .json file with times, or a corrected .eaf or .csv."
        ),
    ],
    by: Annotated[str, typer.Option(help="Who says so, where the file does not tell.")] = "",
    on_top: Annotated[
        bool, typer.Option("--on-top", help="Also when another version was saved since the corrections were made.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Correct a result: what was set by hand is kept to the frame, and the rest follows.

    Every file in the result folder then shows the corrected version. Each version is kept in its folder 'versions'.
    """
    from haustra.cohort.refresh import refresh_cohort_of
    from haustra.core.times import format_time
    from haustra.corrections import apply_corrections

    corrected = apply_corrections(result, annotations, by=by, on_top=on_top)
    refresh_cohort_of(result)
    if as_json:
        print_json(corrected.summary | {"folder": str(corrected.folder)})
        return
    print(f"version     {corrected.summary['version']['number']}")
    for boundary in corrected.summary["boundaries"]:
        print(f"{boundary['segment']:<11} {format_time(boundary['entered_s'])}, set by {boundary['set_by']}")
    print(f"report      {corrected.report}")
