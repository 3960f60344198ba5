"""An easy recording: a bent, well textured tube seen by the canonical camera, with exact poses. Nothing is dropped."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import polars as pl
from scipy.spatial.transform import Rotation

from haustra.camera import Camera, write_camera
from haustra.core.vocabulary import SEGMENTS
from haustra.motion import canonical_K

RING_MM, TUBE_MM = 80.0, 18.0
TEXTURE = (512, 2048)


def poses(count: int, seed: int = 0) -> np.ndarray:
    """T_w_c of a camera that is drawn backwards around the ring, swaying and looking about smoothly."""
    rng = np.random.default_rng(seed)
    k = np.arange(count)
    around = 1.2 - 0.025 * k - 0.03 * np.sin(k / 7)
    sway = 4 * np.stack([np.sin(k / 6 + rng.uniform(0, 6)), np.cos(k / 5 + rng.uniform(0, 6))], axis=1)
    T = np.tile(np.eye(4), (count, 1, 1))
    for i, angle in enumerate(around):
        out, up = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([0.0, 0.0, 1.0])
        ahead = np.array([-np.sin(angle), np.cos(angle), 0.0])
        T[i, :3, :3] = np.stack([np.cross(-up, ahead), -up, ahead], axis=1)
        T[i, :3, 3] = RING_MM * out + sway[i, 0] * out + sway[i, 1] * up
    looks = 0.15 * np.stack([np.sin(k / 5), np.sin(k / 6 + 1), np.sin(k / 7 + 2)], axis=1)
    T[:, :3, :3] = T[:, :3, :3] @ Rotation.from_rotvec(looks).as_matrix()
    return T


def recording(count: int, size: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """RGB frames (n, size, size, 3) and their poses."""
    T_w_c = poses(count, seed)
    texture = _texture(seed)
    return np.stack([_frame(T, size, texture) for T in T_w_c]), T_w_c


def _texture(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    total = np.zeros(TEXTURE)
    for sigma, weight in ((2.0, 1.0), (5.0, 1.0), (14.0, 1.0)):
        noise = cv2.GaussianBlur(rng.normal(size=TEXTURE), (0, 0), sigma, borderType=cv2.BORDER_REFLECT)
        total += weight * noise / noise.std()
    return np.clip(0.55 + 0.16 * total, 0.05, 1.0).astype(np.float32)


def _frame(T_w_c: np.ndarray, size: int, texture: np.ndarray) -> np.ndarray:
    K = canonical_K(size)
    x, y = np.meshgrid(np.arange(size), np.arange(size))
    rays = np.stack([(x - K[0, 2]) / K[0, 0], (y - K[1, 2]) / K[1, 1], np.ones(x.shape)], axis=-1)
    rays = rays / np.linalg.norm(rays, axis=-1, keepdims=True) @ T_w_c[:3, :3].T
    points = np.broadcast_to(T_w_c[:3, 3], rays.shape).copy()
    for _ in range(24):  # sphere tracing from the inside of the torus
        points += (TUBE_MM - _off_ring(points))[..., None] * rays
    u = (np.arctan2(points[..., 1], points[..., 0]) / (2 * np.pi) % 1) * TEXTURE[1]
    ring = np.hypot(points[..., 0], points[..., 1]) - RING_MM
    v = (np.arctan2(points[..., 2], ring) / (2 * np.pi) % 1) * TEXTURE[0]
    colour = cv2.remap(
        texture, u.astype(np.float32), v.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP
    )
    distance = np.linalg.norm(points - T_w_c[:3, 3], axis=-1)
    lit = 250 * colour * np.clip(25 / distance, 0.15, 1.0)
    return np.clip(np.stack([lit, 0.7 * lit, 0.6 * lit], axis=-1), 1, 255).astype(np.uint8)


def _off_ring(points: np.ndarray) -> np.ndarray:
    return np.hypot(np.hypot(points[..., 0], points[..., 1]) - RING_MM, points[..., 2])


def foreign_folder(folder: Path, count: int, size: int, dropped: tuple[int, ...] = (), seed: int = 0) -> Path:
    """The recording in the layout of another simulator: video, camera, truth.csv; all six segments in equal parts."""
    folder.mkdir(parents=True)
    frames, T = recording(count, size, seed)
    with av.open(str(folder / "video.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=15, options={"crf": "8", "preset": "ultrafast"})
        stream.width = stream.height = size
        stream.pix_fmt = "yuv420p"
        for number, image in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 15)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    write_camera(folder / "camera.json", Camera(size, size, ((size - 1) / 2,) * 2, (canonical_K(size)[0, 0],)))
    columns = {f"m{i}{j}": T[:, i, j] for i in range(4) for j in range(4)}
    rest = {
        "location_index": np.linspace(0, 1, count),
        "segment": [SEGMENTS[6 * n // count] for n in range(count)],
        "informative": [int(n not in dropped) for n in range(count)],
        "forceps": [0] * count,
    }
    pl.DataFrame({"time_s": np.arange(count) / 15, **columns, **rest}).write_csv(folder / "truth.csv")
    return folder
