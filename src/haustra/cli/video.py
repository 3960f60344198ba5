"""`haustra info`: what a recording holds, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import RATE

if TYPE_CHECKING:
    from haustra.video.describe import Description


def info(
    videos: Annotated[
        list[Path],
        typer.Argument(
            metavar="VIDEO...",
            help="Video file, DICOM video or folder of numbered pictures; several are the parts of one recording.",
        ),
    ],
    fps: Annotated[
        float | None, typer.Option(**RATE, help="Pictures per second, for a folder or a stream without time stamps.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show size, length, rate, codec and endoscope picture of a recording, and any problems."""
    from haustra.video import open_recording
    from haustra.video.describe import describe

    description = describe(open_recording(videos, fps=fps))
    if json:
        print_json(_as_json(videos[0], description))
    else:
        print("\n".join(_lines(videos[0], description)))


def _as_json(video: Path, description: Description) -> dict[str, Any]:
    picture, parts = description.picture, description.parts
    apart = ("picture", "parts")
    values = {key: getattr(description, key) for key in description.__dataclass_fields__ if key not in apart}
    box = picture.box._asdict() | {"valid_share": round(float(picture.mask.mean()), 4)}
    files = {"parts": [{"path": str(part.path), "start_s": part.start_s} for part in parts]} if parts else {}
    return {"path": str(video), **values, "picture": box, **files}


def _lines(video: Path, description: Description) -> list[str]:
    from haustra.core.times import format_time
    from haustra.core.wording import counted

    d, box = description, description.picture.box
    kind = "variable" if d.variable_rate else "constant"
    return [
        str(video),
        *(f"  part {n:<4} from {format_time(part.start_s)}: {part.path}" for n, part in enumerate(d.parts, 1)),
        f"  frame     {d.width} x {d.height}, {d.codec}",
        f"  length    {format_time(d.duration_s)}, {counted(d.frames, 'frame')}",
        f"  rate      {d.frame_rate:.2f} frames a second, {kind}",
        *(["  fields    interlaced: frames are deinterlaced as they are read"] if d.interlaced else []),
        f"  picture   {box.width} x {box.height} at x {box.x}, y {box.y}; "
        f"{d.picture.mask.mean():.0%} of that box belong to it",
        *(f"  note      {line}" for line in d.picture.notes),
        *[f"  problem   {line}" for line in d.problems or ["none found"]],
    ]
