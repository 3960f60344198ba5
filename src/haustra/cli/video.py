"""`haustra info`: what a recording holds, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from haustra.cli.output import JsonOption, print_json

if TYPE_CHECKING:
    from haustra.video.describe import Description


def info(
    video: Annotated[Path, typer.Argument(help="Video file, DICOM video or folder of numbered pictures.")],
    fps: Annotated[
        float | None, typer.Option(help="Pictures per second, for a folder or a stream without time stamps.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show size, length, rate, codec and endoscope picture of a recording, and any problems."""
    from haustra.video import open_recording
    from haustra.video.describe import describe

    description = describe(open_recording(video, fps=fps))
    if json:
        print_json(_as_json(video, description))
    else:
        print("\n".join(_lines(video, description)))


def _as_json(video: Path, description: Description) -> dict[str, Any]:
    picture = description.picture
    values = {key: getattr(description, key) for key in description.__dataclass_fields__ if key != "picture"}
    box = picture.box._asdict() | {"valid_share": round(float(picture.mask.mean()), 4)}
    return {"path": str(video), **values, "picture": box}


def _lines(video: Path, description: Description) -> list[str]:
    from haustra.core.times import format_time

    d, box = description, description.picture.box
    kind = "variable" if d.variable_rate else "constant"
    return [
        str(video),
        f"  frame     {d.width} x {d.height}, {d.codec}",
        f"  length    {format_time(d.duration_s)}, {d.frames} frames",
        f"  rate      {d.frame_rate:.2f} frames a second, {kind}",
        *(["  fields    interlaced: frames are deinterlaced as they are read"] if d.interlaced else []),
        f"  picture   {box.width} x {box.height} at x {box.x}, y {box.y}; "
        f"{d.picture.mask.mean():.0%} of the box shows tissue",
        *[f"  problem   {line}" for line in d.problems or ["none found"]],
    ]
