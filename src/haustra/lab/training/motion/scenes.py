"""Clips of three frames in one simulated world, for training pairs.

They are taken where an operator of its own was, or with motions drawn at random. Frames go the way of a real recording:
fisheye, sensor, compression, then undistortion with a calibration that is a little off.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from haustra.camera import Camera
from haustra.camera.undistort import Undistorter
from haustra.core.arrays import FloatArray
from haustra.core.poses import euler_to_matrix
from haustra.lab.simulate.colon import Colon, make_colon
from haustra.lab.simulate.lens_effects import SHUTTER_S
from haustra.lab.simulate.mucosa import make_look
from haustra.lab.simulate.operator import plan_operator
from haustra.lab.simulate.procedure import Procedure, make_plan
from haustra.lab.simulate.renderer import Renderer
from haustra.lab.simulate.scope import Scope, make_scope
from haustra.lab.simulate.sensor import Sensor
from haustra.lab.simulate.timeline import make_timeline
from haustra.lab.simulate.wall_motion import WallMotion

FRAME_SIZE = (256, 208)
NEAREST_MM = 2.0
LEAST_SEEN = 0.75
NEAREST_AT_ALL_MM = 1.0


@dataclass(frozen=True)
class Reach:
    """How long withdrawals are, how many frames a second a clip has, what share of clips has motion drawn at random,
    how far that goes and by how much it turns, and what share of clips in a non-informative episode is drawn again."""

    seconds: tuple[float, float]
    rate_hz: tuple[float, float]
    drawn: float
    moved_mm: tuple[float, float]
    turned_deg: tuple[float, float]
    redrawn: float


ORDINARY = Reach((60.0, 900.0), (3.0, 30.0), 0.4, (0.05, 6.0), (0.03, 6.0), 0.5)
# Hurried pulls, up to half a calibre and a tenth of the field of view between two frames, smeared accordingly.
LARGE = Reach((30.0, 180.0), (3.0, 60.0), 0.6, (0.3, 10.0), (0.3, 10.0), 0.0)

# Frame, depth in mm, pose T_w_c, and whether the frame is informative.
Clip = list[tuple[NDArray[np.uint8], NDArray[np.float32], FloatArray, np.bool_]]


class Scene(ABC):
    """The random choices of a shard: its colon, its scope, the calibration that a user would have of it."""

    colon: Colon
    scope: Scope
    calibration: Camera

    def __init__(self, rng: np.random.Generator, seed: int) -> None:
        self._rng, self._seed = rng, seed
        self._count = 0

    def clip(self, view: Undistorter) -> Clip:
        """Three frames, drawn again where the camera would be in the wall or see little of it."""
        while True:
            self._count += 1
            drawn = self._draw(view)
            if drawn is not None:
                return drawn

    @abstractmethod
    def _draw(self, view: Undistorter) -> Clip | None: ...


class PlainScene(Scene):
    """The random choices of a shard in the plain world, and its clips one after the other: informative frames only."""

    def __init__(self, rng: np.random.Generator, seed: int) -> None:
        super().__init__(rng, seed)
        self.colon = make_colon(seed)
        scope = make_scope(seed, *FRAME_SIZE)
        # Text and insets lie over the picture in some recordings only; most pixels should be tissue.
        self.scope = scope if rng.random() < 0.15 else replace(scope, text=False, inset=False)
        breathing = WallMotion(seed, breathing_mm=1.0, peristalsis=0.05) if rng.random() < 0.15 else None
        self._renderer = Renderer(self.colon, make_look(seed), self.scope, wall_motion=breathing)
        timeline = make_timeline(seed, float(np.exp(rng.uniform(np.log(60), np.log(600)))), 15.0)
        self._operator, self._end_s = plan_operator(self.colon, seed, timeline), timeline.stop_s
        self.calibration = _perturbed(self.scope.camera, rng, 0.3, 0.06)
        self._quality = int(rng.integers(35, 96))

    def _draw(self, view: Undistorter) -> Clip | None:
        poses, times = self._motion()
        sensor = Sensor(self.scope, self._seed + self._count)
        bias = float(self._rng.normal(0.0, 0.35))
        blur = _motion_blur(self._rng) if self._rng.random() < 0.2 else None
        result: Clip = []
        for number, (pose, time_s) in enumerate(zip(poses, times, strict=True)):
            seen = self._renderer.render(pose, time_s=float(time_s))
            if seen.valid[self.scope.mask].mean() < LEAST_SEEN or seen.depth_mm[seen.valid].min() < NEAREST_MM:
                return None
            developed = sensor.develop(seen.light, frame=3 * self._count + number, exposure_bias=bias, blur=blur)
            result.append((view(_compress(developed, self._quality)), _depth(view, seen.depth_mm), pose, np.True_))
        return result

    def _motion(self) -> tuple[FloatArray, FloatArray]:
        """T_w_c of three frames: the operator's at 5 to 30 Hz, or from there on a motion drawn at random."""
        rng = self._rng
        step_s = 1 / np.exp(rng.uniform(np.log(5), np.log(30)))
        start = rng.uniform(0.0, self._end_s - 2 * step_s)
        times = start + step_s * np.arange(3)
        poses = self._operator.poses(times)
        if rng.random() < 0.6:
            return poses, times
        for i in (1, 2):
            poses[i] = poses[i - 1] @ _random_motion(rng, ORDINARY)
        return poses, times


class WideScene(Scene):
    """A shard in a wide world. Its episodes are in it: blur, wall, water and wrong exposure have truth too."""

    def __init__(self, rng: np.random.Generator, seed: int, reach: Reach = ORDINARY) -> None:
        super().__init__(rng, seed)
        self._reach = reach
        plan = make_plan(seed, float(np.exp(rng.uniform(*np.log(reach.seconds)))), 15.0, world="wide")
        self._procedure = Procedure(plan, FRAME_SIZE)
        scope = self._procedure.scope
        if rng.random() > 0.2:  # what lies over the picture is mostly masked before the network sees it
            scope = replace(scope, text=False, inset=False, banner=0.0, picture_in_picture=False)
        self.scope, self._plan, self.colon = scope, plan, plan.colon
        self.calibration = _perturbed(scope.camera, rng, 0.5, 0.1)
        self._quality = int(rng.integers(25, 96))

    def _draw(self, view: Undistorter) -> Clip | None:
        poses, closes, times = self._motion()
        sensor = Sensor(self.scope, self._seed + self._count)
        bias = float(self._rng.normal(0.0, 0.5))
        result: Clip = []
        for k, (pose, close, time_s) in enumerate(zip(poses, closes, times, strict=True)):
            seen = self._procedure.expose(float(time_s), pose, close, sensor, 3 * self._count + k, bias)
            valid = seen.view.valid
            if valid[self.scope.mask].mean() < LEAST_SEEN or seen.view.depth_mm[valid].min() < NEAREST_AT_ALL_MM:
                return None
            picture = _as_recorded(seen.picture, self.scope.interlaced, self._quality)
            useful = np.bool_(not seen.reason and not seen.forceps)
            result.append((view(picture), _depth(view, seen.view.depth_mm), pose, useful))
        return result

    def _motion(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """T_w_c of three frames when the shutter opens and when it closes: the operator's at the frame rates of the
        reach, or from the first on a motion drawn at random."""
        rng, operator = self._rng, self._plan.operator
        step_s = 1 / np.exp(rng.uniform(*np.log(self._reach.rate_hz)))
        times = self._start(2 * step_s) + step_s * np.arange(3)
        poses, closes = operator.poses(times), operator.poses_after(times, SHUTTER_S)
        if rng.random() >= self._reach.drawn:
            return poses, closes, times
        for i in (1, 2):
            motion = _random_motion(rng, self._reach)
            poses[i] = poses[i - 1] @ motion
            closes[i] = poses[i] @ _part(motion, min(SHUTTER_S / step_s, 0.6))
        return poses, closes, times

    def _start(self, span_s: float) -> float:
        """A moment of the withdrawal; some of those in an episode are drawn again."""
        end = self._plan.timeline.stop_s - span_s - 0.1
        start = self._rng.uniform(self._plan.timeline.start_s, end)
        in_episode = any(e.start_s < start + span_s and start < e.end_s for e in self._plan.episodes)
        if in_episode and self._rng.random() < self._reach.redrawn:
            start = self._rng.uniform(self._plan.timeline.start_s, end)
        return float(start)


def _part(motion: FloatArray, share: float) -> FloatArray:
    """The first part of a motion."""
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(share * Rotation.from_matrix(motion[:3, :3]).as_rotvec()).as_matrix()
    T[:3, 3] = share * motion[:3, 3]
    return T


def _as_recorded(picture: NDArray[np.uint8], interlaced: bool, quality: int) -> NDArray[Any]:
    """After the recorder: of interlaced material the pipeline keeps one field and fills the lines between."""
    if interlaced:
        height, width = picture.shape[:2]
        picture = np.asarray(cv2.resize(picture[::2], (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
    return _compress(picture, quality)


def _depth(view: Undistorter, depth_mm: NDArray[np.float32]) -> NDArray[np.float32]:
    """z of the nearest pixel, so that near and far are not mixed; the two cameras share centre and axes, so z stays."""
    pixels = np.nan_to_num(view.camera.project(view.pinhole.rays()), nan=-9.0).astype(np.float32)
    return np.asarray(cv2.remap(depth_mm, pixels, None, cv2.INTER_NEAREST), np.float32)  # type: ignore[call-overload]


def _random_motion(rng: np.random.Generator, reach: Reach) -> FloatArray:
    """Any direction, mostly along the axis; sizes spread over decades, so that slow and fast count alike."""
    direction = rng.normal(size=3) * (0.5, 0.5, 1.0)
    T = np.eye(4)
    T[:3, 3] = direction / np.linalg.norm(direction) * np.exp(rng.uniform(*np.log(reach.moved_mm)))
    turn = rng.normal(size=3) * (1.0, 1.0, 0.7)
    turn *= np.radians(np.exp(rng.uniform(*np.log(reach.turned_deg)))) / np.linalg.norm(turn)
    T[:3, :3] = euler_to_matrix(turn)
    return T


def _perturbed(camera: Camera, rng: np.random.Generator, generic: float, generic_spread: float) -> Camera:
    """A calibration as a user has it: 2 % off in focal length, 1 % in the centre; a `generic` share is worse."""
    spread = generic_spread if rng.random() < generic else 0.02
    scale = float(np.exp(rng.normal(0.0, spread)))
    shift = rng.normal(0.0, 0.01 * camera.height, 2)
    return replace(
        camera,
        center=(camera.center[0] + shift[0], camera.center[1] + shift[1]),
        coefficients=tuple(a * scale ** (1 - i) for i, a in enumerate(camera.coefficients)),
    )


def _motion_blur(rng: np.random.Generator) -> NDArray[np.float32]:
    """A line of one to five pixels."""
    kernel = np.zeros((7, 7), np.float32)
    angle, length = rng.uniform(0, np.pi), rng.uniform(0.5, 2.5)
    for at in np.linspace(-length, length, 21):
        kernel[round(3 + at * np.sin(angle)), round(3 + at * np.cos(angle))] += 1
    return kernel / kernel.sum()


def _compress(frame: NDArray[np.uint8], quality: int) -> NDArray[Any]:
    """Blocks and lost detail as video coding leaves them."""
    _, data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR))
