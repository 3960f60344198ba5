"""Episodes: how many, where, and that a label says what the frame shows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.lab.simulate.episodes import Appearance, Episode, exposure_bias, judge, plan_episodes
from haustra.lab.simulate.ground_truth import Truth
from haustra.lab.simulate.procedure import Procedure, make_plan
from haustra.lab.simulate.scopeguide import make_track
from haustra.lab.simulate.timeline import make_timeline
from haustra.quality.labelled import KINDS


def shoot(seed: int, seconds: float = 60.0, step: int = 15) -> tuple[Procedure, list[tuple[np.ndarray, Truth]]]:
    procedure = Procedure(make_plan(seed, seconds, 15.0), (96, 96))
    shots = [procedure.shoot(frame) for frame in range(0, procedure.plan.timeline.frames, step)]
    return procedure, [(shot.picture, shot.truth) for shot in shots]


@pytest.fixture(scope="module")
def recordings() -> list[tuple[Procedure, list[tuple[np.ndarray, Truth]]]]:
    return [shoot(seed) for seed in range(4)]


def test_a_third_to_two_thirds_is_non_informative(recordings: list) -> None:
    shares = [np.mean([not truth.informative for _, truth in frames]) for _, frames in recordings]
    assert all(0.25 < share < 0.65 for share in shares), shares
    assert 0.3 < np.mean(shares) < 0.6


def test_every_kind_occurs(recordings: list) -> None:
    seen = {truth.reason for _, frames in recordings for _, truth in frames}
    assert seen == {"", *KINDS}


def test_labels_say_what_is_seen(recordings: list) -> None:
    """Dark frames are dark, bright ones bright, blurred ones soft compared with the informative frames."""
    for procedure, frames in recordings:
        mask = procedure.scope.mask
        level = {kind: [p[mask].mean() for p, t in frames if t.reason == kind] for kind in ("", *KINDS)}
        usual = np.median(level[""])
        assert all(value < 0.45 * usual for value in level["underexposed"])
        assert all(value > 1.2 * usual for value in level["overexposed"])
        sharp = {kind: [_detail(p, mask) for p, t in frames if t.reason == kind] for kind in ("", "blur")}
        if len(sharp["blur"]) >= 3:
            assert np.median(sharp["blur"]) < np.median(sharp[""])


def _detail(picture: np.ndarray, mask: np.ndarray) -> float:
    grey = picture.mean(axis=-1)
    inside = mask[1:, 1:] & mask[:-1, :-1] & mask[1:, :-1] & mask[:-1, 1:]
    return float(np.abs(np.diff(grey, axis=1))[1:][inside].mean() / max(grey[mask].mean(), 1.0))


def test_episodes_keep_their_distance() -> None:
    for seed in range(20):
        timeline = make_timeline(seed, 60.0, 15.0)
        busy = [(20.0, 24.0)]
        episodes = plan_episodes(seed, timeline, busy)
        assert len(episodes) >= 8
        for episode in episodes:
            assert 0.25 <= episode.end_s - episode.start_s <= 6.0
            assert episode.end_s <= 20.0 or episode.start_s >= 24.0
            assert timeline.start_s < episode.start_s < episode.end_s < timeline.stop_s
        ordered = sorted(episodes, key=lambda e: e.start_s)
        assert all(a.end_s < b.start_s for a, b in pairwise(ordered))


@pytest.mark.parametrize("spoilt", [0.1, 0.5])
def test_as_much_is_spoilt_as_is_asked_for(spoilt: float) -> None:
    for seed in range(5):
        timeline = make_timeline(seed, 60.0, 15.0, 20.0)
        episodes, usual = plan_episodes(seed, timeline, (), spoilt), plan_episodes(seed, timeline)
        covered = sum(e.end_s - e.start_s for e in episodes if e.start_s >= timeline.start_s)
        assert covered / (timeline.stop_s - timeline.start_s) == pytest.approx(spoilt, abs=0.04)
        first = [e for e in usual if e.end_s < timeline.start_s]
        assert first == list(episodes[: len(first)]), "the insertion is as it was"


def test_a_recording_is_not_spoilt_throughout() -> None:
    with pytest.raises(HaustraError, match=r"a share of 0\.9 cannot be spoilt: give 0 to 0\.6"):
        plan_episodes(1, make_timeline(1, 60.0, 15.0), (), 0.9)


def test_rule_decides_by_degree() -> None:
    fine = Appearance(water=0.1, near_mm=30.0, blur=0.001, dark=0.1, bright=0.05)
    assert judge(fine) == ""
    assert judge(Appearance(0.9, 30.0, 0.001, 0.1, 0.05)) == "water"
    assert judge(Appearance(0.1, 4.0, 0.001, 0.1, 0.05)) == "wall"
    assert judge(Appearance(0.1, 30.0, 0.05, 0.1, 0.05)) == "blur"
    assert judge(Appearance(0.1, 30.0, 0.001, 0.97, 0.0)) == "underexposed"
    assert judge(Appearance(0.1, 30.0, 0.001, 0.0, 0.8)) == "overexposed"


def test_exposure_goes_wrong_smoothly() -> None:
    episode = Episode("overexposed", 2.0, 3.0, 0.3, 0.5, 0.0)
    assert exposure_bias([episode], 1.5) == 0.0
    assert 0.0 < exposure_bias([episode], 1.85) < exposure_bias([episode], 2.5)
    assert exposure_bias([Episode("underexposed", 2.0, 3.0, 0.3, 0.5, 0.0)], 2.5) < -3.0


def test_scopeguide_is_coarse_and_jumps() -> None:
    """Longest at the start, zero outside; at least some recordings have a loop of more than 10 cm that gives way."""
    drops = []
    for seed in range(4):
        plan = make_plan(seed, 120.0, 15.0)
        arc = plan.operator.arc_mm(plan.timeline.times_s)
        track = make_track(seed, plan.timeline, arc, plan.colon.length_mm)
        assert track.csv().startswith("time_s,length_cm\n0.00,")
        assert (track.length_cm >= 0).all()
        assert len(np.unique(track.length_cm)) < len(track.length_cm)
        inside = track.time_s <= plan.timeline.stop_s
        assert track.length_cm[inside][:3].mean() > track.length_cm[inside][-3:].mean() + 40
        early = track.time_s < 0.25 * plan.timeline.stop_s
        travelled = 0.1 * (np.interp(track.time_s[early][-1], plan.timeline.times_s, arc) - arc[0])
        drops.append(track.length_cm[early][0] - track.length_cm[early][-1] - 0.7 * travelled)
    assert max(drops) > 10.0
