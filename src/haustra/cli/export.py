"""`haustra export`: a result for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import RATE
from haustra.exchange.formats import FORMATS


def export(
    result: Annotated[Path, typer.Argument(help="A result folder of 'haustra locate' or 'haustra place'.")],
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"For which program: {', '.join(FORMATS)}.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File or folder to write to. Default: the result folder.")
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(**RATE, help="Frames a second there, for labelstudio and cvat. Default: those of the recording."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            help="For dicom-sr: the DICOM file of the recording, whose patient and study the report is given."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write segments, findings and comments of a result in the format of another program."""
    from haustra.exchange.export import export as export_result

    written = export_result(result, to, out, fps=fps, source=source)
    if as_json:
        print_json({"format": to, "file": str(written)})
    else:
        print(f"written to {written}")
