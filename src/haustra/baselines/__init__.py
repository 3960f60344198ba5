"""Rivals of our motion network behind its own interface, by name; the learnt ones are files of `haustra train motion`.

What needs no torch is importable without it.
"""

from __future__ import annotations

from haustra.baselines.registry import LEARNT, RIVALS, MotionMethod, open_motion

__all__ = ["LEARNT", "RIVALS", "MotionMethod", "open_motion"]
