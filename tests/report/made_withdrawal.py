"""A made-up withdrawal to draw: a colon-like path, looking around, dropped stretches, biopsies, and its video."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import polars as pl
from scipy.interpolate import make_interp_spline
from scipy.stats import norm

from haustra.anatomy import SEGMENTS, load_template, segments_of
from haustra.anatomy.findings import Finding, place_findings

TEMPLATE = load_template("paper-set2")
RATE_HZ = 15.0
# The withdrawal of the page tests starts after the recording does, so that the two clocks cannot be mixed up.
START_S, DURATION_S = 2.0, 20.0
COLON = np.array(
    [
        [-1.0, 0.9, 0.1],
        [-1.1, 0.2, -0.3],
        [-1.0, -0.6, 0.0],
        [-0.5, -0.45, 0.6],
        [0.2, -0.4, 0.7],
        [0.9, -0.9, 0.0],
        [1.1, -0.1, -0.4],
        [1.0, 0.6, -0.2],
        [0.5, 0.9, 0.4],
        [0.15, 0.6, 0.3],
        [0.0, 1.0, -0.2],
        [0.0, 1.3, -0.4],
    ]
)


def made_table(duration_s: float = 180.0, *, start_s: float = 0.0, seed: int = 4) -> pl.DataFrame:
    """Rows as the pipeline writes them: dropped frames have no pose of their own, the rest has one."""
    rng = np.random.default_rng(seed)
    count = int(duration_s * RATE_HZ)
    u = np.arange(count) / max(count - 1, 1)
    location = _location(u, rng)
    std = 0.008 + 0.03 * np.sin(np.pi * u) + 0.012 * np.clip(np.sin(9 * u), 0, 1)
    kept, reason = _kept(count, rng)
    position = make_interp_spline(np.linspace(0, 1, len(COLON)), COLON)(location)
    position += 0.03 * np.stack([_noise(rng, count, 6) for _ in range(3)], axis=1)
    edges = np.clip((location[:, None] - TEMPLATE.boundaries[1:6]) / np.hypot(std[:, None], 0.025), -9, 9)
    above = np.concatenate([np.ones((count, 1)), norm.cdf(edges), np.zeros((count, 1))], axis=1)
    probability = above[:, :-1] - above[:, 1:]
    pose = {name: np.where(kept, position[:, i], np.nan) for i, name in enumerate(("tx", "ty", "tz"))}
    turn = {name: np.where(kept, float(name == "qw"), np.nan) for name in ("qx", "qy", "qz", "qw")}
    blur = np.where(kept, 0.1, 0.9) + 0.05 * rng.random(count)
    return pl.DataFrame(
        {
            "frame": np.arange(count),
            "time_s": start_s + np.arange(count) / RATE_HZ,
            "p_noninformative": blur,
            "p_forceps": [0.95 if text == "forceps" else 0.02 for text in reason],
            "kept": kept,
            "reason": reason,
            **pose,
            **turn,
            "basis": ["seen"] * count,
            "location_index": location,
            "location_std": std,
            "segment": [SEGMENTS[k - 1] for k in segments_of(location, TEMPLATE)],
            **{f"p_{name}": probability[:, i] for i, name in enumerate(SEGMENTS)},
        }
    )


def made_summary(name: str = "recording.mp4", **more: Any) -> dict[str, Any]:
    return {
        "recording": {"name": name, "duration_s": 180.0, "width": 320, "height": 256},
        "haustra": "0.1.0",
        "options": {"template": "paper-set2", "camera": "generic", "flow": "dis", "threads": 2},
        "models": {"motion": "motion-1 sha256:5e1f", "quality": "lite-1 sha256:90ab"},
        "withdrawal": {"start_s": 0.0, "end_s": 180.0, "start_source": "found", "start_confidence": 0.86},
        "warnings": ["No calibration was given: the generic camera is used, turns are less exact."],
        **more,
    }


LABELS = ("polyp, 4 mm", "flat lesion", "erosion")


def made_findings(table: pl.DataFrame, labels: tuple[str, ...] = LABELS) -> pl.DataFrame:
    """Spread over the withdrawal."""
    times = [table["time_s"][table.height * (2 * i + 1) // (2 * len(labels))] for i in range(len(labels))]
    found = [Finding(time_s, label, 0.5 + 0.1 * i) for i, (time_s, label) in enumerate(zip(times, labels, strict=True))]
    return place_findings(found, table)


def made_video(file: Path, duration_s: float, *, size: tuple[int, int] = (320, 256), fps: int = 30) -> Path:
    """A picture of a lumen that moves, as H.264; each frame differs, so that seeking can be seen."""
    with av.open(str(file), "w") as container:
        stream = container.add_stream("libx264", rate=fps, options={"preset": "ultrafast", "crf": "30"})
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for i in range(int(duration_s * fps)):
            frame = av.VideoFrame.from_ndarray(lumen(i / fps, size), format="rgb24")
            frame.pts, frame.time_base = i, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return file


def lumen(time_s: float, size: tuple[int, int]) -> np.ndarray:
    """Pink wall, haustral folds as rings, dark centre that wanders."""
    width, height = size
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    cx = width / 2 + 0.15 * width * np.sin(time_s * 0.9)
    cy = height / 2 + 0.12 * height * np.cos(time_s * 0.7)
    radius = np.hypot(x - cx, y - cy) / height
    fold = 0.12 * np.sin(18 * np.log(radius + 0.06) - 4 * time_s)
    light = np.clip(radius * 1.9, 0.04, 1) ** 0.7 * (0.85 + fold)
    picture = light[..., None] * np.array([226, 138, 118], dtype=np.float32)
    mask = np.hypot((x - width / 2) / (0.52 * width), (y - height / 2) / (0.56 * height)) < 1
    picture = np.clip(picture * mask[..., None], 0, 255).astype(np.uint8)
    cv2.circle(picture, (int(width * 0.62), int(height * 0.3)), 5, (250, 240, 235), -1, cv2.LINE_AA)
    return picture


def _location(u: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """On the whole forward, with pauses, looking back and a re-insertion."""
    pace = np.clip(1 + 1.2 * _noise(rng, len(u), 30), 0.05, None)
    location = np.cumsum(pace) / pace.sum()
    location += 0.05 * np.exp(-(((u - 0.42) / 0.02) ** 2)) * -1 + 0.006 * _noise(rng, len(u), 80)
    return np.clip((location - location[0]) / (location[-1] - location[0]), 0, 1)


def _kept(count: int, rng: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    """Blinks, a long blind stretch, and three biopsies with the time around them."""
    reason = [""] * count
    for centre in rng.integers(0, count, max(count // 90, 2)):
        _mark(reason, centre, int(rng.integers(3, 45)), "non-informative")
    _mark(reason, int(0.5 * count), min(int(7 * RATE_HZ), int(0.06 * count)), "non-informative")
    long = min(int(2 * RATE_HZ), count // 32)
    for part in (0.28, 0.62, 0.81):
        _mark(reason, int(part * count) - long // 2, 2 * long, "biopsy")
        _mark(reason, int(part * count), long, "forceps")
    return np.array([not text for text in reason]), reason


def _mark(reason: list[str], start: int, length: int, text: str) -> None:
    for i in range(max(start, 0), min(start + length, len(reason))):
        reason[i] = text


def _noise(rng: np.random.Generator, count: int, knots: int) -> np.ndarray:
    spline = make_interp_spline(np.linspace(0, 1, knots), rng.normal(size=knots))
    return spline(np.linspace(0, 1, count))
