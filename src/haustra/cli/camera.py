"""`haustra cameras`, `haustra calibrate` and `haustra undistort`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from haustra.cli.output import JsonOption, print_json
from haustra.cli.ranges import RATE, SIDE, real, whole
from haustra.core.vocabulary import GENERIC
from haustra.core.wording import counted

if TYPE_CHECKING:
    from haustra.camera.board import Board
    from haustra.camera.calibrate import Calibration


def cameras(json: JsonOption = False) -> None:
    """List the cameras that --camera knows by name."""
    from haustra.camera.presets import describe_presets

    presets = describe_presets()
    if json:
        print_json({"cameras": presets})
        return
    for preset in presets:
        print(f"{preset['name']:<18} {preset['view']:<30} {preset['source']}")
    print("or a file: of 'haustra calibrate', MATLAB, OCamCalib, py-OCamCalib, OpenCV or EndoMapper")


def calibrate(
    images: Annotated[
        list[Path], typer.Argument(help="Pictures of a board, ten or more; with --from-recordings, recordings.")
    ],
    board: Annotated[str | None, typer.Option(help="Inner corners of the board, COLUMNSxROWS, such as 7x6.")] = None,
    square: Annotated[float | None, typer.Option(**real(0.01, 1000), help="Side length of a square in mm.")] = None,
    from_recordings: Annotated[
        bool,
        typer.Option("--from-recordings", help="No board: find the lens from recordings of one scope and recorder."),
    ] = False,
    fps: Annotated[float | None, typer.Option(**RATE, help="Pictures per second, for folders of pictures.")] = None,
    charuco: Annotated[
        str | None, typer.Option(metavar="DICTIONARY", help="The board is a ChArUco board with markers of 4x4_50, ...")
    ] = None,
    marker: Annotated[
        float | None, typer.Option(**real(0.01, 1000), help="Side length of a marker in mm, for a ChArUco board.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Camera file to write.")] = Path("camera.json"),
    degree: Annotated[
        int | None,
        typer.Option(
            **whole(2, 6),
            help="Degree of the lens polynomial, 2 to 6. Default: the one with the lowest held-out error.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Calibrate a camera from pictures of a checkerboard or a ChArUco board, or from recordings."""
    from haustra.core.errors import HaustraError

    if from_recordings:
        if board is not None or square is not None or charuco is not None or marker is not None or degree is not None:
            raise HaustraError("--from-recordings needs no board: leave its options out")
        _from_recordings(images, out, fps, json)
        return
    if board is None or square is None:
        raise HaustraError("a board has corners and squares: give --board and --square, or use --from-recordings")
    from haustra.camera.board import Board
    from haustra.camera.calibrate import calibrate as run
    from haustra.camera.figure import write_figure
    from haustra.camera.jsonfile import write_camera
    from haustra.core.progress import progress_bar

    with progress_bar("looking for boards", len(images), unit="pictures", quiet=json) as progress:
        result = run(images, _board(Board.parse(board, square), charuco, marker), degree=degree, progress=progress)
    figure = out.with_suffix(".png")
    write_camera(out, result.camera)
    write_figure(figure, result)
    if json:
        print_json({**result.to_dict(), "out": str(out), "figure": str(figure)})
    else:
        print("\n".join(_lines(result)))
        print(f"written: {out} and {figure}")


def _from_recordings(recordings: list[Path], out: Path, fps: float | None, json: bool) -> None:
    from haustra.camera.from_recordings import calibrate_from_recordings
    from haustra.core.progress import progress_bar

    with progress_bar("looking for pictures", len(recordings), unit="recordings", quiet=json) as progress:
        found = calibrate_from_recordings(recordings, out, fps=fps, progress=progress)
    figure = out.with_suffix(".png")
    values = found.to_dict()
    if json:
        print_json({**values, "out": str(out), "figure": str(figure)})
        return
    print(f"angle of view {values['angle_deg']:.0f} degrees, one standard deviation {values['angle_std_deg']:.0f}")
    print(
        f"half-way to the rim {values['half_radius_deg']:.1f} degrees off the axis, {values['half_radius_std_deg']:.1f}"
    )
    print(f"from {values['pairs']} pairs of frames of {len(recordings)} recordings")
    print(f"written: {out} and {figure}: straight edges and round folds should look so")


def _board(board: Board, charuco: str | None, marker: float | None) -> Board:
    from haustra.camera.charuco import CharucoBoard
    from haustra.core.errors import HaustraError

    if charuco is None and marker is None:
        return board
    if charuco is None or marker is None:
        raise HaustraError("a ChArUco board has a dictionary and a marker size: give both --charuco and --marker")
    dictionary = charuco.lower().removeprefix("dict_")
    return CharucoBoard(board.columns, board.rows, board.square_mm, dictionary, marker)


def _lines(result: Calibration) -> list[str]:
    errors = zip(result.pictures, result.picture_errors_px, strict=True)
    lines = [f"{error:7.3f} px  {path}" for path, error in errors]
    lines += [f"rejected    {path}: {reason}" for path, reason in result.rejected.items()]
    used = counted(len(result.pictures), "picture")
    lines.append(f"mean error {result.mean_error_px:.3f} px on {used}, degree {result.degree}")
    return lines


def undistort(
    inputs: Annotated[list[Path], typer.Argument(help="One video or folder of numbered pictures, or single pictures.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")],
    camera: Annotated[
        str | None, typer.Option(help="Calibration file or preset: generic, olympus-cf-hq190l, mirocam, pillcam.")
    ] = None,
    fov: Annotated[
        float, typer.Option(**real(1, 170), help="Horizontal field of view of the undistorted picture, in degrees.")
    ] = 90.0,
    size: Annotated[int, typer.Option(**SIDE, help="Side of the undistorted picture, in pixels.")] = 256,
    fps: Annotated[
        float | None, typer.Option(**RATE, help="Pictures per second, for a folder of numbered pictures.")
    ] = None,
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
        print(
            f"written: {counted(len(written), 'picture' if pictures else 'video')}, pinhole.json and mask.png in {out}"
        )
