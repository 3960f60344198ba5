"""Haustra tells where in the colon every frame of a colonoscopy recording was taken."""

from __future__ import annotations

from haustra.errors import HaustraError

__version__ = "0.1.0"
__all__ = ["HaustraError", "__version__"]
