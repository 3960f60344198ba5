"""The camera path of the frames that have a pose, for evo and other tools that read TUM trajectories."""

from __future__ import annotations

import numpy as np

from haustra.core.errors import HaustraError
from haustra.exchange.content import Content
from haustra.exchange.formats import Asked, Format
from haustra.path.trajectory_files import tum_text
from haustra.results.table import column, poses_of


def write(content: Content, _: Asked) -> bytes:
    """One TUM line for each kept frame with a pose."""
    T_w_c = poses_of(content.frames)
    known = np.isfinite(T_w_c).all(axis=(1, 2))
    if "kept" in content.frames.columns:
        known &= content.frames["kept"].to_numpy()
    if not known.any():
        raise HaustraError(f"{content.folder} has no frame with a pose: there is no path to export")
    return tum_text(column(content.frames, "time_s")[known], T_w_c[known]).encode()


FORMAT = Format(".tum", "text/plain", write)
