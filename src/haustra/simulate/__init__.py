"""A colon, a scope and an operator with exact ground truth."""

from __future__ import annotations

from haustra.simulate.colon import Colon, make_colon
from haustra.simulate.mucosa import Look, make_look
from haustra.simulate.renderer import Renderer, View
from haustra.simulate.scope import Scope, make_scope
from haustra.simulate.sensor import Sensor
from haustra.simulate.wall_motion import WallMotion
from haustra.simulate.world import render

__all__ = [
    "Colon",
    "Look",
    "Renderer",
    "Scope",
    "Sensor",
    "View",
    "WallMotion",
    "make_colon",
    "make_look",
    "make_scope",
    "render",
]
