"""`haustra calibrate` and `haustra undistort`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.core.vocabulary import GENERIC

if TYPE_CHECKING:
    from haustra.camera.calibrate import Calibration


def calibrate(
    images: Annotated[
        list[Path], typer.Argument(help="Pictures of a checkerboard; ten or more give a good calibration.")
    ],
    board: Annotated[str, typer.Option(help="Inner corners of the board, COLUMNSxROWS, such as 7x6.")],
    square: Annotated[float, typer.Option(help="Side length of a square in mm.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Camera file to write.")] = Path("camera.json"),
    degree: Annotated[
        int | None,
        typer.Option(help="Degree of the lens polynomial, 2 to 6. Default: the one with the lowest held-out error."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Calibrate a camera from pictures of a checkerboard."""
    from haustra.camera.board import Board
    from haustra.camera.calibrate import calibrate as run
    from haustra.camera.figure import write_figure
    from haustra.camera.jsonfile import write_camera
    from haustra.core.progress import progress_bar

    with progress_bar("looking for boards", len(images), unit="pictures", quiet=json) as progress:
        result = run(images, Board.parse(board, square), degree=degree, progress=progress)
    figure = out.with_suffix(".png")
    write_camera(out, result.camera)
    write_figure(figure, result)
    if json:
        print_json({**result.to_dict(), "out": str(out), "figure": str(figure)})
    else:
        print("\n".join(_lines(result)))
        print(f"written: {out} and {figure}")


def _lines(result: Calibration) -> list[str]:
    errors = zip(result.pictures, result.errors_px.mean(axis=1), strict=True)
    lines = [f"{error:7.3f} px  {path}" for path, error in errors]
    lines += [f"rejected    {path}: {reason}" for path, reason in result.rejected.items()]
    lines.append(f"mean error {result.mean_error_px:.3f} px on {len(result.pictures)} pictures, degree {result.degree}")
    return lines


def undistort(
    inputs: Annotated[list[Path], typer.Argument(help="One video or folder of numbered pictures, or single pictures.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")],
    camera: Annotated[
        str | None, typer.Option(help="Calibration file or preset: generic, olympus-cf-hq190l, mirocam, pillcam.")
    ] = None,
    fov: Annotated[float, typer.Option(help="Horizontal field of view of the undistorted picture, in degrees.")] = 90.0,
    size: Annotated[int, typer.Option(min=16, max=8192, help="Side of the undistorted picture, in pixels.")] = 256,
    fps: Annotated[float | None, typer.Option(help="Pictures per second, for a folder of numbered pictures.")] = None,
    json: JsonOption = False,
) -> None:
    """Write undistorted pictures, as a pinhole camera would have taken them."""
    from haustra.camera import conversion_notice
    from haustra.camera.undistort_files import undistort_pictures, undistort_video
    from haustra.core.errors import HaustraError
    from haustra.core.pictures import is_picture
    from haustra.core.progress import progress_bar

    if camera is None:
        print(
            f"haustra: no --camera given, using the preset '{GENERIC}' (a typical colonoscope); "
            "calibrate your scope with 'haustra calibrate' for straighter pictures",
            file=sys.stderr,
        )
    name = camera or GENERIC
    if notice := conversion_notice(name):
        print(f"haustra: {notice}", file=sys.stderr)
    pictures = all(is_picture(path) for path in inputs)
    if not pictures and len(inputs) > 1:
        raise HaustraError(f"{len(inputs)} inputs that are not all pictures: give one video, or pictures only")
    with progress_bar("undistorting", len(inputs) if pictures else None, quiet=json) as progress:
        if pictures:
            written = undistort_pictures(inputs, out, camera=name, size=size, fov_deg=fov, progress=progress)
        else:
            written = [undistort_video(inputs[0], out, camera=name, size=size, fov_deg=fov, fps=fps, progress=progress)]
    if json:
        print_json(
            {
                "written": [str(path) for path in written],
                "pinhole": str(out / "pinhole.json"),
                "mask": str(out / "mask.png"),
                "camera": name,
            }
        )
    else:
        print(f"written: {len(written)} {'pictures' if pictures else 'video'}, pinhole.json and mask.png in {out}")
