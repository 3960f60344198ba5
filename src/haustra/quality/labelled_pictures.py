"""The pictures of labelled frames, cropped to the endoscope picture as the pipeline crops them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from haustra.core.arrays import Images
from haustra.core.errors import HaustraError
from haustra.core.pictures import read_picture
from haustra.core.progress import Progress, silent
from haustra.quality.labelled import FOLDER_HZ, Sample
from haustra.quality.network_input import fitted_size, picture_box, prepare
from haustra.quality.overlay_mask import OverlayMask
from haustra.video import Box, find_picture, open_recording


def load_pictures(samples: Sequence[Sample], size: int, progress: Progress = silent) -> Images:
    """(N, size, size, 3), in the order of the samples."""
    pictures = np.zeros((len(samples), size, size, 3), np.uint8)
    groups: dict[tuple[str, str, Path | None], list[int]] = defaultdict(list)
    for position, sample in enumerate(samples):
        video = sample.path if sample.time_s is not None else None
        groups[sample.source, sample.recording, video].append(position)
    done = 0
    for (_, _, video), positions in groups.items():
        own = [samples[position] for position in positions]
        pictures[positions] = _from_files(own, size) if video is None else _from_video(video, own, size)
        done += len(positions)
        progress(done)
    return pictures


def _from_files(samples: Sequence[Sample], size: int) -> Images:
    """One box for a recording: a dark frame alone does not show where the picture ends."""
    images = [read_picture(sample.path) for sample in samples]
    box = None
    if len({image.shape for image in images}) == 1:
        box = _around([picture_box(image) for image in images if image.max() > 0] or [picture_box(images[0])])
    return np.stack([prepare(image, size, box or picture_box(image)) for image in images])


def _around(boxes: Sequence[Box]) -> Box:
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes)
    return Box(x, y, right - x, bottom - y)


def _from_video(video: Path, samples: Sequence[Sample], size: int) -> Images:
    """Burnt-in graphics are blackened as in the pipeline: the network must learn nothing from them."""
    recording = open_recording(video, fps=FOLDER_HZ if video.is_dir() else None)
    picture = find_picture(recording)
    box = picture.box
    target = fitted_size(box.width, box.height, size)
    mask = OverlayMask(picture, target)
    pictures = []
    for sample in samples:
        moment = sample.time_s or 0.0
        frame = next(recording.frames(rate_hz=None, start_s=moment, size=target, crop=box), None)
        if frame is None:
            raise HaustraError(f"{video} has no frame at {moment} s: the label points past its end")
        pictures.append(prepare(mask(frame.image), size))
    return np.stack(pictures)
