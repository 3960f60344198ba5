"""The report page as a place to correct: drag, keys, undo, the file it gives out; also small player, axe, print."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from made_withdrawal import START_S, TEMPLATE, made_summary, made_table

from haustra.anatomy.frame_places import located
from haustra.anatomy.intervals import boundaries_of, segment_numbers
from haustra.core.vocabulary import SEGMENTS, Naming
from haustra.report.page import SCRIPTS, write_report
from haustra.report.shell import asset
from haustra.results.annotations import parse_annotations
from haustra.results.table import column


def written(target: Path, table: pl.DataFrame, **more: Any) -> Path:
    found = boundaries_of(column(table, "time_s"), segment_numbers(table), Naming.TEMPLATE)
    summary = made_summary(boundaries=[one.as_dict() for one in found], run={"recording": "ab" * 32})
    write_report(target, located(table), summary, template=TEMPLATE, **more)
    return target


@pytest.fixture
def editable(made: Any, tmp_path: Path) -> Path:
    return written(tmp_path / "report.html", made.table, strip=made.strip, overlay=made.overlay)


def correcting(open_page: Any, report: Path) -> Any:
    opened = open_page(report)
    opened.page.get_by_role("button", name="Correct").click()
    return opened


def downloaded(page: Any) -> dict[str, Any]:
    """What the page gives out, as its reader understands it."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download corrections").click()
    assert waiting.value.suggested_filename == "annotations.json"
    data = Path(waiting.value.path()).read_bytes()
    parse_annotations(data, "annotations.json")
    return json.loads(data)


def drag(page: Any, name: str, by: float) -> None:
    """Move a handle sideways by so many pixels."""
    page.locator("#curve").scroll_into_view_if_needed()
    box = page.locator(f".handle[data-time={name}] .grip").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=5)
    page.mouse.up()


def lane(page: Any) -> list[list[float]]:
    """Left edge and width of each stretch in the lane of segments."""
    script = "[...document.querySelectorAll('#curve .run')].map((r) => [r.x.baseVal.value, r.width.baseVal.value])"
    return page.evaluate(script)


def test_it_is_read_until_one_corrects(editable: Path, open_page: Any) -> None:
    opened = open_page(editable)
    page = opened.page
    assert not page.locator("#review").is_visible()
    assert page.locator(".handle .grip").count() == 0
    page.keyboard.press("3")
    page.get_by_role("button", name="Correct").click()
    assert page.locator("#review").is_visible()
    assert page.locator(".handle .grip").count() == 7
    assert page.locator("#times .set").count() == 0
    assert opened.complaints == []


def test_a_field_that_is_clicked_has_the_focus_whatever_was_typed_before(
    editable: Path, open_page: Any, made: Any
) -> None:
    """What is typed is a time, not a key that sets others at the playhead."""
    entered = {name: made.table.filter(segment=name)["time_s"][0] for name in ("transverse", "sigmoid")}
    page = correcting(open_page, editable).page
    page.get_by_label("Reader").click()
    page.keyboard.type("Ada 12")
    for name, time_s in entered.items():
        page.get_by_label(f"{name.capitalize()}, time").click()
        page.keyboard.press("Control+a")
        page.keyboard.type(f"{time_s + 1.25:.2f}".replace(".", ","))
    page.get_by_title("Set Rectum at").click()
    assert page.get_by_label("Reader").input_value() == "Ada 12"
    said = downloaded(page)
    assert said["by"] == "Ada 12"
    assert list(said["times_s"]) == ["transverse", "sigmoid", "rectum"]
    for name, time_s in entered.items():
        assert said["times_s"][name] == pytest.approx(time_s + 1.25, abs=0.006)


def test_a_time_that_cannot_be_is_told(editable: Path, open_page: Any, made: Any) -> None:
    page = correcting(open_page, editable).page
    at = made.table.filter(segment="transverse")["time_s"][0]
    for name, text in (("Transverse", f"{at:.2f}"), ("Descending", f"{at - 5:.2f}")):
        page.get_by_label(f"{name}, time").fill(text)
        page.get_by_label(f"{name}, time").press("Enter")
    assert "it cannot pass a time that was set" in page.locator("#said").inner_text()
    assert downloaded(page)["times_s"]["descending"] == pytest.approx(at, abs=0.006)


def test_a_dragged_boundary_is_where_it_was_dropped(editable: Path, open_page: Any, made: Any) -> None:
    opened = correcting(open_page, editable)
    page = opened.page
    before = lane(page)
    drag(page, "transverse", -40)
    moved = downloaded(page)["times_s"]
    assert list(moved) == ["transverse"]
    assert opened.time_shown() == pytest.approx(moved["transverse"], abs=0.06), "the picture shows what lies under it"
    entered = made.table.filter(pl.col("segment") == "transverse")["time_s"][0]
    shown = page.locator("#curve .plot").bounding_box()["width"] - 80
    assert entered - moved["transverse"] == pytest.approx(40 / shown * (made.table["time_s"][-1] - START_S), abs=0.05)
    assert lane(page) != before, "what lies between follows at once"
    assert page.locator("#times li.set").inner_text().startswith("2")
    assert opened.complaints == []


def test_keys_set_at_the_playhead_and_what_was_set_is_not_passed(editable: Path, open_page: Any) -> None:
    opened = correcting(open_page, editable)
    page = opened.page
    page.keyboard.press("Shift+ArrowRight")
    for key in ("2", "s", "e"):
        page.keyboard.press("ArrowRight")
        page.keyboard.press(key)
    said = downloaded(page)["times_s"]
    at = START_S + 11
    assert said == {"transverse": pytest.approx(at), "cecum": pytest.approx(at), "stop": pytest.approx(at + 2)}, (
        "a start cannot lie behind a boundary that was set"
    )
    drag(page, "sigmoid", -900)
    assert downloaded(page)["times_s"]["sigmoid"] == pytest.approx(at)


def test_a_handle_is_moved_by_the_keyboard_and_given_back(editable: Path, open_page: Any) -> None:
    opened = correcting(open_page, editable)
    page = opened.page
    handle = page.get_by_role("slider", name="Descending entered")
    before = float(handle.get_attribute("aria-valuenow"))
    handle.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowLeft")
    assert downloaded(page)["times_s"]["descending"] == pytest.approx(before + 3 / 15 - 1, abs=0.01)
    handle.focus()
    page.keyboard.press("Delete")
    assert downloaded(page)["times_s"] == {}


def test_marks_findings_and_comments(editable: Path, open_page: Any) -> None:
    opened = correcting(open_page, editable)
    page = opened.page
    page.get_by_label("Reader").fill("Dr. <b>Ä</b>")
    page.get_by_label("Reader").press("Tab")
    page.locator("#title").click()
    page.keyboard.press("c")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("f")
    page.get_by_label("Kind").fill("<img src=x>polyp")
    page.get_by_label("Size, mm").fill("4.5")
    page.get_by_label("Note").fill("flat f n c 3")
    page.get_by_role("button", name="Keep").click()
    page.keyboard.press("n")
    page.locator("#comment-text").fill("prep poor")
    page.get_by_role("button", name="Keep").click()
    page.get_by_label("All is looked at and right").check()
    said = downloaded(page)
    assert (said["by"], said["recording"], said["version"], said["reviewed"]) == ("Dr. <b>Ä</b>", "ab" * 32, 0, True)
    assert said["sightings"] == [{"kind": "cecum", "time_s": START_S}]
    assert said["findings"] == [
        {"kind": "<img src=x>polyp", "time_s": START_S + 1, "size_mm": 4.5, "note": "flat f n c 3"}
    ]
    assert said["comments"] == [{"text": "prep poor", "time_s": START_S + 1}]
    assert page.locator("#curve .finding").count() == page.locator("#map .finding").count() == 1
    assert "<img src=x>polyp, 4.5 mm: flat" in page.locator("#findings").inner_text()
    assert page.locator("#curve .sighting, #curve .comment").count() == 2
    page.get_by_role("button", name="Edit <img").click()
    page.get_by_label("Size, mm").fill("")
    page.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Remove “prep poor”").click()
    said = downloaded(page)
    assert (said["findings"][0]["size_mm"], said["comments"]) == (None, [])
    assert opened.complaints == []


def test_undo_and_redo_go_through_every_step(editable: Path, open_page: Any) -> None:
    opened = correcting(open_page, editable)
    page = opened.page
    drag(page, "sigmoid", 30)
    page.keyboard.press("r")
    page.keyboard.press("Control+z")
    said = downloaded(page)
    assert (list(said["times_s"]), said["sightings"]) == (["sigmoid"], [])
    page.get_by_role("button", name="Undo").click()
    assert downloaded(page)["times_s"] == {}
    assert page.locator("#undo").is_disabled()
    page.keyboard.press("Control+Shift+z")
    page.keyboard.press("Control+y")
    assert [entry["kind"] for entry in downloaded(page)["sightings"]] == ["retroflexion"]
    page.get_by_role("button", name="Undo").click()
    page.keyboard.press("5")
    assert page.locator("#redo").is_disabled(), "a new step ends what could be done again"


def test_a_typed_time_counts_and_nonsense_is_refused(editable: Path, open_page: Any) -> None:
    opened = correcting(open_page, editable)
    page = opened.page
    field = page.get_by_label("Rectum, time")
    field.fill("0:17.5")
    field.press("Enter")
    assert downloaded(page)["times_s"] == {"rectum": 17.5}
    field.fill("soon")
    field.press("Enter")
    assert "'soon' is not a time" in page.locator("#said").inner_text()
    assert field.input_value() == "00:17.5"


def test_what_was_not_given_out_is_there_again_after_a_reload(editable: Path, open_page: Any) -> None:
    opened = correcting(open_page, editable)
    page = opened.page
    drag(page, "rectum", -25)
    page.reload()
    assert page.locator("#times li.set").count() == 1
    assert "not saved last time" in page.locator("#said").inner_text()
    page.keyboard.press("Control+z")
    page.reload()
    assert not page.locator("#review").is_visible()


def test_a_part_of_a_colon_is_told_where_it_begins_and_ends(open_page: Any, tmp_path: Path) -> None:
    unnamed = {"segment": pl.lit("")} | {f"p_{name}": pl.lit(None, pl.Float64) for name in SEGMENTS}
    opened = correcting(open_page, written(tmp_path / "part.html", made_table(20.0).with_columns(**unnamed)))
    page = opened.page
    assert page.locator(".handle .grip").count() == 2, "nothing but its ends is known"
    page.get_by_label("Begins in").select_option("transverse")
    page.get_by_label("Ends in").select_option("rectum")
    said = downloaded(page)
    assert (said["begins"], said["ends"]) == ("transverse", "rectum")


def test_space_plays_wherever_the_focus_is_but_in_text(editable: Path, open_page: Any) -> None:
    page = correcting(open_page, editable).page
    page.wait_for_function("() => document.querySelector('video').readyState >= 2")
    playing = "!document.querySelector('video').paused"
    for control in ("#forward", "#curve .plot", "#map .segment", "#strip button", "#seek", ".handle[data-time=rectum]"):
        page.locator(control).first.focus()
        page.keyboard.press(" ")
        page.wait_for_function(f"() => {playing}")
        page.keyboard.press(" ")
        page.wait_for_function(f"() => !({playing})")
    before = page.locator("#clock").inner_text()
    page.get_by_label("Reader").focus()
    page.keyboard.type("a b3")
    assert page.get_by_label("Reader").input_value() == "a b3"
    assert page.locator("#clock").inner_text() == before
    assert not page.evaluate(playing)


def test_a_small_player_stays_in_sight(editable: Path, open_page: Any) -> None:
    page = open_page(editable).page
    page.wait_for_function("() => document.querySelector('video').readyState >= 2")
    assert not page.locator("#mini-play").is_visible()
    page.locator("#strip button").nth(6).scroll_into_view_if_needed()
    page.locator("#strip button").nth(6).click()
    page.wait_for_selector("body.mini")
    box, height = page.locator("#picture").bounding_box(), page.viewport_size["height"]
    assert 0 < box["y"] < box["y"] + box["height"] < height
    assert box["width"] < 400
    assert page.locator("#mini-where").inner_text() == page.locator("#now-segment").inner_text()
    page.locator("#mini-close").click()
    assert not page.locator("#mini-play").is_visible()
    low = open_page(editable, viewport={"width": 390, "height": 300}).page
    low.wait_for_function("() => document.querySelector('video').readyState >= 2")
    assert low.locator("#screen").bounding_box()["y"] > 300
    assert not low.locator("#mini-play").is_visible(), "nothing was scrolled past"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(editable: Path, open_page: Any, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = correcting(lambda file: open_page(file, color_scheme=scheme), editable).page
    page.keyboard.press("c")
    tags = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
    options = {"runOnly": {"type": "tag", "values": tags}, "rules": {"label-content-name-mismatch": {"enabled": True}}}
    found = Axe().run(page, options=options).response["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []


def test_no_printed_page_is_empty(open_page: Any, made: Any, tmp_path: Path) -> None:
    from pypdf import PdfReader

    table = made_table(1500.0)
    report = written(tmp_path / "long.html", table, strip=made.strip)
    for options in ({}, {"viewport": {"width": 390, "height": 800}}):
        pages = PdfReader(io.BytesIO(open_page(report, **options).page.pdf(format="A4"))).pages
        assert 2 <= len(pages) <= 6
        assert min(len(page.extract_text().strip()) for page in pages) > 100  # the last one may be short


def test_modules_import_what_comes_before_them() -> None:
    """On disk they are one script, in this order: a name must be there before it is used, and only once."""
    names: list[str] = []
    for place, name in enumerate(SCRIPTS):
        text = asset(name)
        for line in text.splitlines():
            if line.startswith("import "):
                assert line.endswith("';"), "an import is one line"
                assert line.partition(" from './")[2][:-2] in SCRIPTS[:place]
            words = line.removeprefix("export ").split()
            if line[:1].isalpha() and words[0] in ("const", "let", "function", "class", "async"):
                names.append(words[2 if words[0] == "async" else 1].partition("(")[0])
    assert len(names) == len(set(names))
