"""`haustra train ...`: networks from your own recordings or from the simulator (needs the `train` extra)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.cli.train_quality import quality

app = typer.Typer(help="Train the networks (pip install 'haustra[train]').", no_args_is_help=True)
app.command()(quality)

DataArgument = Annotated[Path, typer.Argument(help="A cohort, a folder of recordings, a video, or a folder of pairs.")]
OutOption = Annotated[Path, typer.Option("--out", "-o", help="Folder of the run; a run that was stopped goes on.")]
StepsOption = Annotated[int | None, typer.Option(help="Steps to train (default: the configuration's).")]
SeedOption = Annotated[int, typer.Option(help="Seed of weights and batches.")]
ThreadsOption = Annotated[int | None, typer.Option(help="Cores to use (default: all).")]
CameraOption = Annotated[
    str | None, typer.Option(help="Camera preset or file (default: camera.json beside the video, else generic).")
]
StartOption = Annotated[Path | None, typer.Option(help="Weights to start from: best.safetensors of another run.")]


@app.command()
def motion(
    data: DataArgument,
    out: OutOption,
    config: Annotated[str, typer.Option(help="paper, rescaled, targets, adapt or simulated.")] = "targets",
    ablation: Annotated[str | None, typer.Option(help="An ablation, e.g. no-flow; several: a+b.")] = None,
    steps: StepsOption = None,
    seed: SeedOption = 0,
    start: Annotated[
        str | None,
        typer.Option(help="Weights to begin with: shipped, a motion.onnx, or best.safetensors of another run."),
    ] = None,
    camera: CameraOption = None,
    cache: Annotated[Path | None, typer.Option(help="Where frame pairs are kept (default: OUT/pairs).")] = None,
    threads: ThreadsOption = None,
    json_output: JsonOption = False,
) -> None:
    """Train the camera motion network and export it as ONNX."""
    from haustra.training.motion.command import run_motion_training

    summary = run_motion_training(
        data,
        out,
        config=config,
        ablation=ablation,
        steps=steps,
        seed=seed,
        start=start,
        camera=camera,
        cache=cache,
        threads=threads,
        quiet=json_output,
    )
    _finish(summary, out, json_output)


@app.command()
def flow(
    data: Annotated[Path, typer.Argument(help="A folder of simulated pairs (`haustra train pairs`).")],
    out: OutOption,
    steps: StepsOption = None,
    seed: SeedOption = 0,
    width: Annotated[
        float, typer.Option(help="Share of the published layer widths; 1 is the published network.")
    ] = 0.25,
    start: StartOption = None,
    threads: ThreadsOption = None,
    json_output: JsonOption = False,
) -> None:
    """Train PWC-Net on simulated flow and export it as ONNX."""
    from haustra.training.flow.trainer import run_flow_training

    summary = run_flow_training(
        data, out, steps=steps, seed=seed, width=width, start=start, threads=threads, quiet=json_output
    )
    _finish(summary, out, json_output)


@app.command()
def pairs(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the pairs; what is there already is kept.")],
    colons: Annotated[int, typer.Option(help="How many colons; each has its own look, scope and operator.")] = 200,
    clips: Annotated[int, typer.Option(help="Clips of three frames (three pairs) in each colon.")] = 64,
    size: Annotated[int, typer.Option(help="Pixels of the canonical picture.")] = 128,
    seed: SeedOption = 0,
    workers: Annotated[int, typer.Option(help="Processes.")] = 1,
    json_output: JsonOption = False,
) -> None:
    """Make simulated frame pairs with exact motion and depth."""
    from haustra.training.motion.simulated import PairPlan, make_pairs

    count = make_pairs(out, PairPlan(colons, clips, size, seed), workers=workers, quiet=json_output)
    if json_output:
        print_json({"pairs": count, "out": str(out)})
    else:
        print(f"{count} pairs in {out}")


def _finish(summary: dict[str, float], out: Path, json_output: bool) -> None:
    if not summary:
        return  # not the first of several processes
    if json_output:
        print_json(summary)
        return
    for name, value in summary.items():
        print(f"{name:>16}  {value:.5g}")
    print(f"exported to {out}")
