"""`haustra evaluate location` and `haustra evaluate segments`: the whole pipeline, in the paper's tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from haustra.cli.evaluate_motion import DataArgument, DatasetOption
from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import THREADS
from haustra.core.vocabulary import DEFAULT_QUALITY, QUALITY_NAMES, Naming

if TYPE_CHECKING:
    from haustra.lab.evaluate.locate_dataset import Case
    from haustra.lab.evaluate.result_table import ResultTable

MethodsOption = Annotated[
    str,
    typer.Option(help="Comma-separated motion methods, as for 'evaluate motion'; the first is the one under test."),
]
OutOption = Annotated[
    Path, typer.Option("--out", "-o", help="Folder for tables and located recordings; the same command resumes.")
]
QualityOption = Annotated[str, typer.Option(help=f"{', '.join(QUALITY_NAMES)}, a weights file, or none.")]
ThreadsOption = Annotated[int | None, typer.Option(**THREADS, help="Cores to use. Default: all.")]


def location(
    data: DataArgument,
    out: OutOption,
    methods: MethodsOption = "ours",
    dataset: DatasetOption = None,
    quality: QualityOption = DEFAULT_QUALITY,
    threads: ThreadsOption = None,
    json: JsonOption = False,
) -> None:
    """Measure the error of the location index, beside the time index and ScopeGuide."""
    from haustra.lab.evaluate.location_tables import location_results, location_tables
    from haustra.lab.evaluate.paper_figures import location_figures

    cases = _located(data, out / "located", methods, dataset, quality, threads, False, json)
    results = location_results(cases)
    written = _write(out, location_tables(results), location_figures(out / "figures", cases), json)
    if json:
        figures = {name: {one: e.as_dict() for one, e in found.items()} for name, found in results.items()}
        print_json({"location": figures, "written": written})


def segments(
    data: DataArgument,
    out: OutOption,
    methods: MethodsOption = "ours",
    template_data: Annotated[
        Path | None, typer.Option(help="Recordings to build templates from (Set 2). Default: the paper's templates.")
    ] = None,
    segments_by: Annotated[
        str,
        typer.Option(
            "--segments", help="Comma-separated naming methods to compare: template, decoder, time, scopeguide."
        ),
    ] = "",
    all_frames: Annotated[bool, typer.Option(help="Also without dropping frames: the paper's last two rows.")] = False,
    dataset: DatasetOption = None,
    quality: QualityOption = DEFAULT_QUALITY,
    threads: ThreadsOption = None,
    json: JsonOption = False,
) -> None:
    """Measure templates, segment accuracy, per-segment scores and confusion matrices, beside the paper's.

    DATA may also be the table of real withdrawals of CAS-Colon (.csv): the time index is then evaluated, leave-one-out.
    """
    from dataclasses import asdict

    from haustra.lab.evaluate.paper_figures import confusion_figures
    from haustra.lab.evaluate.segment_methods import naming_table, parse_namings
    from haustra.lab.evaluate.segment_tables import SCORE_TABLES, evaluate_segments, segment_tables

    if data.suffix.lower() == ".csv":
        _times_only(data, out, json)
        return
    namings = parse_namings(segments_by)
    cases = _located(data, out / "located", methods, dataset, quality, threads, all_frames, json, namings)
    set2 = []
    if template_data is not None:
        set2 = _located(template_data, out / "located-set2", methods, None, quality, threads, False, json)
    found = evaluate_segments(cases, set2)
    figures = confusion_figures(out / "figures", found.summaries(), list(SCORE_TABLES.values()))
    by_naming = [naming_table(cases, namings)] if namings else []
    written = _write(out, [*segment_tables(found), *by_naming], figures, json)
    if json:
        rows = {name: asdict(s) for name, s in found.summaries().items()}
        keys = ("recordings", "accuracy", "average_error", "maximal_error")
        figures_by = {row.name: [cell and cell.mean for cell in row.cells] for table in by_naming for row in table.rows}
        by = {name: dict(zip(by_naming[0].columns, cells, strict=True)) for name, cells in figures_by.items()}
        accuracy = {name: {key: row[key] for key in keys} for name, row in rows.items()}
        print_json({"segments": accuracy, "segments_by": by, "written": written})


def _times_only(table: Path, out: Path, json: bool) -> None:
    from haustra.lab.datasets.cas_colon import read_withdrawals
    from haustra.lab.evaluate.withdrawal_times import timed_segments, times_table

    found = times_table([timed_segments(withdrawal) for withdrawal in read_withdrawals(table)])
    written = _write(out, [found], [], json)
    if json:
        rows = {row.name: [cell and cell.mean for cell in row.cells] for row in found.rows}
        print_json({"columns": found.columns, "rows": rows, "written": written})


def _located(
    data: Path,
    work: Path,
    methods: str,
    dataset: str | None,
    quality: str,
    threads: int | None,
    all_frames: bool,
    quiet: bool,
    namings: Sequence[str] = (),
) -> list[Case]:
    from haustra.core.progress import progress_bar
    from haustra.lab.evaluate.locate_dataset import locate_dataset
    from haustra.lab.evaluate.motion_evaluation import parse_methods

    with progress_bar("recordings", None, unit="recordings", quiet=quiet) as progress:
        return locate_dataset(
            data,
            work,
            parse_methods([methods]),
            dataset=dataset,
            all_frames=all_frames,
            namings=[Naming(name) for name in namings if name in list(Naming)],
            options={"quality": quality, "threads": threads},
            progress=progress,
        )


def _write(out: Path, tables: list[ResultTable], figures: list[Path], quiet: bool) -> list[str]:
    from haustra.lab.evaluate.result_table import write_tables

    written = [*write_tables(out, tables), *figures]
    if not quiet:
        print("\n".join(str(table) for table in tables))
        print(f"tables and figures written to {out}")
    return [str(path) for path in written]
