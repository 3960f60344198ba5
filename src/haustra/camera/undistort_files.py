"""`haustra undistort`: pictures or a whole recording as one pinhole camera would have seen them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.camera.presets import camera_for_picture, load_camera, picture_camera
from haustra.camera.undistort import Undistorter
from haustra.core.errors import HaustraError
from haustra.core.files import replacing, write_json
from haustra.core.pictures import read_picture, write_picture
from haustra.core.progress import Progress, silent
from haustra.core.vocabulary import GENERIC
from haustra.video import find_picture, open_recording

_RATE_HZ = 15.0


def undistort_pictures(
    pictures: Sequence[Path], folder: Path, *, camera: str, size: int, fov_deg: float, progress: Progress = silent
) -> list[Path]:
    """Write each picture undistorted, as PNG under its own name, with pinhole.json and mask.png beside them."""
    names = [path.stem for path in pictures]
    if len(set(names)) < len(names):
        raise HaustraError("two of the pictures have the same name: undistort them into different folders")
    undistorters: dict[tuple[int, int], Undistorter] = {}
    written = []
    for number, path in enumerate(pictures, start=1):
        image = read_picture(path)
        shape = (image.shape[1], image.shape[0])
        if shape not in undistorters:
            fitting = camera_for_picture(
                load_camera(camera, shape if camera == GENERIC else None), shape, (0, 0, *shape)
            )
            undistorters[shape] = Undistorter(fitting, size, fov_deg)
        written.append(folder / f"{path.stem}.png")
        write_picture(written[-1], undistorters[shape](image))
        progress(number)
    first = next(iter(undistorters.values()))
    _describe(folder, first, np.all([u.mask for u in undistorters.values()], axis=0))
    return written


def undistort_video(
    video: Path, folder: Path, *, camera: str, size: int, fov_deg: float, fps: float | None, progress: Progress = silent
) -> Path:
    """Write undistorted.mp4 (15 frames a second, times kept) of the picture, with pinhole.json and mask.png."""
    recording = open_recording(video, fps=fps)
    picture = find_picture(recording)
    side = size - size % 2  # H.264 with 4:2:0 colour needs even sides; K and the mask are of what is written
    undistorter = Undistorter(picture_camera(camera, picture), side, fov_deg)
    mask = undistorter.undistort_mask(picture.mask)
    target = folder / "undistorted.mp4"
    with replacing(target) as temporary:
        _encode(
            temporary,
            ((f.time_s, undistorter(f.image)) for f in recording.frames(rate_hz=_RATE_HZ, crop=picture.box)),
            side,
            progress,
        )
    _describe(folder, undistorter, mask)
    return target


def _encode(target: Path, frames: Iterable[tuple[float, NDArray[Any]]], side: int, progress: Progress) -> None:
    import av

    time_base = Fraction(1, 1000)
    with av.open(str(target), "w") as container:
        stream = container.add_stream("libx264", rate=round(_RATE_HZ), options={"crf": "18", "preset": "veryfast"})
        stream.width = stream.height = side
        stream.pix_fmt = "yuv420p"
        stream.codec_context.time_base = time_base
        for number, (time_s, image) in enumerate(frames, start=1):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
            frame.pts, frame.time_base = round(time_s * 1000), time_base
            container.mux(stream.encode(frame))
            progress(number)
        container.mux(stream.encode())


def _describe(folder: Path, undistorter: Undistorter, mask: NDArray[np.bool_]) -> None:
    write_json(folder / "pinhole.json", undistorter.pinhole.to_dict())
    write_picture(folder / "mask.png", np.where(mask, 255, 0).astype(np.uint8))
