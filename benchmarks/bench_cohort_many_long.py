"""A thousand tiny recordings through `haustra cohort`: the driver's memory, and the page of all of them in Chromium."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.cohort_clips import clips
from haustra.cohort import run_cohort
from haustra.cohort.monitor import Beat, Tally
from haustra.cohort.status import Status

RECORDINGS, SECONDS, SIDE = 1000, 0.6, 64
EARLY = 100
LIMITS = {"driver_growth_mb": 20.0, "page_opens_s": 2.0, "page_sorts_s": 2.0, "not_finished": 0}


def run() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clips(folder / "in", RECORDINGS, SECONDS, SIDE)
        return _cohort(folder) | page_times(folder / "out" / "index.html")


def _cohort(folder: Path) -> dict[str, float]:
    """Memory after a hundred recordings, and after all with their tables."""
    memory: dict[int, float] = {}

    def watch(tally: Tally, _: Status | Beat) -> None:
        memory[tally.done + tally.failed] = _rss_mb()

    began = time.monotonic()
    options = {"withdrawal_start": "0", "quality": "none"}
    result = run_cohort([str(folder / "in")], str(folder / "out"), workers=2, options=options, monitor=watch)
    assert result.merged is not None
    return {
        "wall_s": time.monotonic() - began,
        "not_finished": RECORDINGS - result.merged.finished,
        "driver_mb_after_100": memory[EARLY],
        "driver_mb_at_the_end": memory[RECORDINGS],
        "driver_growth_mb": memory[RECORDINGS] - memory[EARLY],
        "driver_mb_with_tables": _rss_mb(),
        "index_mb": (folder / "out" / "index.html").stat().st_size / 1e6,
    }


def page_times(page: Path) -> dict[str, float]:
    """Seconds from request to rendered rows, and from a click on a column to the sorted rows."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1400, "height": 1000})
        began = time.monotonic()
        tab.goto(page.as_uri())
        tab.wait_for_selector("tbody tr")
        opened = time.monotonic()
        tab.click("th button:has-text('Withdrawal')")
        tab.wait_for_selector("th[aria-sort]:has-text('Withdrawal')")
        ended = time.monotonic()
        browser.close()
    return {"page_opens_s": opened - began, "page_sorts_s": ended - opened}


def _rss_mb() -> float:
    return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]) / 1024
