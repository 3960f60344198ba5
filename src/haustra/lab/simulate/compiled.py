"""numba, which only the simulator needs: without it, one line that names the extra."""

from __future__ import annotations

from haustra.core.errors import require

njit = require("numba", "simulate").njit
