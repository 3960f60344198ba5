"""`haustra cohort` and `haustra cohort merge`: many recordings."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from haustra.cli.output import JsonOption, print_json

RUN = "run"
SOME_FAILED = 3  # no crash has it


class _RunByDefault(TyperGroup):
    """`haustra cohort VIDEOS --out DIR` is `haustra cohort run VIDEOS --out DIR`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = [RUN, *args]
        return super().parse_args(ctx, args)


cohort_app = typer.Typer(
    cls=_RunByDefault,
    help="Many recordings: on this machine, as an array of batch jobs, or on a Dask cluster.",
    no_args_is_help=True,
)


@cohort_app.command(RUN)
def run(
    inputs: Annotated[
        list[str],
        typer.Argument(help="Videos, folders, patterns, or a csv/xlsx table with a column 'video'; s3:// works too."),
    ],
    out: Annotated[str, typer.Option("--out", "-o", help="Folder of the cohort, or an address such as s3://...")],
    workers: Annotated[int | None, typer.Option(min=1, help="Recordings at a time. Else as many as cores.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786.")] = None,
    shard: Annotated[
        str | None,
        typer.Option(help="i/N: only the i-th of N parts; auto/N in an array. A Slurm array does it by itself."),
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Also try again what failed before.")] = False,
    overlay: Annotated[bool, typer.Option(help="Also write an overlay video for each.")] = False,
    withdrawal_start: Annotated[str | None, typer.Option(help="As for 'locate'; a table's column wins.")] = None,
    withdrawal_end: Annotated[str | None, typer.Option(help="As for 'locate'; a table's column wins.")] = None,
    from_place: Annotated[str | None, typer.Option("--from", help="As for 'locate'; a table's column wins.")] = None,
    to_place: Annotated[str | None, typer.Option("--to", help="As for 'locate'; a table's column wins.")] = None,
    camera: Annotated[str | None, typer.Option(help="As for 'locate'; a table's column wins.")] = None,
    template: Annotated[str | None, typer.Option(help="As for 'locate'; a table's column wins.")] = None,
    segments: Annotated[str | None, typer.Option(help="As for 'locate'; a table's column wins.")] = None,
    flow: Annotated[str | None, typer.Option(help="As for 'locate'; a table's column wins.")] = None,
    motion: Annotated[str | None, typer.Option(help="As for 'locate'; a table's column wins.")] = None,
    quality: Annotated[str | None, typer.Option(help="As for 'locate'; a table's column wins.")] = None,
    fps: Annotated[str | None, typer.Option(help="As for 'locate'; a table's column wins.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no notes.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print events on standard output, one JSON object a line.")
    ] = False,
) -> None:
    """Locate many recordings; the same command resumes where it stopped.

    Exit codes: 0 done, 2 something to put right (one line says what), 3 some recordings failed, 130 interrupted.
    """
    import logging
    import signal

    from haustra.cohort import run_cohort
    from haustra.cohort.monitor import shown

    # Batch systems end a job with SIGTERM: the recordings under way are ended, too, and go on at the next start.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if not quiet:
        logging.basicConfig(level=logging.WARNING, format="%(message)s")  # standard error
    given = {
        "withdrawal_start": withdrawal_start,
        "withdrawal_end": withdrawal_end,
        "from_place": from_place,
        "to_place": to_place,
        "camera": camera,
        "template": template,
        "segments": segments,
        "flow": flow,
        "motion": motion,
        "quality": quality,
        "fps": fps,
    }
    with shown(as_json=as_json, quiet=quiet) as monitor:
        result = run_cohort(
            inputs,
            out,
            workers=workers,
            scheduler=scheduler,
            shard=shard,
            retry_failed=retry_failed,
            overlay=overlay,
            options={name: value for name, value in given.items() if value is not None},
            monitor=monitor,
        )
    if as_json:
        tables = None if result.merged is None else result.merged.as_dict()
        print_json({"event": "end", **result.tally.as_dict(), "out": result.out, "tables": tables})
    elif not quiet:
        _print_result(result)
    if result.failed:
        raise typer.Exit(SOME_FAILED)


@cohort_app.command()
def merge(
    out: Annotated[str, typer.Argument(help="Folder of a cohort, or its address.")],
    as_json: JsonOption = False,
) -> None:
    """Tables and page of a cohort from what its shards have done so far."""
    from haustra.cohort import merge as merge_cohort

    merged = merge_cohort(out)
    if as_json:
        print_json(merged.as_dict())
    else:
        _print_merged(out, merged)


def _print_result(result: Any) -> None:
    if result.merged is not None:
        _print_merged(result.out, result.merged)
        return
    print(f"shard {result.shard}: {result.tally}")
    print(f"when all shards are done: haustra cohort merge {result.out}")


def _print_merged(out: str, merged: Any) -> None:
    for recording, line in merged.failures:
        print(f"failed      {recording}: {line}")
    for note in merged.notes:
        print(f"note: {note}")
    print(f"recordings  {merged.finished} finished, {merged.failed} failed, {merged.unfinished} unfinished")
    print(f"overview    {out}/index.html")
