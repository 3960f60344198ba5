"""A report made once for all page tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from made_withdrawal import DURATION_S, START_S, TEMPLATE, lumen, made_findings, made_summary, made_table, made_video

from haustra.anatomy.frame_places import located
from haustra.quality.thumbnails import to_jpeg
from haustra.report.overlay import write_overlay
from haustra.report.page import OverlayVideo, write_report
from haustra.report.strip import StripImage, strip_of
from haustra.results.observations import Thumbnail
from haustra.video import open_recording


@dataclass(frozen=True)
class Made:
    """A recording with everything the report is made of."""

    folder: Path
    table: pl.DataFrame
    findings: pl.DataFrame
    strip: list[StripImage]
    overlay: OverlayVideo


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("result of Äsop 結腸")
    recording = open_recording(made_video(folder / "recording.mp4", START_S + DURATION_S, size=(160, 128)))
    table = made_table(DURATION_S, start_s=START_S)
    first_s = write_overlay(recording, table, folder / "overlay.mp4", template=TEMPLATE, start_s=START_S)
    thumbnails = [Thumbnail(t, to_jpeg(lumen(t, (160, 128)))) for t in table["time_s"][::4]]
    overlay = OverlayVideo(folder / "overlay.mp4", first_s)
    return Made(folder, table, made_findings(table), strip_of(thumbnails, table, count=12), overlay)


@pytest.fixture(scope="session")
def report(made: Made) -> Path:
    """The ordinary report, its video beside it."""
    target = made.folder / "report.html"
    write_report(
        target,
        located(made.table),
        made_summary(),
        template=TEMPLATE,
        findings=made.findings,
        strip=made.strip,
        overlay=made.overlay,
        embed_bytes=0,
    )
    return target


@dataclass
class Opened:
    """A page with what it asked for and what it complained about."""

    page: Any
    requests: list[str]
    complaints: list[str]

    def time_shown(self) -> float:
        return float(self.page.locator("#curve .plot").get_attribute("aria-valuenow"))

    def video_time(self) -> float:
        """Where the video stands once it has finished seeking, in seconds of the recording."""
        self.page.wait_for_function("() => { const v = document.querySelector('video'); return v && !v.seeking }")
        return float(self.page.evaluate("document.querySelector('video').currentTime")) + START_S


@pytest.fixture
def open_page(browser: Any) -> Iterator[Any]:
    pages = []

    def opened(file: Path, **options: Any) -> Opened:
        page = browser.new_page(**{"viewport": {"width": 1400, "height": 1000}, **options})
        pages.append(page)
        result = Opened(page, [], [])
        page.on("request", lambda request: result.requests.append(request.url))
        page.on("console", lambda message: result.complaints.append(message.text))
        page.on("pageerror", lambda error: result.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (result.complaints.append("dialog"), dialog.dismiss()))
        page.goto(file.as_uri())
        return result

    yield opened
    for page in pages:
        page.close()
