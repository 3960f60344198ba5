"""The hand on the scope: inside the colon, smooth, from cecum to rectum, and not at an even pace."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.core.poses import invert, rotation_angle_deg
from haustra.lab.simulate.colon import make_colon
from haustra.lab.simulate.operator import plan_operator
from haustra.lab.simulate.procedure import Plan, make_plan
from haustra.lab.simulate.timeline import make_timeline

SEEDS = range(4)


@pytest.fixture(scope="module")
def plans() -> list[Plan]:
    return [make_plan(seed, 90.0, 15.0) for seed in SEEDS]


def test_starts_at_index_0_and_stops_at_index_1(plans: list[Plan]) -> None:
    for plan in plans:
        for time_s, index in ((plan.timeline.start_s, 0.0), (plan.timeline.stop_s, 1.0)):
            assert plan.colon.location_index(float(plan.operator.arc_mm(time_s))) == pytest.approx(index, abs=1e-9)


def test_tip_stays_inside_the_wall(plans: list[Plan]) -> None:
    for plan in plans:
        times = np.linspace(plan.timeline.start_s, plan.timeline.stop_s, 4000)
        lateral = plan.operator.lateral_mm(times)
        radius = plan.colon.wall.radius_mm
        column = np.round(np.arctan2(lateral[:, 1], lateral[:, 0]) / (2 * np.pi) * radius.shape[1]).astype(int)
        row = np.round(plan.operator.arc_mm(times)).astype(int)
        room = radius[row, column % radius.shape[1]] - np.hypot(lateral[:, 0], lateral[:, 1])
        assert room.min() > 1.5


def test_position_projects_to_its_arc(plans: list[Plan]) -> None:
    plan = plans[0]
    times = plan.timeline.times_s[::25]
    times = times[times <= plan.timeline.stop_s]
    for time_s, T in zip(times, plan.operator.poses(times), strict=True):
        frame = plan.colon.frame_at(float(plan.operator.arc_mm(time_s)))
        offset = T[:3, 3] - frame[:3, 3]
        assert abs(offset @ frame[:3, 2]) < 0.1
        assert np.linalg.det(T[:3, :3]) == pytest.approx(1.0)


def test_looks_towards_the_cecum_most_of_the_time(plans: list[Plan]) -> None:
    for plan in plans:
        times = plan.timeline.times_s[::10]
        forward = [
            -plan.colon.frame_at(float(plan.operator.arc_mm(t)))[:3, 2] @ T[:3, 2]
            for t, T in zip(times, plan.operator.poses(times), strict=True)
        ]
        assert np.mean(np.array(forward) > 0.5) > 0.6


def test_motion_is_smooth_and_like_a_real_withdrawal(plans: list[Plan]) -> None:
    for plan in plans:
        timeline = plan.timeline
        calm = plan_operator(plan.colon, plan.seed, timeline)
        inside = timeline.times_s <= timeline.stop_s
        T = calm.poses(timeline.times_s[inside])
        step = invert(T[:-1]) @ T[1:]
        moved, turned = np.linalg.norm(step[:, :3, 3], axis=1), rotation_angle_deg(step[:, :3, :3])
        assert 0.1 < np.median(moved) < 2.5
        assert 0.1 < np.median(turned) < 3.0
        assert np.percentile(moved, 99) < 8.0
        fine = calm.poses(np.linspace(20.0, 22.0, 2001))
        velocity = np.diff(fine[:, :3, 3], axis=0) * 1000
        assert np.abs(np.diff(velocity, axis=0)).max() < 5.0  # mm/s from one millisecond to the next: no jump in speed


def test_time_is_a_poor_measure_of_place() -> None:
    """Time per segment is neither its share of the length nor the same for all (paper, table of templates)."""
    gaps = []
    for seed in range(6):
        plan = make_plan(seed, 120.0, 15.0)
        times = np.linspace(plan.timeline.start_s, plan.timeline.stop_s, 500)
        index = np.array([plan.colon.location_index(float(a)) for a in plan.operator.arc_mm(times)])
        gaps.append(np.abs(index - np.linspace(0, 1, 500)).max())
    assert np.mean(gaps) > 0.1
    assert np.std(gaps) > 0.02


def test_pushes_in_again_by_centimetres() -> None:
    back = []
    for seed in SEEDS:
        plan = make_plan(seed, 240.0, 15.0)
        arc = plan.operator.arc_mm(np.linspace(plan.timeline.start_s, plan.timeline.stop_s, 4000))
        back.append(np.max(np.maximum.accumulate(arc) - arc))
    assert max(back) <= 90.0
    assert np.median(back) > 15.0


def test_insertion_comes_from_the_rectum() -> None:
    colon, timeline = make_colon(3), make_timeline(3, 30.0, 15.0, insertion_s=20.0)
    operator = plan_operator(colon, 3, timeline)
    assert colon.location_index(float(operator.arc_mm(timeline.enter_s))) > 0.97
    assert colon.location_index(float(operator.arc_mm(timeline.start_s))) == pytest.approx(0.0, abs=1e-9)
    assert timeline.phase(timeline.start_s) == "withdrawal"
    assert timeline.phase(timeline.start_s - 1 / 15) == "insertion"


@pytest.mark.parametrize(
    ("seconds", "rate", "insertion"), [(1.0, 15, 0), (20, 2, 0), (20, 15, 1.0), (float("nan"), 15, 0)]
)
def test_impossible_timelines_are_refused(seconds: float, rate: float, insertion: float) -> None:
    with pytest.raises(HaustraError):
        make_timeline(1, seconds, rate, insertion)
