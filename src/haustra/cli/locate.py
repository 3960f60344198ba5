"""`haustra locate` and `haustra compare`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from haustra.cli.option_flags import with_flags
from haustra.cli.output import JsonOption, print_json
from haustra.options import OPTIONS


@with_flags(OPTIONS)
def locate(
    videos: Annotated[
        list[Path],
        typer.Argument(
            metavar="VIDEO...",
            help="A video file, a DICOM video or a folder of pictures (with --fps); several are the parts of one "
            "recording, in their order.",
        ),
    ],
    *,
    as_json: JsonOption = False,
    **given: Any,
) -> None:
    """Tell where in the colon every frame of a recording was taken.

    Options that are not given are taken from a haustra.toml beside the recording, if there is one.

    Exit codes: 0 done, 2 something to put right (one line says what), 130 interrupted: run it again to resume.
    """
    import logging

    from haustra.core.log_lines import log_to_screen
    from haustra.pipeline import locate as locate_recording

    quiet = given.get("quiet", False)
    logging.getLogger("haustra").setLevel(logging.INFO)  # the file in the result folder has it all
    if not quiet:
        log_to_screen(logging.INFO)
    result = locate_recording(videos, **given)
    if as_json:
        print_json(result.summary | {"folder": str(result.folder)})
    elif not quiet:
        _print_result(result)


def _print_result(result: Any) -> None:
    from haustra.core.times import format_time

    withdrawal = result.summary["withdrawal"]
    print(f"withdrawal  {format_time(withdrawal['start_s'])} to {format_time(withdrawal['end_s'])}")
    named = {name: figures for name, figures in withdrawal["segments"].items() if figures["time_s"]}
    for name, figures in named.items():
        print(f"{name:<11} {format_time(figures['time_s'])}, {100 * figures['share_of_time']:.0f} % of the time")
    if not named:
        print("segments    none named")
    print(f"report      {result.report}")


def compare(
    result: Annotated[Path, typer.Argument(help="A result folder of 'haustra locate' or 'haustra place'.")],
    truth: Annotated[Path, typer.Argument(help="A simulated folder, an annotations .json, a .tum or a .kitti file.")],
    template: Annotated[
        str | None, typer.Option(help="A colon template by name, or a file. Default: the result's own.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare a result with the truth, beside the oracle and the time index."""
    from haustra.anatomy import load_template
    from haustra.lab.evaluate.score_result import read_truth, score_result
    from haustra.localization import open_result

    own = None if template is None else load_template(template)
    figures = score_result(open_result(result), read_truth(truth), own).as_dict()
    if as_json:
        print_json(figures)
    else:
        print(_comparison(figures))


def _comparison(figures: dict[str, Any]) -> str:
    """Segments as a table, then each protocol under its own name."""
    from haustra.lab.evaluate.text_table import text_table

    by_time = f" (time index: {figures['time_template']})" if "time_template" in figures else ""
    parts = [f"{figures['frames']} frames, template {figures['template']}{by_time}"]
    if "segments" in figures:
        rows = [[name, *(f"{value:.3f}" for value in row.values())] for name, row in figures["segments"].items()]
        header = ["segments", *next(iter(figures["segments"].values()))]
        parts.append(text_table(header, rows))
    for group in ("location", "location_time_index", "location_scopeguide", "trajectory"):
        rows = [[name, "-" if value is None else f"{value:.4f}"] for name, value in figures.get(group, {}).items()]
        parts += [text_table([group, ""], rows)] if rows else []
    return "\n\n".join(parts)
