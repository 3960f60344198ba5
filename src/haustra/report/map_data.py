"""The colon map as the page needs it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import splev, splprep

from haustra.report.figures import SEGMENTS


def colon_map_data() -> dict[str, Any]:
    """Outline of each segment and points along the colon, the i-th of n at location i / (n - 1)."""
    x = [62, 58, 54, 66, 110, 160, 214, 252, 264, 262, 250, 214, 186, 162, 160, 160]
    y = [236, 190, 130, 84, 92, 104, 84, 62, 110, 170, 214, 232, 210, 232, 262, 290]
    tck, _ = splprep([x, y], s=0)
    points = np.stack(splev(np.linspace(0, 1, 241), tck), axis=1)  # type: ignore
    tangent = np.gradient(points, axis=0)
    normal = np.stack([-tangent[:, 1], tangent[:, 0]], axis=1) / np.linalg.norm(tangent, axis=1, keepdims=True)
    cuts = [0, 20, 62, 120, 165, 205, 240]
    segments = []
    for name, a, b in zip(SEGMENTS, cuts, cuts[1:], strict=False):
        ring = np.concatenate([points[a : b + 1] + 13 * normal[a : b + 1], (points - 13 * normal)[a : b + 1][::-1]])
        segments.append({"name": name, "d": "M" + " L".join(f"{px:.1f} {py:.1f}" for px, py in ring) + "Z"})
    return {"viewBox": [30, 40, 260, 262], "segments": segments, "width": 26, "line": points.round(2).tolist()}
