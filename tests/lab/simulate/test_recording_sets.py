"""Sets of recordings: no two purposes share a seed, every set holds what it promises, and slips happen in their gap."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.lab.simulate.procedure import Plan, make_plan
from haustra.lab.simulate.recording_sets import PLANS, plan_set
from haustra.lab.simulate.seeds import (
    COLONS_PER_SEED,
    SEEDS_PER_SET,
    SET_NAMES,
    check_free_seed,
    check_recording_seed,
    set_of,
    set_seed,
    training_seed,
)
from haustra.lab.simulate.simulated_cohort import plan_cohort, write_cohort


def test_no_two_purposes_share_a_seed() -> None:
    last = COLONS_PER_SEED - 1
    ranges = [(training_seed(0, 0), training_seed(last, last))]
    ranges += [(set_seed(name, 0), set_seed(name, SEEDS_PER_SET - 1)) for name in SET_NAMES]
    ordered = sorted(ranges)
    assert all(before[1] < after[0] for before, after in pairwise(ordered))
    for first, final in ranges:
        for seed in (first, final):
            with pytest.raises(HaustraError, match="give a whole number from 0"):
                check_free_seed(seed)


def test_networks_never_train_on_a_recording() -> None:
    with pytest.raises(HaustraError, match="give a whole number"):
        check_recording_seed(training_seed(0, 0))
    check_recording_seed(set_seed("tuning", 0))
    assert set_of(training_seed(0, 0)) is None
    with pytest.raises(HaustraError, match="give a whole number"):
        plan_cohort(44, set_seed("proof", 0) // 100_000 + 1, seconds=60.0, width=64, height=64)


def test_a_user_cannot_make_a_recording_of_a_set_by_its_seed(tmp_path: Path) -> None:
    seed = str(set_seed("proof", 3))
    result = CliRunner().invoke(app, ["simulate", "withdrawal", "--out", str(tmp_path / "r"), "--seed", seed])
    assert result.exit_code != 0
    assert "--seed" in result.output
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("name", list(PLANS))
def test_every_member_has_a_seed_of_its_set_and_half_have_a_moving_wall(name: str) -> None:
    members = plan_set(name)
    assert {set_of(m.settings.seed) for m in members} == {name}
    assert len({m.settings.seed for m in members}) == len({m.path for m in members}) == len(members)
    assert abs(sum(m.settings.wall_motion for m in members) / len(members) - 0.5) < 0.1


def test_the_first_members_are_of_all_kinds() -> None:
    assert {m.split for m in plan_set("tuning")[:6]} == {kind.name for kind in PLANS["tuning"]}


def test_held_out_withdrawals_are_as_many_and_as_long_as_asked() -> None:
    members = plan_set("heldout")
    real = [m.settings for m in members if m.settings.world == "wide" and m.settings.spoilt is None]
    real = [s for s in real if 120 <= s.seconds <= 600]
    assert len(real) >= 24
    assert {s.course for s in real} == {None, "laid"}
    assert {s.rate_hz for s in real} == {15.0, 30.0}


def test_no_recording_of_a_set_has_the_colon_of_another_or_of_a_cohort() -> None:
    seeds = [m.settings.seed for name in SET_NAMES for m in plan_set(name)]
    assert len(set(seeds)) == len(seeds)
    free = {m.settings.seed for m in plan_cohort(44, 1, seconds=60.0, width=64, height=64)}
    assert not free & set(seeds)
    assert not any(COLONS_PER_SEED**2 > seed - training_seed(0, 0) >= 0 for seed in seeds)


def test_the_proof_has_real_lengths_and_rates_and_the_other_kinds() -> None:
    members = plan_set("proof")
    assert {m.settings.world for m in members} == {"wide"}
    kinds = {kind: [m.settings for m in members if m.split == kind] for kind in ("hurried", "insertion", "partial")}
    real = [m.settings for m in members if m.split not in kinds]
    assert [len(real), *map(len, kinds.values())] == [24, 8, 8, 8]
    assert all(180 <= s.seconds <= 720 for s in real)
    assert {s.course for s in real} == {None, "laid"}
    assert sum(s.rate_hz == 15 for s in real) == 16
    assert all(25 <= s.rate_hz <= 60 for s in real if s.rate_hz != 15)
    assert all(s.insertion_s >= 60 for s in kinds["insertion"])
    assert all(s.part is not None for s in kinds["partial"])
    recorders = [m.settings.recorder for m in members]
    assert {r.lines for r in recorders if r is not None} == {None, 576, 720, 1080}
    assert 0 < sum(r.interlaced for r in recorders if r is not None) < len(members) / 2


def test_the_first_of_the_proof_are_a_mixture() -> None:
    first = plan_set("proof")[:12]
    assert {m.split for m in first} == {kind.name for kind in PLANS["proof"]}
    assert len({m.settings.wall_motion for m in first}) == 2


def test_a_set_can_be_filled_up_later(tmp_path: Path) -> None:
    members = plan_cohort(5, 3, seconds=2.8, width=48, height=48)
    counts = [write_cohort(tmp_path, members, first=count, workers=1) for count in (1, 2)]
    assert [(found["made"], found["kept"]) for found in counts] == [(1, 0), (1, 1)]
    assert not (tmp_path / members[2].path).exists()


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_a_slip_is_lost_inside_its_gap_and_nowhere_else(share: float) -> None:
    seed = set_seed("slips", 0)
    plan = make_plan(seed, 90.0, 15.0, world="wide", slip=share)
    ordinary = make_plan(seed, 90.0, 15.0, world="wide")
    slip, timeline = plan.slip, plan.timeline
    assert slip is not None
    assert any(e.start_s == slip.start_s and e.end_s == slip.end_s for e in plan.episodes)
    length = plan.colon.boundaries_mm[6] - plan.colon.boundaries_mm[0]

    def moved(which: Plan, start: float, end: float) -> float:
        arc = which.operator.arc_mm(np.array([start, end]))
        return float(arc[1] - arc[0]) / length

    for start, end, lost in (
        (timeline.start_s, slip.start_s, 0.0),
        (slip.start_s, slip.end_s, share),
        (slip.end_s, timeline.stop_s, 0.0),
    ):
        expected = (1 - share) * moved(ordinary, start, end) + lost
        assert moved(plan, start, end) == pytest.approx(expected, abs=2e-3)


def test_a_slip_needs_a_gap_and_a_share() -> None:
    seed = set_seed("slips", 1)
    with pytest.raises(HaustraError, match=r"up to 0\.5"):
        make_plan(seed, 60.0, 15.0, slip=0.9)
    with pytest.raises(HaustraError, match="no gap"):
        make_plan(seed, 60.0, 15.0, spoilt=0.0, slip=0.1)
