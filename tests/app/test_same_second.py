"""A correction survives: from the page through `haustra apply` into every output, to the very frame."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from every_output import entered_in, seconds_in_cohort
from typer.testing import CliRunner

import haustra
from haustra.anatomy.build import fit_template
from haustra.cli.commands import app
from haustra.core.vocabulary import SEGMENTS
from haustra.results.versions import history

# None of them is the moment of a frame, and the page rounds none of them away.
TYPED = {"Start": 1.02, "Ascending": 4.23, "Transverse": 20.41, "Descending": 33.14, "Sigmoid": 41.77, "Rectum": 50.5}
NEAR_S = 1 / 30 + 1e-6  # half the time between two frames
VIDEO_FRAME_S = 1 / 50 + 1e-3  # half of that at 25 a second
COUNT_FRAMES = ("export, cvat", "export, labelstudio")


def _given_out(browser: Any, report: Path, target: Path) -> None:
    """What a reader sets on the page that was passed on, as the page gives it out."""
    page = browser.new_page()
    page.goto(report.as_uri())
    page.get_by_role("button", name="Correct").click()
    page.get_by_label("Reader").fill("Ada")
    page.get_by_label("Reader").press("Tab")
    for name, time_s in TYPED.items():
        page.get_by_label(f"{name}, time").fill(str(time_s))
        page.get_by_label(f"{name}, time").press("Enter")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download corrections").click()
    waiting.value.save_as(target)
    page.close()


def test_every_output_says_the_same_second(browser: Any, demo_cohort: Path, tmp_path: Path) -> None:
    cohort = shutil.copytree(demo_cohort, tmp_path / "out")
    result = cohort / "recordings" / "demo"
    _given_out(browser, result / "report.html", tmp_path / "annotations.json")
    ran = CliRunner().invoke(app, ["apply", str(result), str(tmp_path / "annotations.json")])
    assert ran.exit_code == 0, ran.output

    said = dict(history(result)[-1].annotations.times_s)
    typed = {{"start": "cecum"}.get(name.lower(), name.lower()): time_s for name, time_s in TYPED.items()}
    assert said == pytest.approx(typed, abs=NEAR_S), "the frame nearest to what was set"
    later = {name: said[name] for name in SEGMENTS[1:]}
    for output, times in entered_in(result).items():
        within_s = VIDEO_FRAME_S if output in COUNT_FRAMES else 1e-3
        assert {name: times.get(name) for name in later} == pytest.approx(later, abs=within_s), output

    opened = haustra.open(result)
    assert opened.frames["time_s"][0] == opened.summary["withdrawal"]["start_s"] == said["cecum"]
    template = fit_template([result, result]).template
    locations = [opened.frames.filter(segment=name)["location_index"][0] for name in SEGMENTS[1:]]
    assert template.boundaries[1:-1] == pytest.approx(locations, abs=1e-4)  # a summary has whole milliseconds

    moments = [*said.values(), opened.frames["time_s"][-1]]
    lasts = [b - a for a, b in pairwise(moments)]
    for output, seconds in seconds_in_cohort(cohort, "demo").items():
        assert seconds[:-1] == pytest.approx(lasts[:-1], abs=0.051 if output == "index.html" else 1e-3), output
        assert seconds[-1] == pytest.approx(lasts[-1], abs=0.12), "its last frame lasts, too"
