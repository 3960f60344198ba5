"""Path, location index and segments of a 60-minute recording (54,000 poses): CPU time and memory of a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from haustra.lab.simulate.procedure import make_plan

LIMITS = {"cpu_s_54000_poses": 2.0, "peak_mb_54000_poses": 500.0}
_CHILD = """
import json, sys, time
from pathlib import Path
import numpy as np
from haustra.anatomy import load_template, segment_probabilities, segments_of
from haustra.path import location_index
positions, template = np.load(sys.argv[1]), load_template("paper-set2")
before, start = time.process_time(), time.perf_counter()
location = location_index(positions)
segments_of(location.index, template)
segment_probabilities(location.index, location.std, template)
cpu, wall = time.process_time() - before, time.perf_counter() - start
status = Path("/proc/self/status").read_text()  # not getrusage: its peak is handed down from the parent process
print(json.dumps([cpu, wall, int(status.split("VmHWM:")[1].split()[0]) / 1024]))
"""


def run() -> dict[str, float]:
    """With the noise of an estimated trajectory, which needs more nodes than a smooth one."""
    positions = _hour()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "positions.npy"
        np.save(source, positions)
        done = subprocess.run([sys.executable, "-c", _CHILD, str(source)], capture_output=True, text=True, check=True)
    cpu, wall, peak = json.loads(done.stdout)
    return {"cpu_s_54000_poses": cpu, "wall_s_54000_poses": wall, "peak_mb_54000_poses": peak}


def _hour() -> np.ndarray:
    plan = make_plan(7, 3600.0, 15.0)
    rng = np.random.default_rng(0)
    positions: np.ndarray = plan.operator.poses(plan.timeline.times_s[:54_000])[:, :3, 3]
    return positions + np.cumsum(rng.normal(0, 0.05, positions.shape), axis=0) + rng.normal(0, 0.2, positions.shape)
