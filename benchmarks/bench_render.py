"""CPU time of a simulated frame: rendering and sensor alone, and whole recordings with all they show, encoded.

The aim is 60 frames a second on two cores for recordings of 320x256 to 512x416 at 15 Hz.
"""

from __future__ import annotations

import tempfile
import time
from itertools import islice
from pathlib import Path

import cv2
import numpy as np

from haustra.core.arrays import FloatArray
from haustra.lab.simulate import Colon, Renderer, Sensor, WallMotion, make_colon, make_look, make_scope
from haustra.lab.simulate.recorder import VideoWriter
from haustra.lab.simulate.simulated_recording import Settings

# 33 ms of one core a frame are 60 frames a second on two. CPU time, because wall time on a shared machine tells little.
LIMITS = {"cpu_ms_a_frame_256": 33.0, "cpu_ms_recorded_320x256": 33.0}
SEEDS = (0, 6, 11)
FRAMES = 15
RECORDED_SEEDS, RECORDED_FRAMES = (77, 79), 150


def run() -> dict[str, float]:
    cv2.setNumThreads(1)
    small = [_frame_ms(seed, 256, 256) for seed in SEEDS]
    moving = _frame_ms(SEEDS[0], 256, 256, WallMotion())
    large = _frame_ms(SEEDS[0], 1350, 1080)
    total = float(np.mean([sum(s) for s in small]))
    sizes = [(320, 256), (416, 336), (512, 416)]
    recorded = {f"{w}x{h}": float(np.mean([_recorded_ms(seed, w, h) for seed in RECORDED_SEEDS])) for w, h in sizes}
    return {
        "cpu_ms_render_256": float(np.mean([s[0] for s in small])),
        "cpu_ms_sensor_256": float(np.mean([s[1] for s in small])),
        "cpu_ms_a_frame_256": total,
        "frames_a_second_two_cores_256": 2000.0 / total,
        "cpu_ms_a_frame_256_moving_wall": sum(moving),
        "cpu_ms_a_frame_1350x1080": sum(large),
        **{f"cpu_ms_recorded_{size}": ms for size, ms in recorded.items()},
        **{f"frames_a_second_two_cores_recorded_{size}": 2000.0 / ms for size, ms in recorded.items()},
    }


def _video(folder: str, settings: Settings) -> VideoWriter:
    size = settings.width, settings.height
    return VideoWriter(Path(folder) / "video.mp4", settings.seed, size, settings.rate_hz, settings.recorder)


def _recorded_ms(seed: int, width: int, height: int) -> float:
    """Milliseconds of CPU for each of the first ten seconds' frames of a wide world's recording, encoded."""
    settings = Settings(seed, 60.0, width, height, 15.0, world="wide")
    shots = settings.procedure().shots()
    for _ in islice(shots, 3):  # compiled and warm
        pass
    with tempfile.TemporaryDirectory() as folder, _video(folder, settings) as video:
        start = time.process_time()
        for shot in islice(shots, RECORDED_FRAMES):
            video.add(shot.picture)
        return 1000 * (time.process_time() - start) / RECORDED_FRAMES


def _frame_ms(seed: int, width: int, height: int, motion: WallMotion | None = None) -> tuple[float, float]:
    """CPU milliseconds of rendering and of the sensor model, over frames from cecum to rectum."""
    colon, scope = make_colon(seed), make_scope(seed, width, height)
    renderer, sensor = Renderer(colon, make_look(seed), scope, wall_motion=motion), Sensor(scope, seed)
    poses = [_pose(colon, arc) for arc in np.linspace(colon.boundaries_mm[0] + 5, colon.boundaries_mm[-1], FRAMES)]
    sensor.develop(renderer.render(poses[0]).light, frame=0)  # compiled and warm
    render_s = sensor_s = 0.0
    for frame, pose in enumerate(poses):
        start = time.process_time()
        view = renderer.render(pose, time_s=frame / 15)
        middle = time.process_time()
        sensor.develop(view.light, frame=frame)
        render_s, sensor_s = render_s + middle - start, sensor_s + time.process_time() - middle
    return 1000 * render_s / FRAMES, 1000 * sensor_s / FRAMES


def _pose(colon: Colon, arc_mm: float) -> FloatArray:
    """On the centreline, looking back to the cecum."""
    pose = colon.frame_at(arc_mm)
    pose[:3, :3] = pose[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    return pose
