"""`haustra simulate`: recordings with exact ground truth, to test the pipeline and to train on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import SECONDS, SEED, THREADS, real, whole
from haustra.core.wording import counted

if TYPE_CHECKING:
    from haustra.lab.simulate.simulated_cohort import Member

simulate_app = typer.Typer(
    help="Simulate recordings of a colon with exact ground truth.", no_args_is_help=True, add_completion=False
)

OutOption = Annotated[Path, typer.Option("--out", "-o", help="Folder to write.", show_default=False)]
SizeOption = Annotated[str, typer.Option("--size", help="Width x height of the frames, for example 640x480.")]
WorldOption = Annotated[str, typer.Option("--world", help="plain, or wide: more bodies, looks, scopes and operators.")]
CourseOption = Annotated[
    str | None, typer.Option("--course", help="Course of the colon: usual, varied or laid; else the world's own.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed gives the same pixels and truth.", **SEED)]


def _size(text: str) -> tuple[int, int]:
    from haustra.core.errors import HaustraError

    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise HaustraError(f"'{text}' is not a size: write WIDTHxHEIGHT, for example 480x480")
    return int(parts[0]), int(parts[1])


@simulate_app.command("withdrawal")
def withdrawal(
    out: OutOption,
    seed: SeedOption = 1,
    seconds: Annotated[float, typer.Option("--seconds", **SECONDS, help="Length of the withdrawal.")] = 60.0,
    size: SizeOption = "480x480",
    fps: Annotated[float, typer.Option("--fps", **real(1, 120), help="Frames per second.")] = 15.0,
    insertion: Annotated[
        float, typer.Option("--insertion", **real(0, 86_400), help="Seconds of insertion before the withdrawal.")
    ] = 0.0,
    wall_motion: Annotated[bool, typer.Option("--wall-motion", help="The wall breathes and contracts.")] = False,
    world: WorldOption = "plain",
    course: CourseOption = None,
    spoilt: Annotated[
        float | None,
        typer.Option("--spoilt", **real(0, 0.6), help="Share planned to show nothing, 0 to 0.6; some more happens."),
    ] = None,
    slip: Annotated[
        float | None, typer.Option("--slip", **real(0, 0.5), help="Share of the colon lost in one gap, up to 0.5.")
    ] = None,
    depth: Annotated[bool, typer.Option("--depth", help="Write the depth of every frame.")] = False,
    flow: Annotated[bool, typer.Option("--flow", help="Write the optical flow to the next frame.")] = False,
    specular: Annotated[bool, typer.Option("--specular", help="Write the highlights of every frame.")] = False,
    json: JsonOption = False,
) -> None:
    """Simulate one recording: video, camera, truth of every frame, seven annotated times, ScopeGuide, contact sheet."""
    from haustra.core.progress import progress_bar
    from haustra.lab.simulate.courses import check_course
    from haustra.lab.simulate.seeds import check_free_seed
    from haustra.lab.simulate.simulated_recording import Settings, write_recording
    from haustra.lab.simulate.wide import check_world

    check_free_seed(seed)
    family = None if course is None else check_course(course)
    settings = Settings(
        seed, seconds, *_size(size), fps, insertion, wall_motion, check_world(world), family, spoilt, slip
    )
    maps = tuple(name for name, wanted in (("depth", depth), ("flow", flow), ("specular", specular)) if wanted)
    with progress_bar("simulating", round((seconds + insertion) * fps), quiet=json) as progress:
        summary = write_recording(out, settings, maps=maps, progress=progress)
    if json:
        print_json(summary)
    else:
        print(
            f"{out}: {counted(summary['frames'], 'frame')}, {summary['non_informative']:.0%} non-informative,"
            f" {summary['forceps']:.0%} with forceps"
        )


@simulate_app.command("cohort")
def cohort(
    out: OutOption,
    recordings: Annotated[
        int, typer.Option("--recordings", **whole(1, 100_000), help="Number of recordings over all splits.")
    ] = 44,
    seconds: Annotated[float, typer.Option("--seconds", **SECONDS, help="Mean length of the withdrawals.")] = 120.0,
    size: SizeOption = "320x320",
    seed: SeedOption = 1,
    only: Annotated[
        str | None, typer.Option("--only", help="Make one set: set1 (motion), set2 (template) or set3 (test).")
    ] = None,
    world: WorldOption = "plain",
    course: CourseOption = None,
    json: JsonOption = False,
) -> None:
    """Simulate a cohort split like the paper's localisation dataset, on all cores; the same command resumes."""
    from haustra.lab.simulate.simulated_cohort import members_of, plan_cohort

    width, height = _size(size)
    members = plan_cohort(recordings, seed, seconds=seconds, width=width, height=height, world=world, course=course)
    if only is not None:
        members = members_of(members, only)
    _write_members(out, members, None, json)


@simulate_app.command("set")
def one_set(
    name: Annotated[str, typer.Argument(help="tuning, heldout, slips or proof.")],
    out: OutOption,
    recordings: Annotated[
        int | None,
        typer.Option("--recordings", **whole(1, 100_000), help="Only the first N, a mixture of all kinds."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Processes. Default: one per core.", **THREADS)
    ] = None,
    json: JsonOption = False,
) -> None:
    """Simulate the recordings that locations are tuned on or tested on, each set with its own seeds; resumes."""
    from haustra.lab.simulate.recording_sets import plan_set

    _write_members(out, plan_set(name), workers, json, first=recordings)


def _write_members(out: Path, members: list[Member], workers: int | None, json: bool, first: int | None = None) -> None:
    from haustra.core.progress import progress_bar
    from haustra.lab.simulate.simulated_cohort import write_cohort

    wanted = len(members[:first])
    with progress_bar("simulating", wanted, unit="recordings", quiet=json) as progress:
        result = write_cohort(out, members, first=first, workers=workers, progress=progress)
    if json:
        print_json(result)
    else:
        print(f"{out}: {counted(wanted, 'recording')}, {result['made']} new, {result['kept']} already there")


@simulate_app.command("frames")
def frames(
    out: OutOption,
    recordings: Annotated[
        int, typer.Option("--recordings", **whole(1, 100_000), help="Number of recordings, training and test.")
    ] = 29,
    seconds: Annotated[
        float, typer.Option("--seconds", **SECONDS, help="Length of each recording; one still per second.")
    ] = 300.0,
    size: SizeOption = "320x320",
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Simulate labelled stills at 1 Hz, like the paper's image classification dataset, with labels.csv."""
    from haustra.core.progress import progress_bar
    from haustra.lab.simulate.simulated_stills import plan_stills, write_stills

    series = plan_stills(recordings, seconds, seed, _size(size))
    with progress_bar("simulating", len(series), unit="recordings", quiet=json) as progress:
        result = write_stills(out, series, progress=progress)
    if json:
        print_json(result)
    else:
        counts = ", ".join(f"{label} {count}" for label, count in sorted(result["labels"].items()))
        print(f"{out}: {result['stills']} stills: {counts}")
