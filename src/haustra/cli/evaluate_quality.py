"""`haustra evaluate quality`: the frame classifier's scores, as in the paper's tab:image_classification."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import THREADS
from haustra.core.vocabulary import DEFAULT_QUALITY, QUALITY_NAMES


def quality(
    data: Annotated[
        list[Path] | None, typer.Argument(help="Folders of classes, or csv tables: path,label or video,time_s,label.")
    ] = None,
    model: Annotated[
        str, typer.Option("--quality", help=f"{', '.join(QUALITY_NAMES)}, or a weights file.")
    ] = DEFAULT_QUALITY,
    stills: Annotated[
        list[Path] | None,
        typer.Option(help="Kvasir-SEG or HyperKvasir: also evaluate on the held-out stills; may be repeated."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Use every frame, not only those of the test recordings.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Folder for the table (csv, Markdown, LaTeX) and a page of curves and mistakes."
        ),
    ] = None,
    threads: Annotated[int, typer.Option(**THREADS, help="Threads for the network.")] = 1,
    json: JsonOption = False,
) -> None:
    """Measure AUCPR, AUC, F1, sensitivity, specificity, precision and accuracy: mean (std) over recordings."""
    from haustra.core.errors import HaustraError
    from haustra.core.progress import progress_bar
    from haustra.lab.evaluate.classification_scores import classification_text
    from haustra.lab.evaluate.quality_run import as_json, evaluate_quality, evaluate_stills
    from haustra.lab.evaluate.quality_tables import quality_table
    from haustra.lab.evaluate.result_table import write_tables
    from haustra.lab.evaluate.text_table import text_table
    from haustra.quality import QualityModel

    if not data and not stills:
        raise HaustraError("nothing to evaluate on: give folders or csv tables of labelled frames, or --stills")
    network = QualityModel(model, threads=threads)
    report: dict[str, object] = {"model": network.name}
    if data:
        with progress_bar("reading pictures", None, unit="pictures", quiet=json) as progress:
            page = None if out is None else out / "quality.html"
            scores = evaluate_quality(data, network, everything=everything, page=page, progress=progress)
        report |= as_json(scores)
        if out is not None:
            report["written"] = [str(path) for path in (page, *write_tables(out, [quality_table(scores)]))]
        if not json:
            print(classification_text({f"{network.name}: {task}": row for task, row in scores.items()}))
    if stills:
        found = {name: value for folder in stills for name, value in evaluate_stills(folder, network).items()}
        report["stills"] = found
        if not json:
            print("\n" + text_table(["real stills", ""], [[name, f"{value:.4f}"] for name, value in found.items()]))
    if json:
        print_json(report)
    elif out is not None and data:
        print(f"page and tables written to {out}")
