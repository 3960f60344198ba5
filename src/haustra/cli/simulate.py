"""`haustra simulate`: recordings with exact ground truth, to try the pipeline on and to train with."""

from pathlib import Path
from typing import Annotated

import typer

from haustra.cli.output import JsonOption, print_json

simulate_app = typer.Typer(
    help="Make recordings of a simulated colon with exact ground truth.", no_args_is_help=True, add_completion=False
)

OutOption = Annotated[Path, typer.Option("--out", "-o", help="Folder to make.", show_default=False)]
SizeOption = Annotated[str, typer.Option("--size", help="Width x height of the frames, for example 640x480.")]
WorldOption = Annotated[str, typer.Option("--world", help="plain, or wide: more bodies, looks, scopes and operators.")]
CourseOption = Annotated[
    str | None, typer.Option("--course", help="Course of the colon: usual, varied or laid; else the world's own.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed gives the same pixels and truth.", min=0)]


def _size(text: str) -> tuple[int, int]:
    from haustra.errors import HaustraError

    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise HaustraError(f"'{text}' is no size: write width x height, for example 480x480")
    return int(parts[0]), int(parts[1])


@simulate_app.command("withdrawal")
def withdrawal(
    out: OutOption,
    seed: SeedOption = 1,
    seconds: Annotated[float, typer.Option("--seconds", help="Length of the withdrawal.")] = 60.0,
    size: SizeOption = "480x480",
    fps: Annotated[float, typer.Option("--fps", help="Frames a second.")] = 15.0,
    insertion: Annotated[float, typer.Option("--insertion", help="Seconds of insertion before the withdrawal.")] = 0.0,
    wall_motion: Annotated[bool, typer.Option("--wall-motion", help="The wall breathes and contracts.")] = False,
    world: WorldOption = "plain",
    course: CourseOption = None,
    spoilt: Annotated[
        float | None, typer.Option("--spoilt", help="Share planned to show nothing, 0 to 0.6; some more happens.")
    ] = None,
    depth: Annotated[bool, typer.Option("--depth", help="Write the depth of every frame.")] = False,
    flow: Annotated[bool, typer.Option("--flow", help="Write the optical flow to the next frame.")] = False,
    specular: Annotated[bool, typer.Option("--specular", help="Write the highlights of every frame.")] = False,
    json: JsonOption = False,
) -> None:
    """One recording: video, camera, truth of every frame, the seven annotated times, ScopeGuide, contact sheet."""
    from haustra.progress import progress_bar
    from haustra.simulate.courses import check_course
    from haustra.simulate.recording import Settings, write_recording
    from haustra.simulate.wide import check_world

    family = None if course is None else check_course(course)
    settings = Settings(seed, seconds, *_size(size), fps, insertion, wall_motion, check_world(world), family, spoilt)
    maps = tuple(name for name, wanted in (("depth", depth), ("flow", flow), ("specular", specular)) if wanted)
    with progress_bar("simulating", round((seconds + insertion) * fps), quiet=json) as progress:
        summary = write_recording(out, settings, maps=maps, progress=progress)
    if json:
        print_json(summary)
    else:
        print(
            f"{out}: {summary['frames']} frames, {summary['non_informative']:.0%} non-informative,"
            f" {summary['forceps']:.0%} with forceps"
        )


@simulate_app.command("cohort")
def cohort(
    out: OutOption,
    recordings: Annotated[int, typer.Option("--recordings", help="How many recordings over all splits.")] = 44,
    seconds: Annotated[float, typer.Option("--seconds", help="Mean length of the withdrawals.")] = 120.0,
    size: SizeOption = "320x320",
    seed: SeedOption = 1,
    only: Annotated[
        str | None, typer.Option("--only", help="Make one set: set1 (motion), set2 (template) or set3 (test).")
    ] = None,
    world: WorldOption = "plain",
    course: CourseOption = None,
    json: JsonOption = False,
) -> None:
    """Recordings split as the paper's localisation dataset, on all cores; started again, it makes what is missing."""
    from haustra.progress import progress_bar
    from haustra.simulate.cohort import members_of, plan_cohort, write_cohort

    width, height = _size(size)
    members = plan_cohort(recordings, seed, seconds=seconds, width=width, height=height, world=world, course=course)
    if only is not None:
        members = members_of(members, only)
    with progress_bar("simulating", len(members), unit="recordings", quiet=json) as progress:
        result = write_cohort(out, members, progress=progress)
    if json:
        print_json(result)
    else:
        print(f"{out}: {len(members)} recordings, {result['made']} made now, {result['kept']} were there")


@simulate_app.command("frames")
def frames(
    out: OutOption,
    recordings: Annotated[int, typer.Option("--recordings", help="How many recordings, training and test.")] = 29,
    seconds: Annotated[float, typer.Option("--seconds", help="Length of each recording, one still a second.")] = 300.0,
    size: SizeOption = "320x320",
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Labelled stills at 1 Hz as the paper's image classification dataset, with labels.csv."""
    from haustra.progress import progress_bar
    from haustra.simulate.stills import plan_stills, write_stills

    series = plan_stills(recordings, seconds, seed, _size(size))
    with progress_bar("simulating", len(series), unit="recordings", quiet=json) as progress:
        result = write_stills(out, series, progress=progress)
    if json:
        print_json(result)
    else:
        counts = ", ".join(f"{label} {count}" for label, count in sorted(result["labels"].items()))
        print(f"{out}: {result['stills']} stills: {counts}")
