"""`haustra doctor` and `haustra open`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import JsonOption, print_json


def doctor(as_json: JsonOption = False) -> None:
    """Check this installation: versions, cores, codecs, models, free disk, and a short self-test.

    Exit codes: 0 all is well, 2 something to put right.
    """
    from haustra.cli.endings import WRONG
    from haustra.doctor import as_dict, examine

    checks = examine(Path.cwd())
    if as_json:
        print_json(as_dict(checks))
    else:
        for check in checks:
            print(f"{check.name:<10} {'ok ' if check.ok else 'BAD'} {check.found}")
    if not all(check.ok for check in checks):
        raise typer.Exit(WRONG)


def open_page(
    result: Annotated[Path, typer.Argument(help="A result folder of 'haustra locate', or the folder of a cohort.")],
) -> None:
    """Open the report of a result, or the overview of a cohort, in the browser."""
    import webbrowser

    from haustra.cohort.tables import PAGE
    from haustra.core.errors import HaustraError
    from haustra.results.folder import REPORT

    pages = [page for page in (result / REPORT, result / PAGE) if page.is_file()]
    if not pages:
        raise HaustraError(f"{result} is neither a result nor a cohort: it has no {REPORT} and no {PAGE}")
    print(pages[0])
    if not webbrowser.open(pages[0].absolute().as_uri()):
        print("no browser was found here: open the file above in one")
