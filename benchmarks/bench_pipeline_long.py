"""Peak memory of 20 minutes relative to 2, and the cost of a recording with B-frames, many of which are skipped."""

from __future__ import annotations

import tempfile
from pathlib import Path

import cv2

from benchmarks.bench_pipeline import PIECE_S, PIECES_S, locate, repeat, two_minutes
from benchmarks.bench_video import decode_only
from benchmarks.timing import cpu_s

LIMITS = {"cpu_over_decode_b_frames": 2.0, "peak_rss_20_min_over_2_min": 1.1}


def run() -> dict[str, float]:
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return _b_frames(folder) | _memory(folder)


def _b_frames(folder: Path) -> dict[str, float]:
    path = two_minutes(folder, "b", {"bf": "3"})
    decode_s = cpu_s(decode_only, path)
    cost = locate(path, folder / "b-out", "--no-overlay")
    decode_s = (decode_s + cpu_s(decode_only, path)) / 2
    return {"cpu_over_decode_b_frames": cost.cpu_s / decode_s}


def _memory(folder: Path) -> dict[str, float]:
    short = locate(two_minutes(folder, "plain", {"bf": "0"}), folder / "2-out", "--no-overlay")
    repeat(folder / "plain-clip.mp4", folder / "20.mp4", 20 * 60 // (len(PIECES_S) * PIECE_S))
    long = locate(folder / "20.mp4", folder / "20-out", "--no-overlay")
    return {"peak_rss_20_min_mb": long.peak_mb, "peak_rss_20_min_over_2_min": long.peak_mb / short.peak_mb}
