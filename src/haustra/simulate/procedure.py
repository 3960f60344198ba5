"""One simulated colonoscopy: everything planned from a seed, and any of its frames taken with its truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from haustra.simulate.colon import Colon, make_colon
from haustra.simulate.episodes import Appearance, Episode, exposure_bias, judge, plan_episodes
from haustra.simulate.forceps import Biopsy, make_instrument, plan_biopsies
from haustra.simulate.instrument_view import draw_instrument
from haustra.simulate.lens_effects import SHUTTER_S, defocus, smear, smear_field
from haustra.simulate.mucosa import make_look
from haustra.simulate.operator import Operator, plan_operator
from haustra.simulate.renderer import Renderer, View
from haustra.simulate.room import make_room, view_room
from haustra.simulate.scope import Scope, make_scope
from haustra.simulate.sensor import Sensor
from haustra.simulate.timeline import Timeline, make_timeline
from haustra.simulate.truth import Truth
from haustra.simulate.wall_motion import WallMotion
from haustra.simulate.water import draw_splash, make_splash
from haustra.terms import SEGMENTS

FloatArray = NDArray[np.float64]
Light = NDArray[np.float32]
FORCEPS_SEEN = 0.004  # share of the picture an instrument covers before anyone would call it visible
ROOM_LIGHT = 0.004


@dataclass(frozen=True, eq=False)
class Plan:
    """What happens when: drawn once, the same for every frame rate that the timeline was made for."""

    seed: int
    colon: Colon
    timeline: Timeline
    biopsies: tuple[Biopsy, ...]
    episodes: tuple[Episode, ...]
    operator: Operator


def make_plan(seed: int, seconds: float, rate_hz: float, insertion_s: float = 0.0) -> Plan:
    """The colon of a seed and the movement through it, without any picture."""
    colon, timeline = make_colon(seed), make_timeline(seed, seconds, rate_hz, insertion_s)
    biopsies = plan_biopsies(seed, timeline)
    still = [(b.start_s, b.end_s) for b in biopsies]
    episodes = plan_episodes(seed, timeline, [(start - 0.4, end + 0.4) for start, end in still])
    return Plan(seed, colon, timeline, biopsies, episodes, plan_operator(colon, seed, timeline, episodes, still))


@dataclass(frozen=True, eq=False)
class Shot:
    """A frame: the RGB picture, its truth, the rendered view (None outside the body), what hides the wall (0..1)."""

    picture: NDArray[np.uint8]
    truth: Truth
    view: View | None
    hidden: Light


class Procedure:
    """Takes the frames of a plan through one scope."""

    def __init__(self, plan: Plan, size: tuple[int, int], *, wall_motion: bool = False) -> None:
        self.plan, self.seed = plan, plan.seed
        self.scope: Scope = make_scope(plan.seed, *size)
        motion = WallMotion(seed=plan.seed) if wall_motion else None
        self.renderer = Renderer(plan.colon, make_look(plan.seed), self.scope, wall_motion=motion)
        self.T_w_c = plan.operator.poses(plan.timeline.times_s)
        self._T_close = plan.operator.poses_after(plan.timeline.times_s, SHUTTER_S)
        self._rays, self._surround = _rays(self.scope), _surround(self.scope.mask)
        self._instrument = make_instrument(plan.seed)
        self._splashes = [make_splash(plan.seed, e) for e in plan.episodes if e.kind == "water"]
        self._room = make_room(plan.seed)

    def shots(self) -> Iterator[Shot]:
        """All frames in order, with the exposure following them."""
        sensor = Sensor(self.scope, self.seed)
        for frame in range(self.plan.timeline.frames):
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
        view = self.renderer.render(self.T_w_c[frame], time_s=time_s)
        light, hidden = self._instruments(view, time_s)
        light, smeared = self._motion(light, view, frame)
        near_mm = _median_distance(view, self._rays)
        light = defocus(light, near_mm)
        wet = max((float(s.episode.degree(time_s)) for s in self._splashes), default=0.0)
        for splash in self._splashes:
            light = draw_splash(light, splash, time_s)
        picture = sensor.develop(light, frame=frame, exposure_bias=exposure_bias(self.plan.episodes, time_s))
        dark, bright = _flat_shares(picture, self.scope)
        reason = judge(Appearance(wet, near_mm, smeared, dark, bright))
        forceps = float(hidden[self.scope.mask].mean()) > FORCEPS_SEEN
        return Shot(picture, self._truth(frame, phase, reason, forceps), view, hidden)

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

    def _motion(self, light: Light, view: View, frame: int) -> tuple[Light, float]:
        """The light smeared by the motion during the exposure, and the median smear as a share of the width."""
        field = smear_field(self.scope.camera, self._rays, view.depth_mm, self.T_w_c[frame], self._T_close[frame])
        if field is None:
            return light, 0.0
        length = np.hypot(field[::4, ::4, 0], field[::4, ::4, 1])[self.scope.mask[::4, ::4]]
        return smear(light, field), float(np.median(length)) / self.scope.box[2]

    def _truth(self, frame: int, phase: str, reason: str, forceps: bool) -> Truth:
        colon, time_s = self.plan.colon, frame / self.plan.timeline.rate_hz
        arc = float(self.plan.operator.arc_mm(time_s))
        return Truth(
            frame, time_s, self.T_w_c[frame], arc, colon.location_index(arc), SEGMENTS[colon.segment(arc) - 1],
            phase, reason, forceps,
        )  # fmt: skip


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
