"""A recording on which any motion estimation method should work: straight, well textured, no frame dropped.

It separates rivals that are limited from rivals that are implemented or trained wrongly.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from haustra.camera.jsonfile import write_camera
from haustra.core.arrays import FloatArray
from haustra.core.files import write_json
from haustra.lab.simulate.colon import make_colon
from haustra.lab.simulate.ground_truth import truth_table
from haustra.lab.simulate.mucosa import Look, make_look
from haustra.lab.simulate.operator import plan_operator
from haustra.lab.simulate.procedure import Plan, Procedure
from haustra.lab.simulate.recorder import VideoWriter
from haustra.lab.simulate.renderer import Renderer
from haustra.lab.simulate.sensor import Sensor
from haustra.lab.simulate.simulated_recording import Settings
from haustra.lab.simulate.timeline import make_timeline

SEED = 770_001  # in no cohort and no training set
WITHDRAWAL_S = 240.0
SECONDS = 20.0


def write_easy_recording(out: Path, *, seed: int = SEED, side: int = 256, seconds: float = SECONDS) -> Path:
    """The straightest part of a slow withdrawal without episodes or biopsies, as a folder of `haustra simulate`."""
    if (out / "recording.json").is_file():
        return out
    settings = Settings(seed, WITHDRAWAL_S, side, side)
    procedure = _procedure(settings)
    frames = straightest(procedure, round(seconds * settings.rate_hz))
    sensor = Sensor(procedure.scope, seed)
    out.mkdir(parents=True, exist_ok=True)
    with VideoWriter(out / "video.mp4", seed, (side, side), settings.rate_hz, None) as video:
        shots = [procedure.shoot(frame, sensor) for frame in frames]
        for shot in shots:
            video.add(shot.picture)
    first_s = shots[0].truth.time_s
    rows = [replace(shot.truth, frame=k, time_s=shot.truth.time_s - first_s, reason="") for k, shot in enumerate(shots)]
    write_camera(out / "camera.json", procedure.scope.camera)
    truth_table(rows).write_parquet(out / "truth.parquet")
    write_json(out / "recording.json", {"seed": seed, "seconds": seconds, "frames": len(rows)})
    return out


def _procedure(settings: Settings) -> Procedure:
    colon = make_colon(settings.seed)
    timeline = make_timeline(settings.seed, settings.seconds, settings.rate_hz)
    operator = plan_operator(colon, settings.seed, timeline)
    procedure = Procedure(Plan(settings.seed, colon, timeline, (), (), operator), (settings.width, settings.height))
    procedure.renderer = Renderer(colon, textured(make_look(settings.seed)), procedure.scope)
    return procedure


def textured(look: Look) -> Look:
    """Maximal texture of the simulated mucosa, and few highlights."""
    return replace(look, vessels=1.1, mottle=1.3, redness_noise=0.13, wetness=0.5)


def straightest(procedure: Procedure, count: int) -> range:
    """The stretch of so many frames with the largest displacement."""
    timeline = procedure.plan.timeline
    start, stop = (round(time_s * timeline.rate_hz) for time_s in (timeline.start_s, timeline.stop_s))
    position: FloatArray = procedure.T_w_c[:, :3, 3]
    away = np.linalg.norm(position[start + count - 1 : stop] - position[start : stop - count + 1], axis=1)
    best = start + int(np.argmax(away))
    return range(best, best + count)
