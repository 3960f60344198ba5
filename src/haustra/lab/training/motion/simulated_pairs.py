"""Frame pairs with exact motion and depth for the `simulated` recipe: far more variation than one cohort has.

Each shard is one colon in one look through one scope. It holds clips of three frames (pairs 0-1, 1-2 and 0-2); see
scenes.py for what they show.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from haustra.core.errors import HaustraError
from haustra.core.progress import progress_bar
from haustra.flow import open_flow
from haustra.flow.methods import DEFAULT_FLOW
from haustra.lab.simulate.pool import run_all
from haustra.lab.simulate.seeds import training_seed
from haustra.lab.simulate.wide import WorldName
from haustra.lab.training.motion.pairs import ShardArrays, is_finished, write_shard
from haustra.lab.training.motion.scenes import LARGE, ORDINARY, Clip, PlainScene, WideScene
from haustra.motion.canonical import CANONICAL_FOV_DEG, canonical_view

CLIP_PAIRS = ((0, 1), (1, 2), (0, 2))
VALIDATION_EVERY = 16


@dataclass(frozen=True)
class PairPlan:
    """What to make: `shards` folders of `clips` clips each, for the canonical camera of `size` pixels; `large`: hurried
    pulls, large and smeared motion (wide worlds only)."""

    shards: int
    clips: int = 64
    size: int = 128
    seed: int = 0
    flow: str = DEFAULT_FLOW
    world: WorldName = "plain"
    large: bool = False

    def __post_init__(self) -> None:
        if self.large and self.world != "wide":
            raise HaustraError("large motion is made in the wide world only: add --world wide")


def make_pairs(out: Path, plan: PairPlan, *, workers: int = 1, quiet: bool = False) -> int:
    """Write all shards that are not there yet; returns the number of pairs. The same plan gives the same shards."""
    missing = [i for i in range(plan.shards) if not is_finished(_folder(out, i), _identity(plan, i))]
    with progress_bar("pairs", len(missing), unit="colons", quiet=quiet) as report:
        for done in run_all(make_shard, [(out, plan, index) for index in missing], workers):
            report(done)
    return plan.shards * plan.clips * len(CLIP_PAIRS)


def _identity(plan: PairPlan, index: int) -> dict[str, Any]:
    """All of the plan but how many colons it has."""
    return {**asdict(replace(plan, shards=0)), "colon": index}


def _folder(out: Path, index: int) -> Path:
    return out / f"colon-{index:05d}"


def make_shard(out: Path, plan: PairPlan, index: int) -> None:
    """One colon, one look, one scope, one operator."""
    rng, seed = np.random.default_rng([plan.seed, index, 77]), training_seed(plan.seed, index)
    reach = LARGE if plan.large else ORDINARY
    scene = WideScene(rng, seed, reach) if plan.world == "wide" else PlainScene(rng, seed)
    view = canonical_view(scene.calibration, plan.size)
    flow = open_flow(plan.flow)
    seen: Clip = []
    pairs: list[tuple[int, int]] = []
    while len(seen) < plan.clips * 3:
        pairs += [(len(seen) + a, len(seen) + b) for a, b in CLIP_PAIRS]
        seen += scene.clip(view)
    frames, depths, poses, informative = (np.stack(column) for column in zip(*seen, strict=True))
    flows = [(flow(frames[a], frames[b]), flow(frames[b], frames[a])) for a, b in pairs]
    mask = view.undistort_mask(scene.scope.mask)
    arrays = ShardArrays(
        frames=frames * mask[..., None],
        mask=mask[None],
        pairs=np.array(pairs, np.int32),
        flow=np.asarray(flows, np.float16),
        poses=poses,
        depth=(depths * mask).astype(np.float16),
        informative=informative,
        calibre=scene.colon.calibre_mm(poses[:, :3, 3]).astype(np.float32),
    )
    role = "validation" if index % VALIDATION_EVERY == VALIDATION_EVERY - 1 else "train"
    source = f"simulated, {plan.world} world{', large motion' if plan.large else ''}, seed {plan.seed}"
    about = {"fov_deg": CANONICAL_FOV_DEG, "flow": plan.flow, "source": source, "world_seed": seed, "role": role}
    write_shard(_folder(out, index), arrays, {**about, "identity": _identity(plan, index)})
