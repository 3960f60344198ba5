"""Per-frame truth as pictures, on request: depth, optical flow to the next frame with occlusion, highlights.

depth/NNNNNN.png     16 bit, z depth in mm times 200, 0 = nothing known there (surround, instrument, outside)
flow/NNNNNN.png      16 bit as in KITTI: R = 64 u + 32768, G = 64 v + 32768, B = 1 where the flow is valid and the point
                     is seen in the next frame, 2 where it is hidden or outside there, 0 where nothing is known
specular/NNNNNN.png  8 bit, 255 on highlights
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.errors import HaustraError
from haustra.core.files import write_json
from haustra.lab.simulate.procedure import Procedure, Shot

DEPTH_SCALE = 200.0
FLOW_SCALE, FLOW_ZERO = 64.0, 32768.0
SEEN, HIDDEN = 1, 2
FORMATS = {
    "depth": {"depth_mm": "value / 200", "unknown": 0},
    "flow": {"u_px": "(R - 32768) / 64", "v_px": "(G - 32768) / 64", "B": "0 unknown, 1 visible next, 2 occluded"},
    "specular": {"highlight": 255},
}


class MapWriter:
    """Writes the requested maps into folders beside the video; flow needs the frame after, so it comes one later."""

    def __init__(self, folder: Path, procedure: Procedure, kinds: tuple[str, ...]) -> None:
        self._folder, self._procedure, self._kinds = folder, procedure, kinds
        self._last: Shot | None = None
        for kind in kinds:
            (folder / kind).mkdir()
        if kinds:
            write_json(folder / "maps.json", {kind: FORMATS[kind] for kind in kinds})

    def add(self, shot: Shot) -> None:
        if "depth" in self._kinds:
            self._write("depth", shot.truth.frame, depth_picture(shot))
        if "specular" in self._kinds:
            blank = np.zeros(shot.hidden.shape, np.uint8)
            lit = blank if shot.view is None else (shot.view.specular & (shot.hidden < 0.5)).astype(np.uint8) * 255
            self._write("specular", shot.truth.frame, lit)
        if "flow" in self._kinds:
            if self._last is not None:
                self._write("flow", self._last.truth.frame, self._flow(self._last, shot))
            self._last = shot

    def _flow(self, shot: Shot, after: Shot) -> NDArray[np.uint16]:
        """OpenCV's channel order: B, G, R."""
        picture = np.zeros((*shot.hidden.shape, 3), np.uint16)
        if shot.view is None or after.view is None:
            return picture
        flow, occluded = self._procedure.renderer.flow_to(shot.view, after.truth.T_w_c, after.truth.time_s, after.view)
        known = shot.view.valid & (shot.hidden < 0.5) & (np.abs(flow) < 500).all(axis=-1)
        picture[..., 2] = np.clip(np.round(flow[..., 0] * FLOW_SCALE + FLOW_ZERO), 0, 65535)
        picture[..., 1] = np.clip(np.round(flow[..., 1] * FLOW_SCALE + FLOW_ZERO), 0, 65535)
        picture[..., 0] = np.where(occluded, HIDDEN, SEEN)
        picture[~known] = 0
        return picture

    def _write(self, kind: str, frame: int, picture: NDArray[np.uint8] | NDArray[np.uint16]) -> None:
        target = self._folder / kind / f"{frame:06d}.png"
        if not cv2.imwrite(str(target), picture):
            raise HaustraError(f"cannot write {target}: is the disk full?")


def depth_picture(shot: Shot) -> NDArray[np.uint16]:
    """Depth as 16-bit levels of 1 / DEPTH_SCALE mm; 0 where unknown or hidden by an instrument."""
    if shot.view is None:
        return np.zeros(shot.hidden.shape, np.uint16)
    known = shot.view.valid & (shot.hidden < 0.5)
    scaled = np.clip(np.round(shot.view.depth_mm * DEPTH_SCALE), 1, 65535)
    return np.where(known, scaled, 0).astype(np.uint16)
