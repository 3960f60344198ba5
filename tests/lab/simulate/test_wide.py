"""The wide world differs where it should; the plain one is what it always was."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.lab.simulate.colon import Colon, make_colon
from haustra.lab.simulate.courses import COURSES
from haustra.lab.simulate.episodes import Episode
from haustra.lab.simulate.lens_obstructions import Cap, draw_jet, weave
from haustra.lab.simulate.operator import plan_operator
from haustra.lab.simulate.operator_style import PLAIN_PACE, REAL_PACE, Pace
from haustra.lab.simulate.procedure import make_plan
from haustra.lab.simulate.scope import make_scope
from haustra.lab.simulate.seeds import TRAINING, training_seed
from haustra.lab.simulate.sensor import Sensor
from haustra.lab.simulate.simulated_cohort import plan_cohort
from haustra.lab.simulate.simulated_recording import Settings
from haustra.lab.simulate.simulated_stills import plan_stills
from haustra.lab.simulate.timeline import make_timeline
from haustra.lab.simulate.wall_motion import WallMotion
from haustra.lab.simulate.wide import wide_build, widen_scope

SIZE = 96


@pytest.fixture(scope="module")
def bodies() -> list[tuple[Colon, Colon]]:
    """Plain and wide colons of the same seeds."""
    return [(make_colon(seed), make_colon(seed, wide_build(seed))) for seed in range(8)]


def test_the_plain_world_is_what_it_was_before_there_was_another() -> None:
    """Figures of Set 1 test's first recording at small size, taken before the wide world was written."""
    procedure = Settings(100_013, 20.0, SIZE, SIZE).procedure()
    colon = procedure.plan.colon
    assert colon.length_mm == 1210.0
    assert colon.wall.radius_mm.astype(float).sum() == pytest.approx(4833482.903, abs=0.01)
    assert procedure.plan.operator.arc_mm(9.0) == pytest.approx(268.83309, abs=1e-4)
    assert procedure.T_w_c[140][:3, 3] == pytest.approx([75.419223, 194.538348, 38.259385], abs=1e-4)
    assert procedure.shoot(140).picture.mean() == pytest.approx(77.75597, abs=0.05)


def test_wide_colons_are_longer_and_shorter_wider_and_narrower(bodies: list[tuple[Colon, Colon]]) -> None:
    length = np.array([wide.length_mm / plain.length_mm for plain, wide in bodies])
    assert length.min() < 0.95
    assert length.max() > 1.15
    calibre = [np.median(wide.wall.radius_mm, axis=1) for _, wide in bodies]
    means = np.array([c.mean() for c in calibre])
    assert means.max() > 1.5 * means.min()
    along = np.mean([np.percentile(c[60:-40], 90) / np.percentile(c[60:-40], 10) for c in calibre])
    plain = [np.median(body.wall.radius_mm, axis=1)[60:-40] for body, _ in bodies]
    assert along > 1.15 * np.mean([np.percentile(c, 90) / np.percentile(c, 10) for c in plain])


def test_wide_colons_taper_to_the_sigmoid(bodies: list[tuple[Colon, Colon]]) -> None:
    share = []
    for _, wide in bodies:
        b = wide.boundaries_mm.astype(int)
        share.append(wide.wall.radius_mm[b[4] : b[5]].mean() / wide.wall.radius_mm[b[1] : b[2]].mean())
    assert np.median(share) < 0.7


def test_air_widens_the_lumen_over_time() -> None:
    colon = make_colon(2)
    vertices = np.array([[colon.centreline_mm[300] + 10 * colon.normal[300]]])
    away = {}
    for time_s in (0.0, 7.0, 14.0, 21.0):
        moved = WallMotion(1, breathing_mm=0.0, peristalsis=0.0, insufflation=0.1).displaced(
            colon, vertices, 300, time_s
        )
        away[time_s] = np.linalg.norm(moved[0, 0] - colon.centreline_mm[300])
    assert max(away.values()) > 10.5
    assert min(away.values()) < 9.5
    still = WallMotion(1, breathing_mm=0.0, peristalsis=0.0).displaced(colon, vertices, 300, 7.0)
    assert np.linalg.norm(still[0, 0] - colon.centreline_mm[300]) == pytest.approx(10.0)


def test_hands_of_the_wide_world_are_faster_and_slower() -> None:
    colon, timeline = make_colon(1), make_timeline(1, 60.0, 15.0)

    def turning(pace: Pace) -> np.ndarray:
        """Degrees a second of the view, of eight operators."""
        poses = [plan_operator(colon, seed, timeline, pace=pace).poses(np.arange(0, 55, 0.1)) for seed in range(8)]
        cosines = [(T[1:, :3, 2] * T[:-1, :3, 2]).sum(axis=1).clip(-1, 1) for T in poses]
        return np.array([10 * np.degrees(np.arccos(cosine)).mean() for cosine in cosines])

    plain, wide = turning(PLAIN_PACE), turning(REAL_PACE)
    assert np.log(wide).std() > 1.3 * np.log(plain).std()
    assert wide.max() > 1.1 * plain.max()


def test_lengths_of_a_wide_cohort_spread_as_real_withdrawals_do() -> None:
    options = {"seconds": 338.0, "width": 48, "height": 48}
    wide = [m.settings.seconds for m in plan_cohort(400, 5, world="wide", **options)]
    assert np.log(wide).std() == pytest.approx(0.449, abs=0.05)
    assert np.mean(wide) == pytest.approx(338.0, rel=0.08)
    plain = [m.settings.seconds for m in plan_cohort(400, 5, **options)]
    assert max(plain) <= 1.25 * 338.0 + 0.1


def test_narrow_band_light_takes_the_red_away() -> None:
    scope = replace(make_scope(3, SIZE, SIZE), text=False, inset=False)
    red = np.full((SIZE, SIZE, 3), (0.5, 0.2, 0.15), np.float32)
    white = Sensor(scope, 3).develop(red, frame=0)[scope.mask].astype(float).mean(axis=0)
    narrow = Sensor(replace(scope, narrow_band=True), 3).develop(red, frame=0)[scope.mask].astype(float).mean(axis=0)
    assert white[0] > 1.3 * white[2]
    assert narrow[0] / narrow[2] < 0.85 * white[0] / white[2]


def test_banner_and_picture_in_picture_lie_inside_the_box() -> None:
    scope = replace(make_scope(3, SIZE, SIZE), text=False, inset=False)
    light = np.tile(np.linspace(0.1, 0.9, SIZE, dtype=np.float32)[None, :, None], (SIZE, 1, 3))
    x, y, w, h = scope.box
    bare = Sensor(scope, 3).develop(light, frame=0).astype(int)
    banner = Sensor(replace(scope, banner=-0.1), 3).develop(light, frame=0).astype(int)
    changed = np.abs(banner - bare).max(axis=2) > 0
    assert changed[y : y + h // 20, x : x + w].mean() > 0.5
    assert not changed[y + h // 5 :].any()
    small = Sensor(replace(scope, picture_in_picture=True), 3).develop(light, frame=0).astype(int)
    changed = np.abs(small - bare).max(axis=2) > 0
    assert changed[y : y + h // 4, x + w - w // 4 : x + w].mean() > 0.5
    assert not changed[y + h // 3 :].any()


def test_the_cap_stays_at_the_rim() -> None:
    scope = replace(make_scope(4, SIZE, SIZE), cap=0.85)
    light = np.random.default_rng(0).random((SIZE, SIZE, 3), dtype=np.float32)
    seen = Cap(scope)(light)
    middle = slice(SIZE // 3, 2 * SIZE // 3)
    assert np.allclose(seen[middle, middle], light[middle, middle], atol=1e-3)
    assert np.abs(seen - light)[scope.mask].max() > 0.2


def test_the_jet_comes_and_goes_with_its_episode() -> None:
    light = np.full((SIZE, SIZE, 3), 0.2, np.float32)
    episode = Episode("water", 1.0, 2.0, 0.2, 0.1, 0.5)
    assert np.array_equal(draw_jet(light, episode, 0.5), light)
    assert draw_jet(light, episode, 1.5).max() > 0.3


def test_interlacing_moves_the_odd_lines_only() -> None:
    light = np.tile(np.arange(SIZE, dtype=np.float32)[None, :, None], (SIZE, 1, 3))
    field = np.zeros((SIZE, SIZE, 2), np.float32)
    field[..., 0] = 3.0
    woven = weave(light, field)
    assert np.array_equal(woven[::2], light[::2])
    assert np.allclose(woven[1::2, 10:], light[1::2, 10:] - 3.0)
    assert weave(light, None) is light


def test_scopes_of_the_wide_world_show_everything_now_and_then() -> None:
    scopes = [widen_scope(make_scope(seed, SIZE, SIZE)) for seed in range(60)]
    for name in ("narrow_band", "cap", "banner", "picture_in_picture", "interlaced"):
        assert 0 < sum(bool(getattr(scope, name)) for scope in scopes) < 40, name


def test_the_command_makes_a_wide_recording_and_refuses_other_worlds(tmp_path: Path) -> None:
    command = ["simulate", "withdrawal", "--out", str(tmp_path / "one"), "--seconds", "2", "--size", "64x64", "--json"]
    done = CliRunner().invoke(app, [*command, "--world", "wide"])
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "one" / "recording.json").read_text())["world"] == "wide"
    with pytest.raises(HaustraError, match="choose one of plain, wide"):
        CliRunner().invoke(app, [*command, "--world", "flat"], catch_exceptions=False)


def test_no_recording_can_have_a_colon_that_was_trained_on() -> None:
    """Cohort 1 once shared its colons 3 to 43 with the training pairs of seed 1."""
    trained = {training_seed(seed, index) for seed in range(4) for index in range(300)}
    tested = {m.settings.seed for seed in range(4) for m in plan_cohort(44, seed, seconds=60.0)}
    tested |= {s.settings.seed for s in plan_stills(29, 300.0, 1, (64, 64))}
    assert not trained & tested
    assert min(trained) >= TRAINING > max(tested)
    with pytest.raises(HaustraError, match="from 0 to"):
        Settings(TRAINING, 10.0).procedure()
    with pytest.raises(HaustraError, match="both must be"):
        training_seed(0, 2**20)


def test_courses_of_other_families_are_drawn_apart_and_leave_the_plain_world_alone() -> None:
    usual, varied, laid = (make_colon(3, course=course) for course in COURSES)
    np.testing.assert_array_equal(usual.centreline_mm, make_colon(3).centreline_mm)
    np.testing.assert_array_equal(usual.boundaries_mm, varied.boundaries_mm)
    assert not np.allclose(usual.tangent, varied.tangent[: len(usual.tangent)], atol=0.2)
    for colon in (varied, laid):
        step = np.linalg.norm(np.diff(colon.centreline_mm, axis=0), axis=1)
        assert step == pytest.approx(np.ones(len(step)), abs=0.02)
        bend = np.linalg.norm(np.gradient(colon.tangent, axis=0), axis=1)
        assert bend.max() < 1 / 20
        assert (np.diff(colon.boundaries_mm) > 5).all()
        assert colon.boundaries_mm[-1] < colon.length_mm


def test_the_wide_world_has_varied_courses_and_any_course_can_be_asked_for() -> None:
    wide, asked = make_plan(4, 20.0, 15.0, world="wide"), make_plan(4, 20.0, 15.0, course="laid")
    np.testing.assert_array_equal(wide.colon.tangent, make_colon(4, wide_build(4), "varied").tangent)
    np.testing.assert_array_equal(asked.colon.tangent, make_colon(4, course="laid").tangent)
    assert "course" not in Settings(4, 20.0).as_dict()
    assert Settings(4, 20.0, course="laid").as_dict()["course"] == "laid"
    with pytest.raises(HaustraError, match="usual, varied, laid"):
        Settings(4, 20.0, course="odd").procedure()  # type: ignore[arg-type]
