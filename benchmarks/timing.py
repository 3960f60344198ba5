"""CPU time of a piece of work, steady enough for ratios on a shared machine."""

from __future__ import annotations

import time
from collections.abc import Callable


def cpu_ms(work: Callable[[], object], count: int, repeats: int = 3) -> float:
    """Least CPU milliseconds for each of the `count` things that `work` does, of some repeats after one to warm up."""
    work()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1000 * min(times) / count
