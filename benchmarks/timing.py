"""CPU time and memory of a piece of work, stable enough for ratios on a shared machine."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

_TELL = """
import json, time
from pathlib import Path
status = Path("/proc/self/status").read_text()  # not getrusage: its peak is handed down from the parent process
print(json.dumps([time.process_time(), int(status.split("VmHWM:")[1].split()[0]) / 1024]))
"""


@dataclass(frozen=True)
class Cost:
    """Cost of a whole process with all its threads."""

    cpu_s: float
    wall_s: float
    peak_mb: float


def cpu_s(work: Callable[..., object], *arguments: object) -> float:
    """CPU seconds of all threads of this process."""
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def cpu_ms(work: Callable[[], object], count: int, repeats: int = 3) -> float:
    """Smallest CPU milliseconds per item of `work` (`count` items) over some repeats after a warm-up."""
    work()
    return 1000 * min(cpu_s(work) for _ in range(repeats)) / count


def cost_of_child(imports: str, work: str, *arguments: str) -> Cost:
    """Cost of a fresh process that runs `work` with `arguments` in sys.argv; its output is ignored."""
    code = f"{imports}\ntry:\n    {work}\nexcept SystemExit as end:\n    if end.code:\n        raise\n{_TELL}"
    start = time.monotonic()
    result = subprocess.run([sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.PIPE)
    wall_s = time.monotonic() - start
    cpu, peak_mb = json.loads(result.stdout.splitlines()[-1])
    return Cost(cpu, wall_s, peak_mb)
