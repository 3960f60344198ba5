"""`haustra train ...`: networks from your own or simulated recordings (needs the `train` extra)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import BATCH, STEPS, THREADS, WIDTH, real, whole
from haustra.cli.train_options import OutOption, SeedOption, StepsOption, ThreadsOption, WeightsOption, finish
from haustra.cli.train_quality import quality, thresholds
from haustra.core.vocabulary import FLOW_NAMES
from haustra.core.wording import counted

app = typer.Typer(help="Train the networks (pip install 'haustra[train]').", no_args_is_help=True)
app.command()(quality)
app.command()(thresholds)

DataArgument = Annotated[
    Path,
    typer.Argument(
        help="A cohort, a folder of recordings, a video, or a folder of pairs; for adapt also a table of recordings or "
        "folders of pictures."
    ),
]
CameraOption = Annotated[
    str | None,
    typer.Option(
        help="Camera preset or file (default: camera.json beside the video, else generic; for adapt, else auto)."
    ),
]
LambdaOption = Annotated[
    list[float] | None, typer.Option(**real(0, 1e6), help="Weight of this loss; with --search several times.")
]
FlowOption = Annotated[
    str | None,
    typer.Option(help=f"Optical flow of the pairs: {', '.join(FLOW_NAMES)}, or a file (default: {FLOW_NAMES[0]})."),
]


@app.command()
def motion(
    data: DataArgument,
    out: OutOption,
    method: Annotated[str | None, typer.Option(help="ours (default), sfmlearner, geonet or sc-sfmlearner.")] = None,
    config: Annotated[
        str | None, typer.Option(help="paper, rescaled, targets (default), adapt, simulated, wide.")
    ] = None,
    ablation: Annotated[str | None, typer.Option(help="An ablation, e.g. no-flow; several: a+b.")] = None,
    steps: Annotated[list[int] | None, typer.Option(**STEPS, help="Steps; with --search several times.")] = None,
    search: Annotated[bool, typer.Option("--search", help="Try all combinations, choose by validation CPE.")] = False,
    batch: Annotated[
        list[int] | None, typer.Option(**BATCH, help="Pairs per step; with --search several times.")
    ] = None,
    lr: Annotated[
        list[float] | None, typer.Option(**real(1e-9, 10), help="Learning rate; with --search several times.")
    ] = None,
    lambda_ce: LambdaOption = None,
    lambda_mc: LambdaOption = None,
    lambda_smo: LambdaOption = None,
    width: Annotated[
        float | None, typer.Option(**WIDTH, help="Rivals only: fraction of the published layer widths (default: 1).")
    ] = None,
    seed: SeedOption = 0,
    weights: Annotated[
        str | None,
        typer.Option(help="Initial weights: shipped, a motion.onnx, or a .safetensors file of another run."),
    ] = None,
    camera: CameraOption = None,
    flow: FlowOption = None,
    fps: Annotated[
        float | None, typer.Option(**real(0.01, 1000), help="adapt only: pictures a second, of folders of pictures.")
    ] = None,
    cache: Annotated[Path | None, typer.Option(help="Folder for frame pairs (default: OUT/pairs).")] = None,
    threads: ThreadsOption = None,
    json_output: JsonOption = False,
) -> None:
    """Train the camera motion network and export it as ONNX.

    With --search every combination of the values given is trained; search.csv lists the best first.
    """
    from haustra.cli.listed_recordings import listed_recordings
    from haustra.core.errors import HaustraError
    from haustra.flow.methods import DEFAULT_FLOW
    from haustra.lab.training.command import run_motion_training
    from haustra.lab.training.motion.config import ADAPT
    from haustra.lab.training.search import search_motion
    from haustra.motion.methods import OURS

    lambdas = {"lambda_ce": lambda_ce, "lambda_mc": lambda_mc, "lambda_smo": lambda_smo}
    given = {"steps": steps, "batch": batch, "learning_rate": lr, **lambdas}
    several = {name: values for name, values in given.items() if values and len(values) > 1}
    single = {name: values[0] for name, values in given.items() if values and len(values) == 1} | {"width": width}
    options: dict[str, Any] = {"method": method or OURS, "config": config, "ablation": ablation, "seed": seed}
    options |= {"weights": weights, "camera": camera, "flow": flow or DEFAULT_FLOW, "cache": cache}
    if config == ADAPT:
        options["listed"] = listed_recordings(data, out, {"camera": camera, "fps": fps})
    options |= {"threads": threads, "quiet": json_output}
    if several and not search:
        raise HaustraError(f"several values for {', '.join(several)}: add --search to try all, or give one of each")
    if search:
        best = search_motion(data, out, several, values=single, **options)
        finish(dict(best.figures), best.folder, json_output)
    else:
        finish(run_motion_training(data, out, values=single, **options), out, json_output)


@app.command()
def flow(
    data: Annotated[Path, typer.Argument(help="A folder of simulated pairs (`haustra train pairs`).")],
    out: OutOption,
    steps: StepsOption = None,
    seed: SeedOption = 0,
    width: Annotated[
        float | None,
        typer.Option(
            **WIDTH, help="Fraction of the published layer widths; 1 is the published network (default: a quarter)."
        ),
    ] = None,
    weights: WeightsOption = None,
    threads: ThreadsOption = None,
    json_output: JsonOption = False,
) -> None:
    """Train PWC-Net on simulated flow and export it as ONNX."""
    from haustra.lab.training.flow.trainer import run_flow_training

    summary = run_flow_training(
        data, out, steps=steps, seed=seed, width=width, weights=weights, threads=threads, quiet=json_output
    )
    finish(summary, out, json_output)


@app.command("flow-file")
def flow_file(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="The published PWC-Net as its PyTorch file.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for pwcnet.onnx and its card.")],
    json_output: JsonOption = False,
) -> None:
    """Convert the published PWC-Net for `locate --flow` and `train motion --flow` (licence: non-commercial)."""
    from haustra.lab.training.flow.published_weights import convert_flow_file

    written = convert_flow_file(source, out)
    if json_output:
        print_json({"written": str(written)})
    else:
        print(f"written: use it with --flow {written}")


@app.command()
def pairs(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the pairs; existing ones are kept.")],
    colons: Annotated[
        int, typer.Option(**whole(1, 100_000), help="Number of colons, each with its own look, scope and operator.")
    ] = 200,
    clips: Annotated[
        int | None,
        typer.Option(**whole(1, 100_000), help="Clips of three frames (three pairs) in each colon (default: 64)."),
    ] = None,
    size: Annotated[
        int | None, typer.Option(**whole(32, 1024), help="Side of the canonical picture in pixels (default: 128).")
    ] = None,
    seed: SeedOption = 0,
    flow: FlowOption = None,
    world: Annotated[str, typer.Option(help="plain, or wide: also uninformative frames.")] = "plain",
    large: Annotated[
        bool, typer.Option("--large", help="Large, smeared motion and hurried pulls (wide world).")
    ] = False,
    workers: Annotated[int, typer.Option(**THREADS, help="Processes.")] = 1,
    json_output: JsonOption = False,
) -> None:
    """Simulate frame pairs with exact motion and depth."""
    from haustra.lab.simulate.wide import check_world
    from haustra.lab.training.motion.simulated_pairs import PairPlan, make_pairs

    given: dict[str, Any] = {"clips": clips, "size": size, "flow": flow}
    plan = PairPlan(
        colons,
        seed=seed,
        world=check_world(world),
        large=large,
        **{name: value for name, value in given.items() if value is not None},
    )
    count = make_pairs(out, plan, workers=workers, quiet=json_output)
    if json_output:
        print_json({"pairs": count, "out": str(out)})
    else:
        print(f"{counted(count, 'pair')} in {out}")
