"""`haustra evaluate location` and `haustra evaluate segments`: the whole job on a dataset, in the paper's tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from haustra.cli.evaluate_motion import DataArgument, DatasetOption
from haustra.cli.output import JsonOption, print_json
from haustra.terms import DEFAULT_QUALITY

if TYPE_CHECKING:
    from haustra.evaluate.located import Case
    from haustra.evaluate.result_table import ResultTable

MethodsOption = Annotated[
    str,
    typer.Option(help="Comma-separated methods of motion, as `evaluate motion` takes them; the first is under test."),
]
OutOption = Annotated[
    Path, typer.Option("--out", "-o", help="Folder for tables and located recordings; a stopped run resumes.")
]
QualityOption = Annotated[str, typer.Option(help="lite, inception_v3, a weights file, or none.")]
ThreadsOption = Annotated[int | None, typer.Option(min=1, help="How many cores to use.")]


def location(
    data: DataArgument,
    out: OutOption,
    methods: MethodsOption = "ours",
    dataset: DatasetOption = None,
    quality: QualityOption = DEFAULT_QUALITY,
    threads: ThreadsOption = None,
    json: JsonOption = False,
) -> None:
    """How far the location index is from the truth, beside the time index and ScopeGuide."""
    from haustra.evaluate.figures import location_figures
    from haustra.evaluate.location_tables import location_results, location_tables

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
        Path | None, typer.Option(help="Recordings that templates are built from (Set 2); else the paper's templates.")
    ] = None,
    all_frames: Annotated[bool, typer.Option(help="Also with nothing removed, the paper's last two rows.")] = False,
    dataset: DatasetOption = None,
    quality: QualityOption = DEFAULT_QUALITY,
    threads: ThreadsOption = None,
    json: JsonOption = False,
) -> None:
    """Templates, segment accuracy, scores of each segment and confusion matrices, beside the paper's."""
    from dataclasses import asdict

    from haustra.evaluate.figures import confusion_figures
    from haustra.evaluate.segment_tables import SCORE_TABLES, evaluate_segments, segment_tables

    cases = _located(data, out / "located", methods, dataset, quality, threads, all_frames, json)
    set2 = []
    if template_data is not None:
        set2 = _located(template_data, out / "located-set2", methods, None, quality, threads, False, json)
    found = evaluate_segments(cases, set2)
    figures = confusion_figures(out / "figures", found.summaries(), list(SCORE_TABLES.values()))
    written = _write(out, segment_tables(found), figures, json)
    if json:
        rows = {name: asdict(s) for name, s in found.summaries().items()}
        keys = ("recordings", "accuracy", "average_error", "maximal_error")
        print_json({"segments": {n: {k: row[k] for k in keys} for n, row in rows.items()}, "written": written})


def _located(
    data: Path,
    work: Path,
    methods: str,
    dataset: str | None,
    quality: str,
    threads: int | None,
    all_frames: bool,
    quiet: bool,
) -> list[Case]:
    from haustra.evaluate.located import locate_dataset
    from haustra.evaluate.motion import parse_methods
    from haustra.progress import progress_bar

    with progress_bar("recordings", None, unit="recordings", quiet=quiet) as progress:
        return locate_dataset(
            data,
            work,
            parse_methods([methods]),
            dataset=dataset,
            all_frames=all_frames,
            options={"quality": quality, "threads": threads},
            progress=progress,
        )


def _write(out: Path, tables: list[ResultTable], figures: list[Path], quiet: bool) -> list[str]:
    from haustra.evaluate.result_table import write_tables

    written = [*write_tables(out, tables), *figures]
    if not quiet:
        print("\n".join(str(table) for table in tables))
        print(f"tables and figures written to {out}")
    return [str(path) for path in written]
