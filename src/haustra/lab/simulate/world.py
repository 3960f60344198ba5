"""One seed, one world: colon, look, scope, renderer and sensor together, for tests and for a first look."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .colon import Colon, make_colon
from .mucosa import make_look
from .renderer import Renderer, View
from .scope import Scope, make_scope
from .sensor import Sensor


@dataclass(frozen=True, eq=False)
class World:
    """A colon and the instrument in it."""

    colon: Colon
    scope: Scope
    renderer: Renderer


@lru_cache(maxsize=4)
def make_world(seed: int, width: int, height: int) -> World:
    """Colon, patient and scope of one seed."""
    colon, scope = make_colon(seed), make_scope(seed, width, height)
    return World(colon, scope, Renderer(colon, make_look(seed), scope))


def render(T_w_c: NDArray[Any], *, seed: int = 0, size: int = 256) -> tuple[NDArray[np.uint8], View]:
    """RGB frame and exact view of a pose (camera to world, mm) in the world of `seed`; exposure starts anew."""
    world = make_world(seed, size, size)
    view = world.renderer.render(T_w_c)
    return Sensor(world.scope, seed).develop(view.light, frame=0), view
