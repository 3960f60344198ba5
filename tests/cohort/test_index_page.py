"""The page of a cohort in a browser: a thousand rows, sorted, filtered, offline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from haustra.cohort.index_page import PageRow, index_page
from haustra.cohort.recording_row import CURVE_POINTS, ROW
from haustra.core.vocabulary import SEGMENTS

COUNT, FAILED = 1000, 7
EVIL = "</script><img src=x onerror=alert(1)>"


def page_row(number: int) -> PageRow:
    row: dict[str, Any] = dict.fromkeys(ROW)
    row["recording"] = f"r{number}"
    if number < FAILED:
        return PageRow(row | {"state": "failed", "error": EVIL}, ())
    seconds = 120.0 + (number * 37) % 900
    times = {f"{name}_time_s": seconds / 6 for name in SEGMENTS}
    figures = {"withdrawal_time_s": seconds, "net_time_s": seconds, "dropped_share": 0.25, "cecum_seen": True}
    return PageRow(row | {"state": "finished"} | times | figures, [i / CURVE_POINTS for i in range(CURVE_POINTS)])


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    file = tmp_path_factory.mktemp("page") / "index.html"
    file.write_text(index_page([page_row(number) for number in range(COUNT)]))
    opened = browser.new_page(viewport={"width": 1400, "height": 900})
    opened.asked, opened.complaints = [], []
    opened.on("request", lambda request: opened.asked.append(request.url))
    opened.on("console", lambda message: opened.complaints.append(message.text))
    opened.on("pageerror", lambda error: opened.complaints.append(str(error)))
    opened.on("dialog", lambda dialog: opened.complaints.append(dialog.message))
    opened.goto(file.as_uri())
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def unfiltered(page: Any) -> None:
    page.reload()


def cells(page: Any, column: int) -> list[str]:
    return list(page.locator(f"tbody td:nth-child({column})").all_inner_texts())


def test_rows_are_drawn_as_they_are_scrolled_to(page: Any) -> None:
    drawn = page.locator("tbody tr").count()
    assert 50 <= drawn < COUNT
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    # Not wait_for_function with an expression: polling it is an eval, which the page's policy forbids.
    page.locator("tbody tr").nth(drawn).wait_for(state="attached")


def test_a_click_on_a_column_sorts_and_another_turns_it_round(page: Any) -> None:
    assert cells(page, 1)[9:11] == ["r9", "r10"]  # as people count
    page.click("th button:has-text('Withdrawal')")
    upwards = cells(page, 3)
    assert upwards == sorted(upwards)
    assert upwards[0] == "02:00"
    page.click("th button:has-text('Withdrawal')")
    downwards = cells(page, 3)
    assert downwards == sorted(downwards, reverse=True)
    assert "–" not in downwards  # what is not known comes last either way
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Withdrawal")


def test_filters_narrow_the_table_and_the_distributions(page: Any) -> None:
    page.select_option("#length", "below 6 min")
    short = sum(120 + (number * 37) % 900 < 360 for number in range(FAILED, COUNT))
    assert page.inner_text("#count") == f"{short} of {COUNT} recordings"
    assert "0\u00a0% at least 6, 0\u00a0% at least 8 minutes" in page.inner_text("#note-total")
    page.fill("#search", "r999")
    assert cells(page, 1) in (["r999"], [])


def test_failures_are_shown_as_text_and_link_nowhere(page: Any) -> None:
    page.select_option("#state", "failed")
    assert cells(page, 1) == [f"r{number}" for number in range(FAILED)]
    assert page.locator("tbody a").count() == 0
    assert page.locator("tbody td.notes").first.get_attribute("title") == EVIL
    assert page.locator("img").count() == 0


def test_a_row_links_to_its_report_and_shows_its_curve(page: Any) -> None:
    row = page.locator("tbody tr.finished").first
    assert row.locator("a").get_attribute("href") == f"recordings/r{FAILED}/report.html"
    points = row.locator("polyline").get_attribute("points").split()
    assert len(points) == CURVE_POINTS


def test_the_page_is_one_file_and_has_no_complaints(page: Any) -> None:
    assert {url.partition(":")[0] for url in page.asked} == {"file"}
    assert len(set(page.asked)) == 1
    assert page.complaints == []


def test_an_empty_cohort_has_a_page(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(index_page([]))
    assert '"rows":[]' in (tmp_path / "index.html").read_text()
