"""`haustra quality`: classify the frames of a recording, or single pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import RATE, SHARE, THREADS
from haustra.core.vocabulary import DEFAULT_QUALITY, QUALITY_NAMES


def quality(
    sources: Annotated[list[Path], typer.Argument(metavar="VIDEO|PICTURES...", help="One recording, or pictures.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the table to this csv file.")] = None,
    model: Annotated[
        str, typer.Option("--quality", help=f"{', '.join(QUALITY_NAMES)}, or a file of 'haustra train quality'.")
    ] = DEFAULT_QUALITY,
    noninformative: Annotated[
        float | None,
        typer.Option(
            "--noninformative",
            **SHARE,
            help="Drop frames at or above this probability, 0 to 1. Default: the model's threshold.",
        ),
    ] = None,
    forceps: Annotated[
        float | None,
        typer.Option(
            "--forceps", **SHARE, help="Forceps at or above this probability, 0 to 1. Default: the model's threshold."
        ),
    ] = None,
    rate: Annotated[float, typer.Option("--rate", **RATE, help="Frames to sample per second.")] = 15.0,
    fps: Annotated[
        float | None, typer.Option("--fps", **RATE, help="Pictures per second, for a folder of pictures.")
    ] = None,
    start: Annotated[str, typer.Option("--start", help="Begin at this time: seconds, MM:SS or HH:MM:SS.")] = "0",
    end: Annotated[str | None, typer.Option("--end", help="Stop at this time.")] = None,
    threads: Annotated[int, typer.Option("--threads", **THREADS, help="Threads for the network.")] = 1,
    json: JsonOption = False,
) -> None:
    """Classify every sampled frame: informative or not, forceps or not."""
    from haustra.core.pictures import is_picture
    from haustra.core.progress import progress_bar
    from haustra.core.times import parse_time
    from haustra.quality import QualityModel, assess_pictures, assess_recording
    from haustra.quality.assess import write_assessment
    from haustra.video import Problems, open_recording

    network = QualityModel(model, threads=threads)
    thresholds = network.thresholds.moved(noninformative, forceps)
    problems = Problems()
    if all(is_picture(source) for source in sources):
        result = assess_pictures(sources, network, thresholds=thresholds)
    else:
        _only_one(sources)
        recording = open_recording(sources[0], fps=fps)
        stop = None if end is None else parse_time(end)
        with progress_bar("quality", stop or recording.duration_s, unit="s", quiet=json) as progress:
            result = assess_recording(
                recording,
                network,
                rate_hz=rate,
                start_s=parse_time(start),
                end_s=stop,
                thresholds=thresholds,
                progress=progress,
                problems=problems,
            )
    if out is not None:
        write_assessment(result, out)
    summary = {"model": network.name, **result.summary(), "problems": problems.lines}
    if json:
        print_json({**summary, "rows": result.rows()})
        return
    for problem in problems.lines:
        typer.echo(f"note: {problem}", err=True)
    if out is None:
        _print_rows(result.rows())
    dropped = ", ".join(f"{reason} {count}" for reason, count in result.summary()["dropped"].items())
    typer.echo(f"{summary['kept']} of {summary['samples']} kept" + (f"; dropped: {dropped}" if dropped else ""))


def _only_one(sources: list[Path]) -> None:
    from haustra.core.errors import HaustraError

    if len(sources) > 1:
        raise HaustraError(f"{len(sources)} sources that are not all pictures: give one recording, or pictures only")


def _print_rows(rows: list[dict[str, object]]) -> None:
    """A table to read; `-o` writes the one to work with."""
    for row in rows:
        first = next(iter(row.values()))
        shown = [("-" if row[key] is None else f"{row[key]:.3f}") for key in ("p_noninformative", "p_forceps")]
        typer.echo(f"{first!s:>12}  non-informative {shown[0]}  forceps {shown[1]}  {row['reason'] or 'kept'}")
