"""The recordings and stills of a scale; existing ones are kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.reproduce.scale import COHORT_SEED, Scale
from haustra.core.progress import progress_bar
from haustra.lab.simulate.simulated_cohort import Member, plan_cohort, write_cohort
from haustra.lab.simulate.simulated_stills import plan_stills, write_stills

PAPER_RECORDINGS, PAPER_STILLS = 44, 29
LOW = "set1low"  # Set 1 test at half size: the paper's low-resolution videos


@dataclass(frozen=True)
class Data:
    """Their folders: the cohort has set1/train ... set3/10, and set1low/test/01 ..."""

    cohort: Path
    stills: Path


def make_data(scale: Scale, work: Path, *, quiet: bool = False) -> Data:
    """Render missing recordings on all cores."""
    data = Data(work / "cohort", work / "stills")
    members = cohort_members(scale)
    with progress_bar("simulating", len(members), unit="recordings", quiet=quiet) as progress:
        write_cohort(data.cohort, members, progress=progress)
    planned = plan_stills(PAPER_STILLS, scale.stills_s, COHORT_SEED, (scale.side, scale.side))
    series = [one for one in planned if one.split == "test"][: scale.stills]
    with progress_bar("stills", len(series), unit="recordings", quiet=quiet) as progress:
        write_stills(data.stills, series, progress=progress)
    return data


def cohort_members(scale: Scale) -> list[Member]:
    """The first recordings of each split of a cohort divided as in the paper."""
    counts = {"set1/train": scale.train, "set1/validation": scale.validation, "set1/test": scale.test}
    counts |= {"set2": scale.set2, "set3": scale.set3}
    chosen: list[Member] = []
    for split, count in counts.items():
        seconds = scale.motion_s if split.startswith("set1") else scale.place_s
        size = {"width": scale.side, "height": scale.side}
        planned = plan_cohort(PAPER_RECORDINGS, COHORT_SEED, seconds=seconds, **size)
        chosen += [member for member in planned if member.split == split][:count]
    tested = [member for member in chosen if member.split == "set1/test"]
    return chosen + [_low(member) for member in tested]


def _low(member: Member) -> Member:
    half = replace(member.settings, width=member.settings.width // 2, height=member.settings.height // 2)
    return Member(member.path.replace("set1", LOW), member.split.replace("set1", LOW), half)
