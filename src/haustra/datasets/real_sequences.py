"""Real sequences of PolypGen: folders `seqN` of numbered pictures whose frame rate is unknown.

Seven may be learnt and tuned on, six only report. Each of the three recorders is on both sides, and so are
instruments; the split is by sequence and is written here alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera import load_camera
from haustra.errors import HaustraError
from haustra.flow import Flow, open_flow
from haustra.motion.canonical import CANONICAL_FOV_DEG
from haustra.motion.frames import CanonicalFrames
from haustra.terms import GENERIC
from haustra.video import find_picture, open_recording

TRAINING = ("seq2", "seq4", "seq6", "seq12", "seq16", "seq19", "seq22")
REPORTED = ("seq5", "seq7", "seq9", "seq11", "seq20", "seq23")
PLAYED_HZ = 15.0  # the rate is unknown; every picture is one sample
# Two frames are neighbours where this share of the pixels comes back to where it was by the flow there and back.
NEAR_FROM = 0.5
BACK_WITHIN = 0.005  # of the picture's side, and of the way
BACK_WITHIN_WAY = 0.1


@dataclass(frozen=True)
class Sequence:
    """Frames (N, S, S, 3) in the canonical camera behind the generic lens, and where they show something (S, S)."""

    name: str
    frames: NDArray[np.uint8]
    mask: NDArray[np.bool_]


def read_sequence(folder: Path, size: int, fov_deg: float = CANONICAL_FOV_DEG) -> Sequence:
    """A sequence as `locate` sees a recording without calibration."""
    if not folder.is_dir():
        raise HaustraError(f"no such folder: {folder}: give the folder that holds seq2, seq4 and so on")
    recording = open_recording(folder, fps=PLAYED_HZ)
    picture = find_picture(recording)
    lens = load_camera(GENERIC, (picture.box.width, picture.box.height))
    view = CanonicalFrames(recording, picture, lens, size, fov_deg)
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
    """Share of the pixels of `mask` that the flow there and back brings to where they were."""
    there, back = flow(a, b), flow(b, a)
    side = a.shape[0]
    ys, xs = np.mgrid[0:side, 0:side].astype(np.float32)
    returned = there + cv2.remap(back, xs + there[..., 0], ys + there[..., 1], cv2.INTER_LINEAR)
    limit = BACK_WITHIN * side + BACK_WITHIN_WAY * np.linalg.norm(there, axis=-1)
    return float((np.linalg.norm(returned, axis=-1) <= limit)[mask].mean())
