"""`haustra train quality`: a frame classifier from labelled frames."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import BATCH, real, whole
from haustra.cli.train_options import OutOption, SeedOption, StepsOption, ThreadsOption, WeightsOption
from haustra.core.vocabulary import DEFAULT_QUALITY, QUALITY_NAMES


def quality(
    out: OutOption,
    data: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders of classes, or csv tables: path,label or video,time_s,label."),
    ] = None,
    stills: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of real pictures: Kvasir-SEG, HyperKvasir or the real sequences; may be repeated."),
    ] = None,
    network: Annotated[str, typer.Option(help=f"{', '.join(QUALITY_NAMES)} (as in the paper).")] = DEFAULT_QUALITY,
    imagenet: Annotated[Path | None, typer.Option(help="torchvision's Inception-v3 file to start from.")] = None,
    weights: WeightsOption = None,
    steps: StepsOption = None,
    size: Annotated[
        int | None, typer.Option(**whole(32, 1024), help="Side of the input in pixels (default: the network's).")
    ] = None,
    batch: Annotated[
        list[int] | None, typer.Option(**BATCH, help="Pictures per step; several values: cross-validation.")
    ] = None,
    lr: Annotated[
        list[float] | None, typer.Option(**real(1e-9, 10), help="Learning rate; several values: cross-validation.")
    ] = None,
    dropout: Annotated[
        list[float] | None, typer.Option(**real(0, 0.99), help="Dropout; several values: cross-validation.")
    ] = None,
    l2: Annotated[
        list[float] | None, typer.Option(**real(0, 10), help="L2 regularisation; several values: cross-validation.")
    ] = None,
    folds: Annotated[int, typer.Option(**whole(2, 100), help="Folds of the cross-validation.")] = 5,
    seed: SeedOption = 0,
    threads: ThreadsOption = None,
    json_output: JsonOption = False,
) -> None:
    """Train a frame classifier and export it as ONNX with its model card.

    Give a setting several times (--lr 1e-3 --lr 3e-4) and k-fold cross-validation over recordings chooses by AUCPR.
    """
    from haustra.core.errors import require
    from haustra.core.files import read_json

    torch = require("torch", "train")
    from haustra.lab.training.quality.config import configuration
    from haustra.lab.training.quality.train_quality import train_quality

    if threads is not None:
        torch.set_num_threads(threads)
    given = {"batch": batch, "lr": lr, "dropout": dropout, "l2": l2}
    single = {name: values[0] for name, values in given.items() if values}
    choices = {name: values for name, values in given.items() if values and len(values) > 1}
    config = configuration(network, steps=steps, size=size, seed=seed, **single)
    path = train_quality(
        data or [],
        config,
        out,
        stills=stills or [],
        choices=choices,
        folds=folds,
        imagenet=imagenet,
        weights=weights,
        quiet=json_output,
    )
    if path is None:
        return  # not the first of several processes
    scores = read_json(path.with_suffix(".json"))["scores"]
    if json_output:
        print_json({"model": str(path), "scores": scores})
        return
    for name, value in scores.items():
        print(f"{name}  {value if isinstance(value, str) else format(value, '.4g')}")
    print(f"exported to {path}")


def thresholds(
    data: Annotated[
        list[Path],
        typer.Argument(help="Marked frames: folders of classes, or csv tables: path,label or video,time_s,label."),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Accept: write the classifier with the new thresholds (.onnx).")
    ] = None,
    model: Annotated[str, typer.Option("--quality", help="The classifier, by name or file.")] = DEFAULT_QUALITY,
    json_output: JsonOption = False,
) -> None:
    """Refit a classifier's thresholds to your own idea of informative. Without --out the change is only shown."""
    from haustra.core.errors import require

    require("onnx", "train")
    from haustra.lab.training.quality.own_thresholds import refit_thresholds, write_with_thresholds

    refit = refit_thresholds(data, model)
    if out is not None:
        write_with_thresholds(refit, out, model)
    if json_output:
        print_json({**refit.as_dict(), "written": None if out is None else str(out)})
        return
    for name in ("noninformative", "forceps"):
        print(f"{name:<15} {getattr(refit.before, name):.4f} -> {getattr(refit.after, name):.4f}")
    print(f"as you marked   {refit.right_before:.1%} -> {refit.right_after:.1%} of {refit.marked} frames")
    print(f"                {refit.left_out:.1%} of recordings that the thresholds were not fitted to")
    print("nothing was written: accept it with --out" if out is None else f"written: use it with --quality {out}")
