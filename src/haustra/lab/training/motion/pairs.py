"""Frame pairs on disk: undistorted frames and their flow, computed once, read through memory maps.

A shard is a folder with `frames.npy` (n, S, S, 3) uint8, `mask.npy` (1 or n, S, S) bool, `pairs.npy` (m, 2),
`flow.npy` (m, 2, S, S, 2) float16 (a->b, b->a); with truth also `poses.npy` (n, 4, 4) T_w_c in mm, `depth.npy`
(n, S, S) float16 in mm, 0 where unknown, `segments.npy` (n,), 1 cecum to 6 rectum, `informative.npy` (n,), and
`calibre.npy` (n,), the mean radius of the lumen in mm. `shard.json` lists them and says what they were made from
(`identity`). A shard is finished when all files are present and complete.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.files import is_hidden, read_json, write_json

FORMAT = 1
ALWAYS = ("frames", "mask", "pairs", "flow")


@dataclass(frozen=True)
class ShardArrays:
    """The contents of a shard in memory, before it is written."""

    frames: NDArray[np.uint8]
    mask: NDArray[np.bool_]
    pairs: NDArray[np.int32]
    flow: NDArray[np.float16]
    poses: FloatArray | None = None
    depth: NDArray[np.float16] | None = None
    segments: NDArray[np.int8] | None = None
    informative: NDArray[np.bool_] | None = None
    calibre: NDArray[np.float32] | None = None


def write_shard(folder: Path, arrays: ShardArrays, description: dict[str, Any]) -> None:
    """Write a shard to a temporary folder of this process, renamed to `folder` when complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as name:
        temporary = Path(name) / folder.name
        temporary.mkdir()
        present = {name: array for name, array in vars(arrays).items() if array is not None}
        for name, array in present.items():
            np.save(temporary / f"{name}.npy", array)
        about = {"format": FORMAT, "size": arrays.frames.shape[1], "pairs": len(arrays.pairs), "arrays": [*present]}
        write_json(temporary / "shard.json", {**about, **description})
        shutil.rmtree(folder, ignore_errors=True)
        temporary.rename(folder)


def is_finished(folder: Path, identity: Mapping[str, Any]) -> bool:
    """Whether `folder` holds a complete shard with this identity."""
    if not (folder / "shard.json").is_file():
        return False
    try:
        return bool(PairShard(folder).description.get("identity") == identity)
    except HaustraError:
        return False


class PairShard:
    """A finished shard with memory-mapped arrays."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.description: dict[str, Any] = read_json(folder / "shard.json")
        if self.description.get("format") != FORMAT:
            raise HaustraError(f"{folder} was written by another version of haustra: delete it and make it again")
        self.size = int(self.description["size"])
        for name in self.description.get("arrays", ALWAYS):
            self._load(name)

    def __len__(self) -> int:
        return int(self.description["pairs"])

    @cached_property
    def frames(self) -> NDArray[np.uint8]:
        return self._load("frames")

    @cached_property
    def pairs(self) -> NDArray[np.int32]:
        return np.asarray(self._load("pairs"))

    @cached_property
    def flow(self) -> NDArray[np.float16]:
        return self._load("flow")

    @cached_property
    def mask(self) -> NDArray[np.bool_]:
        return self._load("mask")

    @cached_property
    def poses(self) -> FloatArray | None:
        return self._optional("poses")

    @cached_property
    def depth(self) -> NDArray[np.float16] | None:
        return self._optional("depth")

    @cached_property
    def segments(self) -> NDArray[np.int8] | None:
        return self._optional("segments")

    @cached_property
    def informative(self) -> NDArray[np.bool_] | None:
        return self._optional("informative")

    @cached_property
    def calibre(self) -> NDArray[np.float32] | None:
        return self._optional("calibre")

    def pair_informative(self, pair: int) -> bool:
        """Whether both frames of a pair are informative (assumed where unknown)."""
        return self.informative is None or bool(self.informative[self.pairs[pair]].all())

    def mask_of(self, frame: int) -> NDArray[np.bool_]:
        return self.mask[frame if len(self.mask) > 1 else 0]

    def _optional(self, name: str) -> NDArray[Any] | None:
        return self._load(name) if (self.folder / f"{name}.npy").is_file() else None

    def _load(self, name: str) -> NDArray[Any]:
        try:
            array: NDArray[Any] = np.load(self.folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise HaustraError(
                f"{self.folder / name}.npy is missing or cut off: delete the folder and make it again"
            ) from error
        return array


@dataclass(frozen=True)
class PairArrays:
    """Pairs in memory, of frames t and t+1; `motion` and depth only where there is ground truth."""

    frames: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    flow: NDArray[np.float32]
    Q_t_t1_mm: FloatArray | None
    depth_mm: NDArray[np.float32] | None
    informative: NDArray[np.bool_]


class PairSet:
    """Pairs of several shards with one running index."""

    def __init__(self, shards: Sequence[PairShard], chosen: Sequence[NDArray[np.int64]] | None = None) -> None:
        self.shards = list(shards)
        self._chosen = list(chosen) if chosen is not None else [np.arange(len(shard)) for shard in self.shards]
        self._ends = np.cumsum([len(indices) for indices in self._chosen])
        sizes = {shard.size for shard in self.shards}
        if len(sizes) > 1:
            raise HaustraError(f"frame pairs of different sizes cannot be mixed: found {sorted(sizes)}")
        flows = {shard.description["flow"] for shard in self.shards}
        if len(flows) > 1:
            raise HaustraError(f"frame pairs with different flow cannot be mixed: found {', '.join(sorted(flows))}")

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    @property
    def size(self) -> int:
        return self.shards[0].size

    @property
    def flow(self) -> str:
        """The flow method of all shards."""
        return str(self.shards[0].description["flow"])

    @property
    def has_truth(self) -> bool:
        return all(shard.poses is not None and shard.depth is not None for shard in self.shards)

    def informative_first(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same indices, those of informative pairs first."""
        flags = [shard.pair_informative(pair) for shard, pair in map(self._place, indices)]
        return indices[np.argsort(np.logical_not(flags), kind="stable")]

    def calibre_mm(self, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """Lumen radius at the first frame of each pair, nan where unknown."""
        found = []
        for shard, pair in map(self._place, indices):
            found.append(np.nan if shard.calibre is None else shard.calibre[shard.pairs[pair, 0]])
        return np.array(found, np.float32)

    def _place(self, index: np.int64) -> tuple[PairShard, int]:
        number = int(np.searchsorted(self._ends, index, side="right"))
        start = int(self._ends[number - 1]) if number else 0
        return self.shards[number], int(self._chosen[number][index - start])

    def read(self, indices: NDArray[np.int64]) -> PairArrays:
        """The pairs of these indices: arrays (B, 2, ...), t before t+1, forward before backward."""
        frames, masks, flows, motions, depths, informative = [], [], [], [], [], []
        for index in indices:
            shard, pair = self._place(index)
            t, t1 = (int(frame) for frame in shard.pairs[pair])
            frames.append(np.stack([shard.frames[t], shard.frames[t1]]))
            masks.append(np.stack([shard.mask_of(t), shard.mask_of(t1)]))
            flows.append(shard.flow[pair])
            informative.append(shard.pair_informative(pair))
            if shard.poses is not None:
                motions.append(np.linalg.solve(shard.poses[t1], shard.poses[t]))
            if shard.depth is not None:
                depths.append(np.stack([shard.depth[t], shard.depth[t1]]))
        return PairArrays(
            np.stack(frames),
            np.stack(masks),
            np.stack(flows).astype(np.float32),
            np.stack(motions) if len(motions) == len(frames) else None,
            np.stack(depths).astype(np.float32) if len(depths) == len(frames) else None,
            np.array(informative),
        )


def find_shards(folder: Path) -> list[PairShard]:
    """All shards in or below `folder`, by name; unfinished ones are hidden."""
    found = sorted(folder.rglob("shard.json"))
    return [PairShard(path.parent) for path in found if not is_hidden(path.relative_to(folder))]


def split_validation(shards: Sequence[PairShard], share: float = 0.1) -> tuple[PairSet, PairSet]:
    """Training and validation pairs: recordings by their `role`, else the last tenth; the end of a single recording."""
    shards = [shard for shard in shards if len(shard)]
    if not shards:
        raise HaustraError("no frame pair was found: recordings need at least two neighbouring informative frames")
    known = [shard for shard in shards if shard.description.get("role") == "validation"]
    rest = [shard for shard in shards if shard.description.get("role") not in ("validation", "test")]
    if not known and len(rest) > 1:
        count = max(1, round(share * len(rest)))
        known, rest = rest[-count:], rest[:-count]
    if not rest:
        raise HaustraError("every recording is marked for validation or test: there is none to train on")
    if known:
        return PairSet(rest), PairSet(known)
    cut = max(1, round((1 - share) * len(rest[0])))
    indices = np.arange(len(rest[0]))
    return PairSet(rest, [indices[:cut]]), PairSet(rest, [indices[min(cut, len(indices) - 1) :]])
