"""What a cohort costs, in docs/how-to/cohort.md: computed from the recorded cost of the whole job, typed by nobody."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.readme_table import filled
from benchmarks.results_page.record import RESULTS
from benchmarks.results_page.tables import recorded
from haustra.core.files import write_text

SCALE = Path(__file__).parents[1] / "docs" / "how-to" / "cohort.md"
BEGIN = "<!-- cost, made by benchmarks.results_page -->\n"
FRAMES = 20 * 60 * 30  # of a recording of 20 minutes


def scale_cost(printed: str) -> str:
    """CPU and memory of one recording, of ten thousand and of a million."""
    figures = {name: float(value) for name, value in re.findall(r"pipeline +(\w+) +([\d.]+)", printed)}
    decode_ms, times = figures["decode_only_cpu_ms_a_frame"], figures["cpu_over_decode"]
    memory_mb = max(value for name, value in figures.items() if re.fullmatch(r"peak_rss_\d+_min_mb", name))
    whole_ms = decode_ms * times
    one_s = FRAMES * whole_ms / 1000
    hours = 10_000 * one_s / 3600
    days = 100 * hours / 1024 / 24
    lines = [
        "| 1080p30 H.264 at 12 Mbit/s, no overlay | |",
        "|---|---|",
        f"| CPU a frame | {decode_ms:.2f} ms to decode, {times:.2f} times that for everything: {whole_ms:.1f} ms |",
        f"| memory | {memory_mb / 1000:.2f} GB a recording, however long |",
        f"| a recording of 20 minutes, {FRAMES:,} frames | **{_round(one_s):,} CPU seconds** |",
        f"| 10,000 | {_round(hours):,} core hours: {hours / 64:.0f} h on 64 cores, {hours / 256:.1f} h on 256 |",
        f"| 1,000,000 (on paper) | {_round(100 * hours):,} core hours: {days:.1f} days on 1,024 cores |",
    ]
    return "\n".join(lines) + "\n"


def _round(value: float) -> int:
    """To three digits."""
    return int(float(f"{value:.3g}"))


def write_scale(page: Path = SCALE, results: Path = RESULTS) -> None:
    table = scale_cost(recorded("pipeline", results)[1])
    write_text(page, filled(page.read_text(encoding="utf-8"), BEGIN, table, page))
