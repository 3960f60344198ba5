"""A pool of motion estimators for several threads: optical flow keeps buffers, so no two threads can share one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

from haustra.motion.methods import MotionMethod, open_motion
from haustra.motion.parameters import DEFAULTS, MotionParameters


class EstimatorPool:
    """Lends each of its estimators to one thread at a time, and opens another where all are lent.

    `method` is what `open_motion` opens (None: the shipped network), `flow` a name (None: what it was trained with).
    All are the same, so that it does not matter which one a thread is lent.
    """

    def __init__(self, method: str | Path | None, flow: str | None, parameters: MotionParameters = DEFAULTS) -> None:
        self._method, self._flow, self.parameters = method, flow, parameters
        self._idle: SimpleQueue[MotionMethod] = SimpleQueue()
        first = self._open()
        self._idle.put(first)
        self.path, self.recipe, self.flow_name = first.path, first.recipe, flow or first.flow_name
        self.size, self.fov_deg = first.size, first.fov_deg

    @contextmanager
    def borrowed(self) -> Iterator[MotionMethod]:
        """An estimator for the time of the block."""
        try:
            estimator = self._idle.get_nowait()
        except Empty:
            estimator = self._open()
        try:
            yield estimator
        finally:
            self._idle.put(estimator)

    def _open(self) -> MotionMethod:
        return open_motion(self._method, flow=self._flow, parameters=self.parameters)
