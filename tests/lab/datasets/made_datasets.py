"""Tiny replicas of public datasets in their exact layouts, quirks included; pictures carry their number."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from scipy.spatial.transform import Rotation


def picture(number: int, size: tuple[int, int] = (40, 32)) -> np.ndarray:
    """Red is ten times the number: which picture was read can be told, and that R and B were not swapped."""
    image = np.full((size[1], size[0], 3), 30, np.uint8)
    image[..., 0] = 40 + 10 * number
    return image


def number_of(image: np.ndarray) -> int:
    return round((float(image[..., 0].mean()) - 40) / 10)


def write_picture(path: Path, image: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(path), image[..., ::-1] if image.ndim == 3 else image)


def write_video(path: Path, count: int, fps: int = 15) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps, options={"crf": "5"})
        stream.width, stream.height, stream.pix_fmt = 40, 32, "yuv420p"
        for number in range(count):
            frame = av.VideoFrame.from_ndarray(picture(number), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def walk(count: int, seed: int = 0) -> np.ndarray:
    """Poses T_w_c with rotations about all axes and translations of tens of units."""
    rng = np.random.default_rng(seed)
    T = np.tile(np.eye(4), (count, 1, 1))
    T[:, :3, :3] = Rotation.from_rotvec(np.cumsum(rng.normal(0, 0.3, (count, 3)), axis=0)).as_matrix()
    T[:, :3, 3] = np.cumsum(rng.normal(0, 20, (count, 3)), axis=0)
    return T


def write_poses(path: Path, T: np.ndarray, *, column_major: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = (T.transpose(0, 2, 1) if column_major else T).reshape(-1, 16)
    path.write_text("".join(",".join(f"{value:.10g}" for value in row) + "\n" for row in rows))
