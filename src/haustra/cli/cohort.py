"""`haustra cohort` and `haustra cohort merge`: many recordings."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from haustra.cli.option_flags import with_flags
from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import THREADS
from haustra.options import COHORT_DEFAULTS, RECORDING_OPTIONS

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
@with_flags(RECORDING_OPTIONS, **COHORT_DEFAULTS)
def run(
    inputs: Annotated[
        list[str],
        typer.Argument(
            help="Videos, folders, patterns, or a csv or xlsx table with a column 'video'; addresses such as s3://..."
        ),
    ],
    out: Annotated[str, typer.Option("--out", "-o", help="Folder of the cohort, or an address such as s3://...")],
    workers: Annotated[int | None, typer.Option(**THREADS, help="Recordings at a time. Default: one per core.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786.")] = None,
    tls_ca_file: Annotated[
        Path | None, typer.Option("--tls-ca-file", help="With a scheduler at tls://...: who signed the certificates.")
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option("--tls-cert", help="Our certificate (PEM).")] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", help="Its private key (PEM).")] = None,
    shard: Annotated[
        str | None,
        typer.Option(help="i/N: only part i of N; auto/N takes i from the batch system. A Slurm array needs neither."),
    ] = None,
    parts: Annotated[
        bool,
        typer.Option("--parts", help="Videos in the same folder are the parts of one recording, in their order."),
    ] = False,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try failed recordings again.")] = False,
    allow_scheme: Annotated[
        list[str] | None, typer.Option(help="Also open addresses of this scheme (https) that a table names.")
    ] = None,
    *,
    share: Annotated[
        bool, typer.Option("--share", help="Others than you may read the results, as far as the umask allows.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no notes.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print events on standard output, one JSON object per line.")
    ] = False,
    **given: Any,
) -> None:
    """Locate many recordings; the same command resumes where it stopped.

    The options of 'locate' hold for every recording. A table's column of the same name (--from and --to: from_place,
    to_place; --landmark: landmarks) overrides them; a haustra.toml beside a recording gives what neither says.

    Exit codes: 0 done, 2 something to put right (one line says what), 3 some recordings failed, 130 interrupted.
    """
    import logging

    from haustra.cohort import run_cohort
    from haustra.cohort.monitor import shown
    from haustra.core.log_lines import log_to_screen
    from haustra.lab.evaluate.cohort_score import CohortScore

    if not quiet:
        log_to_screen(logging.WARNING)
        logging.getLogger("haustra").setLevel(logging.INFO)
    with shown(as_json=as_json, quiet=quiet) as monitor:
        result = run_cohort(
            inputs,
            out,
            workers=workers,
            scheduler=scheduler,
            tls=_tls(tls_ca_file, tls_cert, tls_key),
            shard=shard,
            retry_failed=retry_failed,
            options=given,
            allow_schemes=allow_scheme or (),
            parts=parts,
            share=share,
            score=CohortScore(),
            monitor=monitor,
        )
    if as_json:
        tables = None if result.merged is None else result.merged.as_dict()
        print_json({"event": "end", **result.tally.as_dict(), "out": result.out, "tables": tables})
    elif not quiet:
        _print_result(result)
    if result.failed:
        raise typer.Exit(SOME_FAILED)


def _tls(ca: Path | None, cert: Path | None, key: Path | None) -> Any:
    from haustra.cohort.cluster import TlsFiles
    from haustra.core.errors import HaustraError

    if ca is None and cert is None and key is None:
        return None
    if ca is None or cert is None or key is None:
        raise HaustraError("TLS needs three files: give --tls-ca-file, --tls-cert and --tls-key")
    return TlsFiles(ca, cert, key)


@cohort_app.command()
def merge(
    out: Annotated[str, typer.Argument(help="Folder of a cohort, or its address.")],
    as_json: JsonOption = False,
) -> None:
    """Write the tables and the page of a cohort from what its shards have finished so far."""
    from haustra.cohort import merge as merge_cohort
    from haustra.lab.evaluate.cohort_score import CohortScore

    merged = merge_cohort(out, CohortScore())
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
