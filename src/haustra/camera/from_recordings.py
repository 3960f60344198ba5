"""`haustra calibrate --from-recordings`: one lens for several recordings of one scope on one recorder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from haustra.camera.jsonfile import write_camera
from haustra.camera.self_calibration.estimate import RecordedLens, lens_from_recordings
from haustra.camera.undistort import Undistorter
from haustra.core.arrays import Image
from haustra.core.errors import HaustraError
from haustra.core.files import replacing
from haustra.core.progress import Progress, silent
from haustra.video import Picture, Recording, find_picture, open_recording
from haustra.video.standard import crop

SAME_LAYOUT = 0.03  # share of the box: how far the picture may be found elsewhere in another recording
SHOWN_PX, SHOWN_DEG = 480, 100.0


@dataclass(frozen=True)
class PooledLens:
    """The lens of `recordings`, found from them together."""

    lens: RecordedLens
    recordings: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """For --json: angles of view from rim to rim, and half-way to it off the axis, with standard deviations."""
        lens = self.lens
        return {
            "angle_deg": round(2 * lens.rim_deg, 2),
            "angle_std_deg": round(2 * lens.rim_std_deg, 2),
            "half_radius_deg": round(lens.half_deg, 2),
            "half_radius_std_deg": round(lens.half_std_deg, 2),
            "pairs": lens.pairs,
            "residual_px": lens.residual_px,
            "recordings": [str(path) for path in self.recordings],
        }


def calibrate_from_recordings(
    paths: Sequence[Path], out: Path, *, fps: float | None = None, progress: Progress = silent
) -> PooledLens:
    """Find the lens, write it to `out`, and beside it a frame as recorded and straightened, to be looked at."""
    opened: list[tuple[Recording, Picture]] = []
    for path in paths:
        recording = open_recording(path, fps=fps)
        opened.append((recording, find_picture(recording)))
        _check_layout(opened[0], opened[-1])
        progress(len(opened))
    lens = lens_from_recordings(opened)
    if not lens.estimated:
        raise HaustraError(
            f"{len(paths)} recordings say too little about their lens ({lens.pairs} usable pairs of frames): give more "
            "of them, or calibrate with pictures of a board"
        )
    write_camera(out, lens.camera)
    _write_figure(out.with_suffix(".png"), *opened[0], lens)
    return PooledLens(lens, tuple(paths))


def _check_layout(first: tuple[Recording, Picture], other: tuple[Recording, Picture]) -> None:
    """The lens is found in pixels of one picture: all recordings must show it at the same size and place."""
    (_, one), (recording, another) = first, other
    sizes = [(picture.frame_width, picture.frame_height) for picture in (one, another)]
    apart = max(abs(a - b) for a, b in zip(one.box, another.box, strict=True))
    if sizes[0] != sizes[1] or apart > SAME_LAYOUT * max(one.box.width, one.box.height):
        shown = [f"{w}x{h} with the picture at {tuple(p.box)}" for (w, h), p in zip(sizes, (one, another), strict=True)]
        raise HaustraError(
            f"{recording.name} has another layout ({shown[1]}) than the first recording ({shown[0]}): give recordings "
            "of one scope on one recorder"
        )


def _write_figure(target: Path, recording: Recording, picture: Picture, lens: RecordedLens) -> None:
    stills = [image for _, image in recording.stills(3)]
    frame = crop(stills[len(stills) // 2], picture.box)
    straight = Undistorter(lens.camera, SHOWN_PX, SHOWN_DEG)(frame)
    height, width = frame.shape[:2]
    shown: Image = np.asarray(cv2.resize(frame, (round(width * SHOWN_PX / height), SHOWN_PX)), np.uint8)
    _, data = cv2.imencode(".png", np.hstack([shown, straight])[..., ::-1])
    with replacing(target) as temporary:
        temporary.write_bytes(data.tobytes())
