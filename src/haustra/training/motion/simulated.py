"""Frame pairs with exact motion and depth for the `simulated` recipe: far more variation than one cohort has.

Each shard is one colon in one look through one scope. It holds clips of three frames (pairs 0-1, 1-2 and 0-2), taken
where an operator of its own was, at 5 to 30 Hz, or with motions drawn at random. Frames go the way of a real recording:
fisheye, sensor, compression, then undistortion with a calibration that is a little off.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera import Camera
from haustra.camera.undistort import Undistorter
from haustra.flow import open_flow
from haustra.flow.methods import DEFAULT_FLOW
from haustra.motion.canonical import CANONICAL_FOV_DEG, canonical_view
from haustra.poses import euler_to_matrix
from haustra.progress import progress_bar
from haustra.training.motion.pairs import ShardArrays, is_finished, write_shard

FRAME_SIZE = (256, 208)
CLIP_PAIRS = ((0, 1), (1, 2), (0, 2))
NEAREST_MM = 2.0
LEAST_SEEN = 0.75
VALIDATION_EVERY = 16


@dataclass(frozen=True)
class PairPlan:
    """What to make: `shards` folders of `clips` clips each, for the canonical camera of `size` pixels."""

    shards: int
    clips: int = 64
    size: int = 128
    seed: int = 0
    flow: str = DEFAULT_FLOW


def make_pairs(out: Path, plan: PairPlan, *, workers: int = 1, quiet: bool = False) -> int:
    """Write all shards that are not there yet; returns the number of pairs. The same plan gives the same shards."""
    missing = [i for i in range(plan.shards) if not is_finished(_folder(out, i), _identity(plan, i))]
    with progress_bar("pairs", len(missing), unit="colons", quiet=quiet) as report:
        if workers == 1:
            for done, index in enumerate(missing, 1):
                make_shard(out, plan, index)
                report(done)
        else:
            with ProcessPoolExecutor(workers, initializer=_one_thread) as pool:
                for done, _ in enumerate(
                    pool.map(make_shard, *zip(*((out, plan, i) for i in missing), strict=True)), 1
                ):
                    report(done)
    return plan.shards * plan.clips * len(CLIP_PAIRS)


def _identity(plan: PairPlan, index: int) -> dict[str, Any]:
    """All of the plan but how many colons it has."""
    return {**asdict(replace(plan, shards=0)), "colon": index}


def _folder(out: Path, index: int) -> Path:
    return out / f"colon-{index:05d}"


def _one_thread() -> None:
    cv2.setNumThreads(1)


def make_shard(out: Path, plan: PairPlan, index: int) -> None:
    """One colon, one look, one scope, one operator."""
    scene = _Scene(np.random.default_rng([plan.seed, index, 77]), plan.seed * 100_003 + index)
    view = canonical_view(scene.calibration, plan.size)
    flow = open_flow(plan.flow)
    seen: Clip = []
    pairs: list[tuple[int, int]] = []
    while len(seen) < plan.clips * 3:
        pairs += [(len(seen) + a, len(seen) + b) for a, b in CLIP_PAIRS]
        seen += scene.clip(view)
    frames, depths, poses = (np.stack(column) for column in zip(*seen, strict=True))
    flows = [(flow(frames[a], frames[b]), flow(frames[b], frames[a])) for a, b in pairs]
    mask = view.undistort_mask(scene.scope.mask)
    arrays = ShardArrays(
        frames=frames * mask[..., None],
        mask=mask[None],
        pairs=np.array(pairs, np.int32),
        flow=np.asarray(flows, np.float16),
        poses=poses,
        depth=(depths * mask).astype(np.float16),
    )
    role = "validation" if index % VALIDATION_EVERY == VALIDATION_EVERY - 1 else "train"
    about = {"fov_deg": CANONICAL_FOV_DEG, "flow": plan.flow, "source": f"simulated seed {plan.seed}", "role": role}
    write_shard(_folder(out, index), arrays, {**about, "identity": _identity(plan, index)})


Clip = list[tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float64]]]


class _Scene:
    """The random choices of a shard, and its clips one after the other."""

    def __init__(self, rng: np.random.Generator, seed: int) -> None:
        from haustra.simulate.colon import make_colon
        from haustra.simulate.mucosa import make_look
        from haustra.simulate.operator import plan_operator
        from haustra.simulate.renderer import Renderer
        from haustra.simulate.scope import make_scope
        from haustra.simulate.timeline import make_timeline
        from haustra.simulate.wall_motion import WallMotion

        self._rng, self._seed = rng, seed
        colon = make_colon(seed)
        scope = make_scope(seed, *FRAME_SIZE)
        # Text and insets lie over the picture in some recordings only; most pixels should be tissue.
        self.scope = scope if rng.random() < 0.15 else replace(scope, text=False, inset=False)
        breathing = WallMotion(seed, breathing_mm=1.0, peristalsis=0.05) if rng.random() < 0.15 else None
        self._renderer = Renderer(colon, make_look(seed), self.scope, wall_motion=breathing)
        timeline = make_timeline(seed, float(np.exp(rng.uniform(np.log(60), np.log(600)))), 15.0)
        self._operator, self._end_s = plan_operator(colon, seed, timeline), timeline.stop_s
        self.calibration = _perturbed(self.scope.camera, rng)
        self._quality = int(rng.integers(35, 96))
        self._count = 0

    def clip(self, view: Undistorter) -> Clip:
        """Three frames, drawn again where the camera would touch the wall or see little of it."""
        while True:
            drawn = self._draw(view)
            if drawn is not None:
                return drawn

    def _draw(self, view: Undistorter) -> Clip | None:
        from haustra.simulate.sensor import Sensor

        self._count += 1
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
            result.append((view(_compress(developed, self._quality)), _depth(view, seen.depth_mm), pose))
        return result

    def _motion(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """T_w_c of three frames: the operator's at 5 to 30 Hz, or from there on a motion drawn at random."""
        rng = self._rng
        step_s = 1 / np.exp(rng.uniform(np.log(5), np.log(30)))
        start = rng.uniform(0.0, self._end_s - 2 * step_s)
        times = start + step_s * np.arange(3)
        poses = self._operator.poses(times)
        if rng.random() < 0.6:
            return poses, times
        for i in (1, 2):
            poses[i] = poses[i - 1] @ _random_motion(rng)
        return poses, times


def _depth(view: Undistorter, depth_mm: NDArray[np.float32]) -> NDArray[np.float32]:
    """z of the nearest pixel, so that near and far are not mixed; the two cameras share centre and axes, so z stays."""
    pixels = np.nan_to_num(view.camera.project(view.pinhole.rays()), nan=-9.0).astype(np.float32)
    return np.asarray(cv2.remap(depth_mm, pixels, None, cv2.INTER_NEAREST), np.float32)  # type: ignore[call-overload]


def _random_motion(rng: np.random.Generator) -> NDArray[np.float64]:
    """Any direction, mostly along the axis; sizes spread over decades, so that slow and fast count alike."""
    direction = rng.normal(size=3) * (0.5, 0.5, 1.0)
    T = np.eye(4)
    T[:3, 3] = direction / np.linalg.norm(direction) * np.exp(rng.uniform(np.log(0.05), np.log(6.0)))
    turn = rng.normal(size=3) * (1.0, 1.0, 0.7)
    turn *= np.radians(np.exp(rng.uniform(np.log(0.03), np.log(6.0)))) / np.linalg.norm(turn)
    T[:3, :3] = euler_to_matrix(turn)
    return T


def _perturbed(camera: Camera, rng: np.random.Generator) -> Camera:
    """A calibration as a user has it: 2 % off in focal length, 1 % in the centre; a generic one is worse."""
    spread = 0.06 if rng.random() < 0.3 else 0.02
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
