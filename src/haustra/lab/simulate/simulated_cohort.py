"""A cohort of recordings split as the paper's localisation dataset (sec:dataset).

Set 1 is for the motion network, Set 2 for the template, Set 3 for the test with ScopeGuide. Each recording has its own
colon, patient, scope and operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from haustra.core.errors import HaustraError
from haustra.core.files import read_json, write_json
from haustra.core.progress import Progress, silent
from haustra.lab.simulate.pool import make_missing
from haustra.lab.simulate.procedure import PACES
from haustra.lab.simulate.seeds import check_free_seed
from haustra.lab.simulate.simulated_recording import Settings, write_recording
from haustra.lab.simulate.wide import check_world

SPLITS = {"set1/train": 10, "set1/validation": 3, "set1/test": 3, "set2": 18, "set3": 10}
SEEDS_PER_COHORT = 100_000


@dataclass(frozen=True)
class Member:
    """One recording of a cohort: where it lies below the cohort's folder, and how it is made."""

    path: str
    split: str
    settings: Settings


def split_counts(recordings: int, splits: dict[str, int]) -> dict[str, int]:
    """Shares of a smaller dataset: as in the paper, each split at least one."""
    if recordings < len(splits):
        raise HaustraError(f"{recordings} recordings cannot fill {len(splits)} splits: give at least {len(splits)}")
    total = sum(splits.values())
    exact = {name: recordings * count / total for name, count in splits.items()}
    counts = {name: max(1, int(share)) for name, share in exact.items()}
    while sum(counts.values()) != recordings:
        step = 1 if sum(counts.values()) < recordings else -1
        open_splits = [name for name in counts if step > 0 or counts[name] > 1]
        name = max(open_splits, key=lambda n: step * (exact[n] - counts[n]))
        counts[name] += step
    return counts


def plan_cohort(recordings: int, seed: int, **settings: Any) -> list[Member]:
    """The members of a cohort; lengths vary between recordings as real withdrawals do."""
    members, number = [], 0
    seconds, pace = float(settings.pop("seconds")), PACES[check_world(settings.get("world", "plain"))]
    for split, count in split_counts(recordings, SPLITS).items():
        for k in range(count):
            own = seed * SEEDS_PER_COHORT + number
            check_free_seed(own)
            length = round(seconds * pace.duration_share(np.random.default_rng([own, 930])), 1)
            members.append(Member(f"{split}/{k + 1:02d}", split, Settings(own, length, **settings)))
            number += 1
    return members


def members_of(members: Sequence[Member], set_name: str) -> list[Member]:
    """The members of one set; each is the same recording as in the whole cohort."""
    found = [member for member in members if member.split.split("/")[0] == set_name]
    if not found:
        known = ", ".join(dict.fromkeys(split.split("/")[0] for split in SPLITS))
        raise HaustraError(f"no set '{set_name}' in a cohort: choose one of {known}")
    return found


def write_cohort(
    out: Path,
    members: Sequence[Member],
    *,
    first: int | None = None,
    workers: int | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Make the recordings that are missing below `out`, on all cores, and `cohort.json`, which lists them all.

    `first`: only so many of them are made; the same folder may be filled up later.
    """
    listing = {"recordings": [{"path": m.path, "split": m.split, **m.settings.as_dict()} for m in members]}
    keep_plan(out / "cohort.json", listing)

    def is_there(member: Member) -> bool:
        return (out / member.path / "recording.json").exists()

    wanted = members[:first]
    made = make_missing(_write_member, out, wanted, is_there, workers=workers, progress=progress)
    return {**listing, "made": made, "kept": len(wanted) - made}


def keep_plan(target: Path, listing: dict[str, Any]) -> None:
    """Write the plan first; a folder with another plan is not mixed with this one."""
    if target.exists() and read_json(target) != listing:
        raise HaustraError(f"{target.parent} holds a dataset made with other options: use them again or another folder")
    write_json(target, listing)


def _write_member(out: Path, member: Member) -> None:
    write_recording(out / member.path, member.settings)
