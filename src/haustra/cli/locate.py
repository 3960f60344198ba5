"""`haustra locate` and `haustra compare`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.terms import DEFAULT_QUALITY, DEFAULT_TEMPLATE, GENERIC, Naming


def locate(
    videos: Annotated[
        list[Path],
        typer.Argument(metavar="VIDEO", help="A video file, a DICOM video or a folder of pictures (with --fps)."),
    ],
    withdrawal_start: Annotated[
        str | None,
        typer.Option(help="When the withdrawal starts: seconds, MM:SS or HH:MM:SS. Found by itself if not given."),
    ] = None,
    withdrawal_end: Annotated[
        str | None, typer.Option(help="When it ends; by default at the last informative frame.")
    ] = None,
    from_place: Annotated[
        str | None,
        typer.Option("--from", help="Where a part of a colon begins: a segment, or a location index from 0 to 1."),
    ] = None,
    to_place: Annotated[str | None, typer.Option("--to", help="Where it ends, likewise.")] = None,
    camera: Annotated[str, typer.Option(help="A calibration file or a preset.")] = GENERIC,
    template: Annotated[str, typer.Option(help="A colon template by name, or a file.")] = DEFAULT_TEMPLATE,
    segments: Annotated[str, typer.Option(help="How segments are named: decoder, template or time.")] = Naming.DECODER,
    landmark: Annotated[
        list[str] | None,
        typer.Option(
            help="hepatic=3:05: a flexure is left or a segment entered; or an annotations file. Not for template."
        ),
    ] = None,
    flow: Annotated[
        str | None,
        typer.Option(help="Optical flow: dis, lk, farneback, pwcnet, or a file of 'haustra train flow'."),
    ] = None,
    motion: Annotated[
        str | None,
        typer.Option(help="Motion weights of 'haustra train motion', or liu2013, klt, orb, xfeat, expansion."),
    ] = None,
    quality: Annotated[str, typer.Option(help="lite, inception_v3, a weights file, or none.")] = DEFAULT_QUALITY,
    scopeguide: Annotated[
        Path | None,
        typer.Option(help="Inserted lengths (csv: time_s,length_cm), shown beside our location."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Result folder (default: NAME-haustra here).")] = None,
    overlay: Annotated[bool, typer.Option(help="Also write the overlay video.")] = True,
    threads: Annotated[int | None, typer.Option(min=1, help="How many cores to use. The result is the same.")] = None,
    fps: Annotated[float | None, typer.Option(help="Pictures a second, for a folder of pictures.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no notes.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Where in the colon every frame of a recording was taken.

    Exit codes: 0 done, 2 something to put right (one line says what), 130 interrupted: run it again to resume.
    """
    import logging

    from haustra.errors import HaustraError
    from haustra.pipeline import locate as locate_recording

    logging.getLogger("haustra").setLevel(logging.INFO)  # the file in the result folder has it all
    if not quiet:
        logging.basicConfig(level=logging.INFO, format="%(message)s")  # standard error
    if len(videos) > 1:
        raise HaustraError(f"locate takes one recording, {len(videos)} were given: use haustra cohort VIDEOS --out DIR")
    result = locate_recording(
        videos[0],
        withdrawal_start=withdrawal_start,
        withdrawal_end=withdrawal_end,
        from_place=from_place,
        to_place=to_place,
        camera=camera,
        template=template,
        segments=segments,
        landmarks=landmark or (),
        flow=flow,
        motion=motion,
        quality=quality,
        scopeguide=scopeguide,
        out=out,
        overlay=overlay,
        threads=threads,
        fps=fps,
        quiet=quiet,
    )
    if as_json:
        print_json(result.summary | {"folder": str(result.folder)})
    elif not quiet:
        _print_result(result)


def _print_result(result: Any) -> None:
    from haustra.times import format_time

    withdrawal = result.summary["withdrawal"]
    print(f"withdrawal  {format_time(withdrawal['start_s'])} to {format_time(withdrawal['end_s'])}")
    named = {name: figures for name, figures in withdrawal["segments"].items() if figures["time_s"] > 0}
    for name, figures in named.items():
        print(f"{name:<11} {format_time(figures['time_s'])}, {100 * figures['share_of_time']:.0f} % of the time")
    if not named:
        print("segments    none named")
    for warning in result.summary["warnings"]:
        print(f"note: {warning}")
    print(f"report      {result.report}")


def compare(
    result: Annotated[Path, typer.Argument(help="A result folder of 'haustra locate' or 'haustra place'.")],
    truth: Annotated[Path, typer.Argument(help="A simulated folder, an annotations .json, a .tum or a .kitti file.")],
    template: Annotated[
        str | None, typer.Option(help="A colon template by name, or a file; else the one of the result.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """How good a result is where the truth is known, beside the oracle and the time index."""
    from haustra.anatomy import load_template
    from haustra.evaluate.recording import evaluate_result, read_truth
    from haustra.result import open_result

    own = None if template is None else load_template(template)
    figures = evaluate_result(open_result(result), read_truth(truth), own)
    if as_json:
        print_json(figures)
    else:
        print(_comparison(figures))


def _comparison(figures: dict[str, Any]) -> str:
    """Segments as a table, the rest as lines; each protocol under its own name."""
    from haustra.evaluate.tables import text_table

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
