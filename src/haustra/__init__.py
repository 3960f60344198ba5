"""Haustra tells where in the colon every frame of a colonoscopy recording was taken."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from haustra.core.errors import HaustraError

if TYPE_CHECKING:
    from haustra.anatomy.template import Template
    from haustra.camera.model import Camera
    from haustra.corrections import apply_corrections
    from haustra.localization import Localization
    from haustra.localization import open_result as open
    from haustra.options import LocateOptions
    from haustra.pipeline import locate

__version__ = "0.2.0"
__all__ = [
    "Camera", "HaustraError", "Localization", "LocateOptions", "Template", "__version__", "apply_corrections", "locate",
    "open",
]  # fmt: skip

# Loaded on first use: `import haustra` and `haustra --help` stay instant.
_HOMES = {
    "Camera": "haustra.camera.model",
    "Localization": "haustra.localization",
    "LocateOptions": "haustra.options",
    "Template": "haustra.anatomy.template",
    "apply_corrections": "haustra.corrections",
    "locate": "haustra.pipeline",
    "open": "haustra.localization",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), "open_result" if name == "open" else name)
    raise AttributeError(f"module 'haustra' has no attribute '{name}'")


def __dir__() -> list[str]:
    """The public names and nothing else: modules are reached by importing them."""
    return list(__all__)
