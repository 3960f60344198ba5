"""`haustra place`, `haustra template`, `haustra map`: trajectories of other programs, colon templates, findings."""

from math import isnan
from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import real
from haustra.core.vocabulary import DEFAULT_TEMPLATE
from haustra.core.wording import counted

template_app = typer.Typer(help="Colon templates: the relative length of each segment.", no_args_is_help=True)

TemplateOption = Annotated[
    str, typer.Option("--template", help="A published template by name, or a file of 'haustra template build'.")
]


def place(
    trajectory: Annotated[Path, typer.Argument(help="A .tum or .kitti file, poses from cecum to rectum.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for frames.parquet, frames.csv and summary.json.")],
    template: TemplateOption = DEFAULT_TEMPLATE,
    smoothing: Annotated[
        float | None,
        typer.Option(
            **real(0.001, 0.5),
            help="Bends shorter than this fraction of the path count as looking around, not as travel.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the location index and segment of every pose of a trajectory from another program."""
    from haustra.place import place as place_trajectory

    summary = place_trajectory(trajectory, out, template=template, smoothing=smoothing)
    if as_json:
        print_json(summary)
        return
    for warning in summary["warnings"]:
        print(f"note: {warning}")
    for name, figures in summary["withdrawal"]["segments"].items():
        print(f"{name:<11} {100 * figures['share_of_time']:5.1f} % of the time")
    print(f"{counted(summary['poses'], 'pose')} located, written to {out}")


@template_app.command("build")
def template_build(
    results: Annotated[list[Path], typer.Argument(help="Result folders, or folders of simulated recordings.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The template file to write.")],
    annotations: Annotated[
        list[Path] | None,
        typer.Option(
            help="The seven times of each result, in the same order. Default: annotations.json in each folder."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the template. Default: that of the file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Build a colon template from annotated recordings, and compare it with the shipped one, leaving each out."""
    from haustra.anatomy.build import fit_template
    from haustra.core.vocabulary import SEGMENTS

    fit = fit_template(results, annotations or [], out=out, name=name or out.stem)
    template = fit.template
    if as_json:
        print_json(fit.as_dict())
        return
    for segment, mean, std in zip(SEGMENTS, template.mean, template.std, strict=True):
        print(f"{segment:<11} {mean:.3f} ({std:.3f})")
    for recording, own, shipped in zip(template.built_from, fit.left_out, fit.shipped, strict=True):
        left_out = "" if isnan(own) else f"{own:.3f} right by the template of the others, "
        print(f"{recording:<20} {left_out}{shipped:.3f} {'by' if left_out else 'right by'} the shipped one")
    for note in (template.few_note, fit.warning):
        if note:
            print(f"note: {note}")
    print(f"template of {counted(len(template.built_from), 'recording')} written to {out}")


@template_app.command("list")
def template_list(as_json: JsonOption = False) -> None:
    """List the published templates with their relative segment lengths."""
    from haustra.anatomy.template import load_template, published_names
    from haustra.lab.evaluate.text_table import template_table

    templates = [load_template(name) for name in published_names()]
    if as_json:
        print_json({template.name: template.mean.tolist() for template in templates})
    else:
        print(template_table(templates))


def map_findings(
    result: Annotated[Path, typer.Argument(help="A result folder of 'haustra locate' or 'haustra place'.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the tables and the picture.")],
    findings: Annotated[
        Path | None, typer.Option(help="A csv table with the columns time_s (or time), label and, optionally, score.")
    ] = None,
    template: Annotated[
        str | None, typer.Option(help="Colon template by name, or a file. Default: the result's own.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Place findings (polyps, biopsies, severity scores) in the colon: tables and a colon map."""
    from haustra.findings_map import map_result

    summary = map_result(result, findings, out, template=template)
    if as_json:
        print_json(summary)
        return
    for row in summary["segments"]:
        found = counted(row["findings"], "finding")
        print(f"{row['segment']:<11} {found:>12}, {100 * row['share_of_colon']:.0f} % of the colon")
    if summary["outside"]:
        missing = counted(summary["outside"], "finding")
        print(f"note: {missing} could not be placed: not located, or in an unidentified part of the colon")
    print(f"{counted(summary['findings'], 'finding')} in {out}")
