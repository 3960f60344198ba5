"""Real sequences of PolypGen: folders `seqN` of numbered pictures whose frame rate is unknown.

Seven are for training and tuning, six are the test set. Both have sequences from each of the three recorders and with
instruments. The split is by sequence and is defined only here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera import picture_camera
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import GENERIC
from haustra.flow import Flow, open_flow
from haustra.motion.canonical import CANONICAL_FOV_DEG
from haustra.motion.canonical_frames import CanonicalFrames
from haustra.video import find_picture, open_recording

TRAINING = ("seq2", "seq4", "seq6", "seq12", "seq16", "seq19", "seq22")
REPORTED = ("seq5", "seq7", "seq9", "seq11", "seq20", "seq23")
PLAYED_HZ = 15.0  # the true rate is unknown; every image is one sample
# Two frames are neighbours if at least this share of the pixels passes the forward-backward check of the flow.
NEAR_FROM = 0.5
BACK_WITHIN = 0.005  # tolerance of the check: share of the picture's side,
BACK_WITHIN_FLOW = 0.1  # plus share of the flow's length


@dataclass(frozen=True)
class Sequence:
    """Frames (N, S, S, 3) in the canonical camera by the generic lens preset, and their valid pixels (S, S)."""

    name: str
    frames: NDArray[np.uint8]
    mask: NDArray[np.bool_]


def read_sequence(folder: Path, size: int, fov_deg: float = CANONICAL_FOV_DEG) -> Sequence:
    """A sequence as `locate` reads a recording without calibration."""
    if not folder.is_dir():
        raise HaustraError(f"no such folder: {folder}: give the folder that holds seq2, seq4 and so on")
    recording = open_recording(folder, fps=PLAYED_HZ)
    picture = find_picture(recording)
    view = CanonicalFrames(recording, picture, picture_camera(GENERIC, picture), size, fov_deg)
    frames = np.stack([frame.image for frame in view(rate_hz=PLAYED_HZ)])
    return Sequence(folder.name, frames, view.mask)


def near_pairs(sequence: Sequence, flow: Flow | None = None) -> list[int]:
    """Each i whose frame is a near neighbour of frame i + 1."""
    flow = flow or open_flow("dis")
    frames = sequence.frames
    return [
        i for i in range(len(frames) - 1) if returning_share(frames[i], frames[i + 1], sequence.mask, flow) >= NEAR_FROM
    ]


def returning_share(a: NDArray[np.uint8], b: NDArray[np.uint8], mask: NDArray[np.bool_], flow: Flow) -> float:
    """Share of the pixels of `mask` that pass the forward-backward check."""
    there, back = flow(a, b), flow(b, a)
    side = a.shape[0]
    ys, xs = np.mgrid[0:side, 0:side].astype(np.float32)
    returned = there + cv2.remap(back, xs + there[..., 0], ys + there[..., 1], cv2.INTER_LINEAR)
    limit = BACK_WITHIN * side + BACK_WITHIN_FLOW * np.linalg.norm(there, axis=-1)
    return float((np.linalg.norm(returned, axis=-1) <= limit)[mask].mean())
