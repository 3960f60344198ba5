"""Rivals of our motion network behind its own interface; the learnt ones become files of `haustra train motion`.

`haustra.motion.open_motion` opens them by name. What needs no torch is importable without it.
"""
