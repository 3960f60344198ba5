"""Haustra tells where in the colon every frame of a colonoscopy recording was taken."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from haustra.errors import HaustraError

if TYPE_CHECKING:
    from haustra.anatomy.template import Template
    from haustra.camera.model import Camera
    from haustra.pipeline import locate
    from haustra.result import Localization
    from haustra.result import open_result as open

__version__ = "0.2.0"
__all__ = ["Camera", "HaustraError", "Localization", "Template", "__version__", "locate", "open"]

# Loaded on first use: `import haustra` and `haustra --help` stay instant.
_HOMES = {
    "Camera": "haustra.camera.model",
    "Localization": "haustra.result",
    "Template": "haustra.anatomy.template",
    "locate": "haustra.pipeline",
    "open": "haustra.result",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), "open_result" if name == "open" else name)
    raise AttributeError(f"module 'haustra' has no attribute '{name}'")
