"""One simulated colonoscopy: everything planned from a seed, and any of its frames taken with its truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import SEGMENTS
from haustra.lab.simulate.colon import Colon, make_colon
from haustra.lab.simulate.courses import CourseName
from haustra.lab.simulate.episodes import Appearance, Episode, exposure_bias, judge, plan_episodes
from haustra.lab.simulate.forceps import Biopsy, make_instrument, plan_biopsies
from haustra.lab.simulate.ground_truth import Truth
from haustra.lab.simulate.instrument_view import draw_instrument
from haustra.lab.simulate.lens_effects import SHUTTER_S, Light, defocus, smear, smear_field
from haustra.lab.simulate.lens_obstructions import Cap, draw_jet, weave
from haustra.lab.simulate.mucosa import Look, make_look
from haustra.lab.simulate.operator import Operator, plan_operator
from haustra.lab.simulate.operator_style import PLAIN_PACE, REAL_PACE
from haustra.lab.simulate.renderer import Renderer, View
from haustra.lab.simulate.room import make_room, view_room
from haustra.lab.simulate.scope import Scope, make_scope
from haustra.lab.simulate.sensor import Sensor
from haustra.lab.simulate.slips import Slip, plan_slip
from haustra.lab.simulate.timeline import Timeline, make_timeline
from haustra.lab.simulate.wall_motion import WallMotion
from haustra.lab.simulate.water import Splash, draw_splash, make_splash
from haustra.lab.simulate.wide import WorldName, wide_build, wide_wall_motion, widen_look, widen_scope

FORCEPS_SEEN = 0.004  # share of the picture an instrument covers before anyone would call it visible
ROOM_LIGHT = 0.004
JET_SHARE = 0.25  # of the water episodes of a wide world
USUAL_RADIUS_MM = 20.0
COURSE_OF: dict[WorldName, CourseName] = {"plain": "usual", "wide": "varied"}
PACES = {"plain": PLAIN_PACE, "wide": REAL_PACE}


@dataclass(frozen=True, eq=False)
class Plan:
    """What happens when: drawn once, the same for every frame rate that the timeline was made for."""

    seed: int
    colon: Colon
    timeline: Timeline
    biopsies: tuple[Biopsy, ...]
    episodes: tuple[Episode, ...]
    operator: Operator
    world: WorldName = "plain"
    slip: Slip | None = None


def make_plan(
    seed: int,
    seconds: float,
    rate_hz: float,
    insertion_s: float = 0.0,
    world: WorldName = "plain",
    course: CourseName | None = None,
    spoilt: float | None = None,
    slip: float | None = None,
) -> Plan:
    """The colon of a seed and the movement through it, without any picture; `course` None is the world's own.

    `spoilt` is the share of the withdrawal that is planned to show nothing, None for the usual; `slip` the share of the
    colon that is lost in one of the gaps, None for no slip.
    """
    colon = make_colon(seed, wide_build(seed) if world == "wide" else None, course or COURSE_OF[world])
    timeline, pace = make_timeline(seed, seconds, rate_hz, insertion_s), PACES[world]
    biopsies = plan_biopsies(seed, timeline)
    still = [(b.start_s, b.end_s) for b in biopsies]
    episodes = plan_episodes(seed, timeline, [(start - 0.4, end + 0.4) for start, end in still], spoilt)
    slipped = None if slip is None else plan_slip(seed, timeline, episodes, slip)
    operator = plan_operator(colon, seed, timeline, episodes, still, pace, slipped)
    return Plan(seed, colon, timeline, biopsies, episodes, operator, world, slipped)


@dataclass(frozen=True, eq=False)
class Shot:
    """A frame: the RGB picture, its truth, the rendered view (None outside the body), what hides the wall (0..1)."""

    picture: NDArray[np.uint8]
    truth: Truth
    view: View | None
    hidden: Light


@dataclass(frozen=True, eq=False)
class Exposure:
    """A picture inside the body: what it shows, what hides the wall, and why it is of no use ("" when it is)."""

    picture: NDArray[np.uint8]
    view: View
    hidden: Light
    reason: str
    forceps: bool


class Procedure:
    """Takes the frames of a plan through one scope."""

    def __init__(self, plan: Plan, size: tuple[int, int], *, wall_motion: bool = False) -> None:
        self.plan, self.seed = plan, plan.seed
        self.scope, look, motion = _surroundings(plan, size, wall_motion)
        self.renderer = Renderer(plan.colon, look, self.scope, wall_motion=motion)
        self._cap = Cap(self.scope) if self.scope.cap else None
        self.T_w_c = plan.operator.poses(plan.timeline.times_s)
        self._T_close = plan.operator.poses_after(plan.timeline.times_s, SHUTTER_S)
        self._rays, self._surround = _rays(self.scope), _surround(self.scope.mask)
        self._instrument = make_instrument(plan.seed)
        self._splashes = [make_splash(plan.seed, e) for e in plan.episodes if e.kind == "water"]
        self._room = make_room(plan.seed)

    def shots(self, frames: range | None = None) -> Iterator[Shot]:
        """These frames in order (default all), with the exposure following them."""
        sensor = Sensor(self.scope, self.seed)
        for frame in range(self.plan.timeline.frames) if frames is None else frames:
            yield self.shoot(frame, sensor)

    def shoot(self, frame: int, sensor: Sensor | None = None) -> Shot:
        """One frame; without a sensor that has seen the frames before, the exposure is at rest."""
        sensor = sensor or Sensor(self.scope, self.seed)
        time_s = frame / self.plan.timeline.rate_hz
        phase = self.plan.timeline.phase(time_s)
        if phase in ("before", "after"):
            light = view_room(self._room, self.seed, self._rays, time_s, ROOM_LIGHT)
            hidden = np.ones(self.scope.mask.shape, np.float32)
            return Shot(sensor.develop(light, frame=frame), self._truth(frame, phase, "outside", False), None, hidden)
        seen = self.expose(time_s, self.T_w_c[frame], self._T_close[frame], sensor, frame)
        return Shot(seen.picture, self._truth(frame, phase, seen.reason, seen.forceps), seen.view, seen.hidden)

    def expose(
        self, time_s: float, T_open: FloatArray, T_close: FloatArray, sensor: Sensor, number: int, bias: float = 0.0
    ) -> Exposure:
        """What the sensor makes of the view from `T_open` to `T_close` (shutter), `bias` stops off; `number` seeds its
        noise."""
        view = self.renderer.render(T_open, time_s=time_s)
        light, hidden = self._instruments(view, time_s)
        light, smeared = self._motion(light, view, T_open, T_close)
        near_mm = _median_distance(view, self._rays)
        light = defocus(light, near_mm)
        wet = max((float(s.episode.degree(time_s)) for s in self._splashes), default=0.0)
        for splash in self._splashes:
            light = self._water(light, splash, time_s)
        light = self._cap(light) if self._cap else light
        stops = exposure_bias(self.plan.episodes, time_s) + bias
        picture = sensor.develop(light, frame=number, exposure_bias=stops)
        dark, bright = _flat_shares(picture, self.scope)
        if self.plan.world == "wide":
            near_mm = self._near_for_calibre(near_mm, time_s)
        reason = judge(Appearance(wet, near_mm, smeared, dark, bright))
        forceps = bool(hidden.any()) and float(hidden[self.scope.mask].mean()) > FORCEPS_SEEN
        return Exposure(picture, view, hidden, reason, forceps)

    def _water(self, light: Light, splash: Splash, time_s: float) -> Light:
        """A film on the lens, and in wide worlds now and then the jet that it comes from."""
        light = draw_splash(light, splash, time_s)
        jet = self.plan.world == "wide" and splash.episode.strength < JET_SHARE
        return draw_jet(light, splash.episode, time_s) if jet else light

    def _near_for_calibre(self, near_mm: float, time_s: float) -> float:
        """Nearness as it would be in a lumen of the usual calibre: a narrow one is no contact with its wall."""
        radius = self.plan.colon.wall.radius_mm[int(self.plan.operator.arc_mm(time_s))].mean()
        return near_mm * float(np.clip(USUAL_RADIUS_MM / radius, 1.0, 2.0))

    def _instruments(self, view: View, time_s: float) -> tuple[Light, Light]:
        """The light with the black surround filled, so that blur and water find wall there, and the instrument."""
        light, hidden = view.light.copy(), np.zeros(view.depth_mm.shape, np.float32)
        outside, nearest = self._surround
        light.reshape(-1, 3)[outside] = light.reshape(-1, 3)[nearest]
        for biopsy in self.plan.biopsies:
            cones = self._instrument.cones(biopsy, time_s)
            if len(cones):
                light, hidden = draw_instrument(
                    light, view.depth_mm, self._rays, self.scope.lights, cones, self._instrument
                )
        return light, hidden

    def _motion(self, light: Light, view: View, T_open: FloatArray, T_close: FloatArray) -> tuple[Light, float]:
        """The light smeared by the motion during the exposure, and the median smear as a share of the width."""
        field = smear_field(self.scope.camera, self._rays, view.depth_mm, T_open, T_close)
        if field is None:
            return light, 0.0
        length = np.hypot(field[::4, ::4, 0], field[::4, ::4, 1])[self.scope.mask[::4, ::4]]
        light = smear(light, field)
        if self.scope.interlaced:
            light = weave(light, field)
        return light, float(np.median(length)) / self.scope.box[2]

    def _truth(self, frame: int, phase: str, reason: str, forceps: bool) -> Truth:
        colon, time_s = self.plan.colon, frame / self.plan.timeline.rate_hz
        arc = float(self.plan.operator.arc_mm(time_s))
        return Truth(
            frame, time_s, self.T_w_c[frame], arc, colon.location_index(arc), SEGMENTS[colon.segment(arc) - 1],
            phase, reason, forceps,
        )  # fmt: skip


def _surroundings(plan: Plan, size: tuple[int, int], moving: bool) -> tuple[Scope, Look, WallMotion | None]:
    """Scope, mucosa and movement of the wall in the plan's world."""
    scope, look = make_scope(plan.seed, *size), make_look(plan.seed)
    if plan.world == "wide":
        return widen_scope(scope), widen_look(look), wide_wall_motion(plan.seed, moving)
    return scope, look, WallMotion(seed=plan.seed) if moving else None


def _rays(scope: Scope) -> FloatArray:
    """Unit rays of all pixels, zero outside the picture."""
    pixels = np.stack(np.meshgrid(np.arange(scope.width), np.arange(scope.height)), axis=-1)
    return np.where(scope.mask[..., None], np.nan_to_num(scope.camera.unproject(pixels)), 0.0)


def _surround(mask: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Flat indices of the pixels outside the picture, and for each the nearest one inside."""
    rows, columns = distance_transform_edt(~mask, return_distances=False, return_indices=True)
    return np.flatnonzero(~mask), np.ravel_multi_index((rows[~mask], columns[~mask]), mask.shape)


def _median_distance(view: View, rays: FloatArray) -> float:
    """From the lens to the wall, over a coarse grid of the picture."""
    depth, z = view.depth_mm[::6, ::6], rays[::6, ::6, 2]
    seen = depth > 0
    return float(np.median(depth[seen] / np.maximum(z[seen], 0.05))) if seen.any() else np.inf


def _flat_shares(picture: NDArray[np.uint8], scope: Scope) -> tuple[float, float]:
    """Shares of the picture that are too dark or too bright to show anything."""
    pixels = picture[::4, ::4][scope.mask[::4, ::4]]
    ordered = np.sort(pixels, axis=-1)  # a burnt-out patch under yellow light has no blue: two channels decide
    return float((ordered[:, 2] < 60).mean()), float((ordered[:, 1] > 235).mean())
