"""`haustra app`: the local web app."""

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.ranges import THREADS, real, whole


def run(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="A folder or table of recordings, or the folder of a cohort or a result. Default: a folder of the "
            "user's own."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the cohort. Default: FOLDER-haustra in the working directory."),
    ] = None,
    parts: Annotated[
        bool,
        typer.Option("--parts", help="Videos in the same folder are the parts of one recording, in their order."),
    ] = False,
    host: Annotated[
        str, typer.Option(help="The address of this machine to answer under. Default: this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(**whole(1, 65_535), help="Default: 8347, or another that is free.")
    ] = None,
    workers: Annotated[int, typer.Option(**THREADS, help="Recordings located at a time.")] = 1,
    upload_limit: Annotated[
        float, typer.Option(**real(0.001, 10_000), help="Largest recording that can be dropped, in GB.")
    ] = 8.0,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    """Locate, review and correct recordings in the browser; nothing leaves this machine.

    The jobs are those of 'haustra cohort': both read what the other has made. Ctrl-C ends the app; what was queued
    goes on when it is started again.
    """
    import webbrowser

    from haustra.core.errors import require

    for module in ("starlette", "uvicorn", "platformdirs"):
        require(module, "app")
    from haustra.app.server import run_app

    opened = webbrowser.open if browser else len
    most = int(upload_limit * 1e9)
    run_app(folder, out=out, parts=parts, host=host, port=port, workers=workers, most_bytes=most, opened=opened)
