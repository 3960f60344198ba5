"""Haustra tells where in the colon every frame of a colonoscopy recording was taken."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from haustra.core.errors import HaustraError

if TYPE_CHECKING:
    from haustra.anatomy.build import TemplateFit, fit_template
    from haustra.anatomy.template import Template
    from haustra.camera.model import Camera
    from haustra.checking.recording_check import RecordingCheck, check
    from haustra.corrections import apply_corrections
    from haustra.exchange.export import export
    from haustra.localization import Localization
    from haustra.localization import open_result as open
    from haustra.options import LocateOptions
    from haustra.pipeline import locate

# OpenCV decodes pictures of up to 2**30 pixels, which are 3 GB, unless it is told otherwise before it is imported.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(1 << 27))

__version__ = "0.3.0"
__all__ = [
    "Camera", "HaustraError", "Localization", "LocateOptions", "RecordingCheck", "Template", "TemplateFit",
    "__version__", "apply_corrections", "check", "export", "fit_template", "locate", "open",
]  # fmt: skip

# Loaded on first use: `import haustra` and `haustra --help` stay instant.
_HOMES = {
    "Camera": "haustra.camera.model",
    "Localization": "haustra.localization",
    "LocateOptions": "haustra.options",
    "RecordingCheck": "haustra.checking.recording_check",
    "Template": "haustra.anatomy.template",
    "TemplateFit": "haustra.anatomy.build",
    "apply_corrections": "haustra.corrections",
    "check": "haustra.checking.recording_check",
    "export": "haustra.exchange.export",
    "fit_template": "haustra.anatomy.build",
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
