"""The report page in a real browser: drawn, in step with the video, safe with hostile text, usable by keyboard."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from made_withdrawal import DURATION_S, START_S, TEMPLATE, made_findings, made_summary, made_table

from haustra.anatomy.colon_map import point_at
from haustra.anatomy.findings import DETECTED, Finding, place_findings
from haustra.anatomy.frame_places import located
from haustra.core.vocabulary import SEGMENTS
from haustra.report.map_data import view_box
from haustra.report.page import render, write_report
from haustra.report.shell import script_safe_json
from haustra.results.table import PROBABILITY_COLUMNS, SCOPEGUIDE_COLUMN

HOSTILE = ("<script>window.hacked=1</script>", '"><img src=x onerror="window.hacked=1">', "</script><b>&amp;%%data%%")


def wait_for_video(page: Any) -> None:
    page.wait_for_function("() => { const v = document.querySelector('video'); return v && v.readyState >= 2 }")


def click_at(page: Any, selector: str, x: float, y: float) -> None:
    """Click at a share of an element's width and height."""
    target = page.locator(selector)
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])


def test_opens_from_disk_without_network_or_complaints(report: Path, open_page: Any) -> None:
    opened = open_page(report)
    wait_for_video(opened.page)
    assert opened.complaints == []
    assert {url.partition(":")[0] for url in opened.requests} <= {"file", "data", "blob"}
    assert any(url.endswith("/overlay.mp4") for url in opened.requests)


def test_every_figure_is_drawn(report: Path, open_page: Any, made: Any) -> None:
    page = open_page(report).page
    assert page.locator("#facts dt").count() == 7
    assert page.locator("#curve .line").get_attribute("d").count("L") > 200
    assert page.locator("#curve .spread").bounding_box()["height"] > 100
    assert page.locator("#map .segment").count() == 6
    assert page.locator("#curve .band").count() == page.locator("#curve .run").count() >= 6
    assert page.locator("#curve .dropped").count() > 0
    assert page.locator("#curve .biopsy").count() == 3
    assert page.locator("#curve .finding").count() == page.locator("#map .finding").count() == len(made.findings)
    assert page.locator("#strip img").count() == len(made.strip)
    assert page.evaluate("[...document.querySelectorAll('#strip img')].every((image) => image.naturalWidth > 0)")
    assert page.locator("#figures tbody tr").count() == 6
    assert page.locator("#findings tbody tr").count() == len(made.findings)
    assert "No calibration was given" in page.locator("#uncertain").inner_text()
    assert "paper-set2" in page.locator("#about").inner_text()
    assert colours_in_path(page) > 40


def test_scopeguide_is_a_line_of_its_own_where_there_is_a_track(
    report: Path, open_page: Any, made: Any, tmp_path: Path
) -> None:
    page = open_page(report).page
    assert page.locator("#curve .scopeguide").count() == 0
    assert not page.locator("#scopeguide-key").is_visible()
    table = made.table.with_columns((pl.col("location_index") ** 2).alias(SCOPEGUIDE_COLUMN))
    write_report(tmp_path / "report.html", located(table), made_summary(), template=TEMPLATE)
    page = open_page(tmp_path / "report.html").page
    line, guide = (page.locator(f"#curve .{name}").get_attribute("d") for name in ("line", "scopeguide"))
    assert guide.count("L") == line.count("L")
    assert guide != line
    assert page.locator("#scopeguide-key").is_visible()


def test_boundaries_of_the_decoder_say_what_decided_them(made: Any, open_page: Any, tmp_path: Path) -> None:
    boundary = {"segment": "transverse", "entered_s": 61.5, "between_s": [55.0, 70.0], "set_by": "decoder"}
    boundary["decided_by"] = {"location": 0.3, "bends": 0.65, "time": 0.04, "landmark": 0.01}
    shown, cut = tmp_path / "shown.html", tmp_path / "cut.html"
    write_report(shown, located(made.table), made_summary(boundaries=[boundary]), template=TEMPLATE)
    write_report(cut, located(made.table), made_summary(), template=TEMPLATE)
    page = open_page(shown).page
    row = page.locator("#boundaries tbody tr").inner_text()
    assert "bends 65 %, location 30 %" in row.replace("\xa0", " ")
    assert "time" not in row
    assert "00:55–01:10" in row
    assert "decided" not in page.locator("#about").inner_text()
    assert open_page(cut).page.locator("#boundaries-section").is_hidden()


def colours_in_path(page: Any) -> int:
    """How many different colours the canvas of the 3-D path holds."""
    return page.evaluate("""() => {
        const c = document.getElementById('path');
        const d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
        return new Set(d).size }""")


def dark_in_path(page: Any) -> int:
    """How many pixels of the canvas of the 3-D path are nearly black."""
    return page.evaluate("""() => {
        const c = document.getElementById('path');
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        let dark = 0;
        for (let i = 0; i < d.length; i += 4) dark += d[i + 3] > 200 && d[i] + d[i + 1] + d[i + 2] < 150;
        return dark }""")


@pytest.mark.parametrize(("x", "y"), [(0.3, 0.4), (0.8, 0.2)])
def test_click_on_the_curve_moves_video_and_markers(report: Path, open_page: Any, x: float, y: float) -> None:
    opened = open_page(report)
    wait_for_video(opened.page)
    click_at(opened.page, "#curve .plot", x, y)
    width = opened.page.locator("#curve .plot").bounding_box()["width"]
    shown_s = made_table(DURATION_S)["time_s"][-1]
    expected = START_S + shown_s * (x * width - 70) / (width - 80)
    assert opened.video_time() == pytest.approx(expected, abs=0.2)
    assert opened.time_shown() == pytest.approx(expected, abs=0.2)
    assert float(opened.page.locator("#seek").input_value()) == pytest.approx(expected, abs=0.2)


def location_at(table: pl.DataFrame, time_s: float) -> float:
    return float(np.interp(time_s, table["time_s"], table["location_index"]))


def test_click_on_the_map_goes_to_that_place(report: Path, open_page: Any, made: Any) -> None:
    opened = open_page(report)
    wait_for_video(opened.page)
    before = opened.page.locator("#map .camera").get_attribute("cx")
    place = 0.5 * (TEMPLATE.boundaries[4] + TEMPLATE.boundaries[5])  # the middle of the sigmoid
    left, top, width, height = view_box()
    x, y = point_at(place, TEMPLATE)
    click_at(opened.page, "#map svg", (x - left) / width, (y - top) / height)
    assert location_at(made.table, opened.video_time()) == pytest.approx(place, abs=0.02)
    assert opened.page.locator("#now-segment").inner_text() == "Sigmoid"
    assert opened.page.locator("#map .camera").get_attribute("cx") != before


def test_click_on_strip_tables_and_notes_goes_to_their_time(report: Path, open_page: Any, made: Any) -> None:
    opened = open_page(report)
    wait_for_video(opened.page)
    opened.page.locator("#strip button").nth(7).click()
    assert opened.video_time() == pytest.approx(made.strip[7].time_s, abs=0.1)
    opened.page.locator("#findings button").nth(1).click()
    assert opened.video_time() == pytest.approx(made.findings["time_s"][1], abs=0.1)
    opened.page.locator("#figures button", has_text="Rectum").click()
    rectum = made.table.filter(pl.col("segment") == "rectum")["time_s"][0]
    assert opened.video_time() == pytest.approx(rectum, abs=0.2)
    opened.page.locator("#uncertain button").first.click()
    assert opened.video_time() != pytest.approx(rectum, abs=0.2)


def test_path_turns_on_drag_and_jumps_on_click(report: Path, open_page: Any) -> None:
    opened = open_page(report)
    wait_for_video(opened.page)
    page = opened.page
    page.locator("#path").scroll_into_view_if_needed()
    picture = page.evaluate("document.getElementById('path').toDataURL()")
    box = page.locator("#path").bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + 150)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 150, steps=4)
    page.mouse.up()
    assert page.evaluate("document.getElementById('path').toDataURL()") != picture
    assert opened.time_shown() == pytest.approx(START_S)
    page.get_by_role("button", name="First view").click()
    assert page.evaluate("document.getElementById('path').toDataURL()") == picture
    x, y = coloured_pixel(page, (0xAA, 0x33, 0x77))
    page.locator("#path").click(position={"x": x, "y": y})
    assert opened.page.locator("#now-segment").inner_text() in ("Sigmoid", "Rectum")


def coloured_pixel(page: Any, colour: tuple[int, int, int]) -> tuple[float, float]:
    """Where the canvas shows exactly this colour."""
    return page.evaluate(
        """([r, g, b]) => {
        const c = document.getElementById('path');
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        for (let i = 0; i < d.length; i += 4)
            if (d[i] === r && d[i + 1] === g && d[i + 2] === b)
                return [(i / 4) % c.width, Math.floor(i / 4 / c.width)];
        }""",
        list(colour),
    )


def test_plays_and_stops_by_keyboard(report: Path, open_page: Any) -> None:
    opened = open_page(report)
    wait_for_video(opened.page)
    press = opened.page.keyboard.press
    press("ArrowRight")
    assert opened.time_shown() == pytest.approx(START_S + 1, abs=0.1)
    press("Shift+ArrowRight")
    assert opened.time_shown() == pytest.approx(START_S + 11, abs=0.1)
    press("ArrowLeft")
    assert opened.video_time() == pytest.approx(START_S + 10, abs=0.1)
    press(" ")
    opened.page.wait_for_function("() => document.querySelector('video').currentTime > 10.4")
    assert opened.page.locator("#play").inner_text() == "Pause"
    press(" ")
    opened.page.wait_for_function("() => document.querySelector('video').paused")
    press("End")
    assert opened.time_shown() == pytest.approx(made_table(DURATION_S, start_s=START_S)["time_s"][-1], abs=0.1)
    press("Home")
    assert opened.time_shown() == pytest.approx(START_S)


def test_every_control_is_reached_by_tab_and_has_a_name(report: Path, open_page: Any) -> None:
    page = open_page(report).page
    names = []
    for _ in range(24):
        page.keyboard.press("Tab")
        names.append(
            page.evaluate("""() => { const e = document.activeElement;
            return e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim() || e.textContent.trim() }""")
        )
    for wanted in ("Skip to the recording", "Play", "Time in the recording", "Location over time"):
        assert wanted in names
    assert sum("go to its first frame" in name for name in names) == 6
    assert all(names)
    page.locator("[data-segment=transverse]").focus()
    page.keyboard.press("Enter")
    assert page.locator("#now-segment").inner_text() == "Transverse"
    assert "transverse" in page.locator("#announce").inner_text()


def test_hostile_text_is_shown_and_never_run(made: Any, open_page: Any, tmp_path: Path) -> None:
    script, image, closing = HOSTILE
    table = made.table.with_columns(reason=pl.when("kept").then(pl.lit("")).otherwise(pl.lit(image)))
    summary = made_summary(script, options={closing: script}, warnings=[image, closing])
    target = tmp_path / "report.html"
    write_report(
        target, located(table), summary, template=TEMPLATE, findings=made_findings(table, HOSTILE), strip=made.strip
    )
    opened = open_page(target)
    page = opened.page
    assert page.locator("h1").inner_text() == script.rpartition("/")[2] or script in page.locator("h1").inner_text()
    assert [cell.inner_text() for cell in page.locator("#findings td.wrap").all()] == list(HOSTILE)
    assert image in page.locator("#uncertain").inner_text()
    assert closing in page.locator("#about").inner_text()
    page.locator("#findings button").first.click()
    assert page.evaluate("window.hacked") is None
    assert page.locator("body img:not([src^='data:image/jpeg'])").count() == 0
    assert opened.complaints == []


def test_findings_are_said_with_size_note_and_place(made: Any, open_page: Any, tmp_path: Path) -> None:
    table, start_s = made.table, made.table["time_s"][0]
    beside = [
        Finding(start_s + 3, "polyp", size_mm=4.0, note="flat"),
        Finding(start_s + 9, "flat lesion, 12 mm", kind="LST", size_mm=12.0, biopsied=True),
        Finding(start_s + 9.2, "biopsy", by=DETECTED, biopsied=True, lasts_s=2.4),
        Finding(start_s + 900, "ulcer"),
    ]
    write_report(
        tmp_path / "r.html", located(table), made_summary(), template=TEMPLATE, findings=place_findings(beside, table)
    )
    page = open_page(tmp_path / "r.html").page
    rows = [row.split("\t") for row in page.locator("#findings tbody").inner_text().splitlines()]
    assert [row[1].strip() for row in rows] == ["polyp", "LST", "biopsy", "ulcer"]
    assert [row[2] for row in rows] == [
        "polyp, 4 mm: flat",
        "flat lesion, 12 mm (biopsy taken)",
        "forceps seen for 2 s",
        "ulcer",
    ]
    assert rows[3][3] == "outside the withdrawal"
    assert "Score" not in page.locator("#findings thead").inner_text()
    assert page.locator("#curve .finding").count() == page.locator("#map .finding").count() == 3
    boxes = [mark.bounding_box() for mark in page.locator("#map .finding").all()[1:]]
    apart = np.hypot(*(boxes[0][side] - boxes[1][side] for side in ("x", "y")))
    assert apart > 5, "two at one place lie side by side"


def test_a_re_entry_says_which_way_the_scope_went(made: Any, open_page: Any, tmp_path: Path) -> None:
    frames = made.table.height
    there = ["cecum"] * (frames // 4) + ["ascending"] * (frames // 4) + ["cecum"] * (frames // 4)
    table = made.table.with_columns(segment=pl.Series(there + ["ascending"] * (frames - len(there))))
    boundary = {"segment": "ascending", "entered_s": 7.0, "between_s": None, "set_by": "template", "decided_by": {}}
    write_report(tmp_path / "r.html", located(table), made_summary(boundaries=[boundary]), template=TEMPLATE)
    rows = open_page(tmp_path / "r.html").page.locator("#boundaries tbody").inner_text().splitlines()
    assert [(row.split("\t")[0].strip(), row.split("\t")[-1]) for row in rows] == [
        ("Ascending", "–"),
        ("Cecum, re-entered", "the scope was pushed back in"),
        ("Ascending, re-entered", "the scope was drawn back again"),
    ]


def test_without_named_segments_there_is_no_legend_for_a_map(made: Any, open_page: Any, tmp_path: Path) -> None:
    nowhere = made.table.with_columns(segment=pl.lit(""), **{name: pl.lit(None) for name in PROBABILITY_COLUMNS})
    write_report(
        tmp_path / "r.html", located(nowhere), made_summary(), template=TEMPLATE, findings=made_findings(nowhere)
    )
    page = open_page(tmp_path / "r.html").page
    assert [page.locator(f"{where} .finding-legend").is_visible() for where in (".place", "#curve ~")] == [False, True]


def test_short_overlay_is_inside_the_page(made: Any, open_page: Any, tmp_path: Path) -> None:
    target = tmp_path / "alone.html"
    write_report(target, located(made.table), made_summary(), template=TEMPLATE, strip=made.strip, overlay=made.overlay)
    opened = open_page(target)
    wait_for_video(opened.page)
    click_at(opened.page, "#curve .plot", 0.6, 0.4)
    assert opened.video_time() > START_S + 5
    assert not any(url.endswith(".mp4") for url in opened.requests)
    assert opened.complaints == []


def test_missing_overlay_is_said_and_stills_are_shown(report: Path, open_page: Any, tmp_path: Path) -> None:
    alone = Path(shutil.copy(report, tmp_path / "report.html"))
    page = open_page(alone).page
    page.wait_for_selector("#picture img")
    assert "overlay.mp4 could not be played" in page.locator("#picture-note").inner_text()
    first = page.locator("#picture img").get_attribute("src")
    page.locator("#strip button").nth(5).click()
    assert page.locator("#picture img").get_attribute("src") != first
    assert page.locator("#play").is_disabled()


def test_nothing_sticks_out_of_narrow_and_wide_windows(report: Path, open_page: Any) -> None:
    for width in (360, 420, 768, 1400, 2560):
        page = open_page(report, viewport={"width": width, "height": 900}).page
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#curve .plot").bounding_box()["width"] > 0.6 * min(width, 1320)
        assert page.locator("#clock").bounding_box()["height"] < 28, "one line"


def test_print_is_light_and_without_controls(report: Path, open_page: Any) -> None:
    page = open_page(report, color_scheme="dark").page
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(20, 24, 28)"
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("#play").is_visible()
    assert not page.locator(".path + .note").is_visible(), "paper cannot be dragged"
    assert page.locator("#figures").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_an_hour_stays_small_and_opens(open_page: Any, tmp_path: Path) -> None:
    table = made_table(3600.0)
    target = tmp_path / "hour.html"
    write_report(target, located(table), made_summary(), template=TEMPLATE)
    assert target.stat().st_size < 1_000_000
    opened = open_page(target)
    assert 2900 < opened.page.locator("#curve .line").get_attribute("d").count("L") < 3001
    assert opened.complaints == []


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_recording_with_hardly_a_frame_still_gives_a_page(rows: int, open_page: Any, tmp_path: Path) -> None:
    target = tmp_path / "short.html"
    write_report(target, located(made_table(20.0).head(rows)), made_summary(), template=TEMPLATE)
    opened = open_page(target)
    assert opened.page.locator("h1").inner_text() == "recording.mp4"
    assert opened.complaints == []


def test_a_part_of_a_colon_is_shown_as_progress_and_nowhere_as_a_place(open_page: Any, tmp_path: Path) -> None:
    unnamed = {"segment": pl.lit("")} | {f"p_{name}": pl.lit(None, pl.Float64) for name in SEGMENTS}
    table = made_table(20.0).with_columns(**unnamed)
    target = tmp_path / "part.html"
    write_report(target, located(table), made_summary(withdrawal={"extent": "unsure"}), template=TEMPLATE)
    opened = open_page(target)
    assert opened.complaints == []
    assert opened.page.locator("#curve-title").inner_text() == "Progress through the recording"
    assert [opened.page.locator(id).is_visible() for id in ("#map", "#bars", "#figures")] == [False] * 3
    assert opened.page.locator("#curve .band").count() == 0
    assert "Progress 0" in opened.page.locator("#now-detail").inner_text()
    shown = opened.page.locator("body").inner_text().lower()
    assert [name for name in SEGMENTS if name in shown] == []
    opened.page.locator("#path").scroll_into_view_if_needed()
    assert dark_in_path(opened.page) > 1000, "the path is drawn all the same"


def test_rows_without_a_place_are_no_fault(open_page: Any, tmp_path: Path) -> None:
    lost = ["location_index", "location_std", "segment", *(f"p_{name}" for name in ("cecum", "rectum"))]
    table = made_table(20.0).with_columns(pl.when("kept").then(pl.col(lost)))
    target = tmp_path / "lost.html"
    write_report(target, located(table), made_summary(), template=TEMPLATE)
    opened = open_page(target)
    assert opened.complaints == []
    assert opened.page.locator("#figures tbody tr").count() == 6


def test_json_cannot_leave_its_script_block() -> None:
    value = {"a": "</script><!-- \u2028 &", "b": [1.5, None]}
    text = script_safe_json(value)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == value


def test_marks_of_the_template_in_the_data_stay_text() -> None:
    assert "%%script%%" in render({"title": "%%script%%"})
