"""The simulator: a colon, a scope and an operator, rendered with exact ground truth."""

from __future__ import annotations

from haustra.lab.simulate.colon import Colon, make_colon
from haustra.lab.simulate.mucosa import Look, make_look
from haustra.lab.simulate.renderer import Renderer, View
from haustra.lab.simulate.scope import Scope, make_scope
from haustra.lab.simulate.sensor import Sensor
from haustra.lab.simulate.wall_motion import WallMotion
from haustra.lab.simulate.world import render

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
