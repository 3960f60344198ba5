"""CPU time of a simulated frame with lens, light, texture, highlights and sensor: 40 frames/s on two cores at 256."""

from __future__ import annotations

import time

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.simulate import Colon, Renderer, Sensor, WallMotion, make_colon, make_look, make_scope

# 50 ms of one core a frame are 40 frames a second on two. CPU time, because wall time on a shared machine tells little.
LIMITS = {"cpu_ms_a_frame_256": 50.0}
SEEDS = (0, 6, 11)
FRAMES = 15


def run() -> dict[str, float]:
    cv2.setNumThreads(1)
    small = [_frame_ms(seed, 256, 256) for seed in SEEDS]
    moving = _frame_ms(SEEDS[0], 256, 256, WallMotion())
    large = _frame_ms(SEEDS[0], 1350, 1080)
    total = float(np.mean([sum(s) for s in small]))
    return {
        "cpu_ms_render_256": float(np.mean([s[0] for s in small])),
        "cpu_ms_sensor_256": float(np.mean([s[1] for s in small])),
        "cpu_ms_a_frame_256": total,
        "frames_a_second_two_cores_256": 2000.0 / total,
        "cpu_ms_a_frame_256_moving_wall": sum(moving),
        "cpu_ms_a_frame_1350x1080": sum(large),
    }


def _frame_ms(seed: int, width: int, height: int, motion: WallMotion | None = None) -> tuple[float, float]:
    """Milliseconds of CPU for rendering and for the sensor, over frames from cecum to rectum."""
    colon, scope = make_colon(seed), make_scope(seed, width, height)
    renderer, sensor = Renderer(colon, make_look(seed), scope, wall_motion=motion), Sensor(scope, seed)
    poses = [_pose(colon, arc) for arc in np.linspace(colon.boundaries_mm[0] + 5, colon.boundaries_mm[6], FRAMES)]
    sensor.develop(renderer.render(poses[0]).light, frame=0)  # compiled and warm
    render_s = sensor_s = 0.0
    for frame, pose in enumerate(poses):
        start = time.process_time()
        view = renderer.render(pose, time_s=frame / 15)
        middle = time.process_time()
        sensor.develop(view.light, frame=frame)
        render_s, sensor_s = render_s + middle - start, sensor_s + time.process_time() - middle
    return 1000 * render_s / FRAMES, 1000 * sensor_s / FRAMES


def _pose(colon: Colon, arc_mm: float) -> NDArray[np.float64]:
    """On the centreline, looking back to the cecum."""
    pose = colon.frame_at(arc_mm)
    pose[:3, :3] = pose[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    return pose
