"""The report of a 60-minute recording: seconds to write and to open it, and its size.

The observations are those of the bundled recording sixty times over, so that curve, tables and strip are as full as
those of a real one; the overlay of an hour lies beside the page.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from haustra import locate
from haustra.anatomy import load_template
from haustra.anatomy.bends import open_bend_network
from haustra.anatomy.frame_places import Located, place_withdrawal
from haustra.anatomy.segment_labels import Labelling
from haustra.core.vocabulary import DEFAULT_TEMPLATE, Naming
from haustra.demo import DEMO
from haustra.path import PathParameters
from haustra.path.frame_locations import whole_colon
from haustra.path.withdrawal import follow_withdrawal
from haustra.report.page import write_report
from haustra.report.write import shown_parts
from haustra.results.folder import OBSERVATIONS
from haustra.results.observations import Observations

TIMES = 60
LIMITS = {"write_s": 3.0, "open_s": 3.0, "mb": 10.0}
DRAWN = """() => document.querySelector('#curve .line')?.getAttribute('d')
    && document.querySelector('#strip img')?.complete"""


def run() -> dict[str, float]:
    """Writes the page, and opens it where Chromium is installed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = locate(
            DEMO / "video.mp4", camera=DEMO / "camera.json", withdrawal_start=0, overlay=False, quiet=True,
            out=folder / "demo",
        )  # fmt: skip
        hour = tiled(_observations(folder / "demo" / OBSERVATIONS))
        located = _located(hour)
        page, template = folder / "report.html", load_template(DEFAULT_TEMPLATE)
        began, used = time.perf_counter(), time.process_time()
        shown = shown_parts(located, hour.thumbnails, result.summary, template)
        write_report(page, located, result.summary, **shown)
        found = {"write_s": time.perf_counter() - began, "write_cpu_s": time.process_time() - used}
        found["mb"] = page.stat().st_size / 1e6
        return found | _opened(page) | {"frames": float(located.table.height)}


def tiled(seen: Observations) -> Observations:
    """One after the other, a sample apart."""
    length_s = float(seen.time_s[-1] - seen.time_s[0] + np.median(np.diff(seen.time_s)))
    return Observations.concatenated([replace(seen, time_s=seen.time_s + k * length_s) for k in range(TIMES)])


def _observations(source: Path) -> Observations:
    with np.load(source, allow_pickle=False) as arrays:
        return Observations.from_arrays(arrays)


def _located(seen: Observations) -> Located:
    ends = whole_colon(PathParameters().location.end_std)
    withdrawal = follow_withdrawal(seen, 0.0, ends, None)
    labelling = Labelling(load_template(DEFAULT_TEMPLATE), Naming.DECODER, bend_network=open_bend_network())
    return place_withdrawal(withdrawal, labelling)


def _opened(page: Path) -> dict[str, float]:
    """Seconds until curve and strip are drawn, in a browser that is running already."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return {}
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page()
        tab.goto("about:blank")
        began = time.perf_counter()
        tab.goto(page.as_uri())
        tab.wait_for_function(DRAWN)
        took_s = time.perf_counter() - began
        browser.close()
    return {"open_s": took_s}
