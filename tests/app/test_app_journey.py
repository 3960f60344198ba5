"""The whole way in a browser: drop two parts, confirm the start, watch, correct, undo, reopen, export, the queue."""

from __future__ import annotations

import base64
import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import av
import pytest
from running_app import DEMO, App

from haustra.cohort import merge
from haustra.cohort.entries import find_entries
from haustra.results.versions import history


def _parts(folder: Path) -> list[Path]:
    """The bundled recording, cut in two where a picture stands for itself."""
    folder.mkdir()
    files = [folder / f"withdrawal {number}.mp4" for number in (1, 2)]
    with av.open(str(DEMO)) as source:
        stream = source.streams.video[0]
        packets = [packet for packet in source.demux(stream) if packet.pts is not None]
        cut = next(i for i, p in enumerate(packets) if p.is_keyframe and p.pts * stream.time_base >= 25)
        for file, some in zip(files, (packets[:cut], packets[cut:]), strict=True):
            first = min(packet.dts for packet in some)
            with av.open(str(file), "w") as target:
                out = target.add_stream_from_template(stream)
                for packet in some:
                    packet.pts, packet.dts, packet.stream = packet.pts - first, packet.dts - first, out
                    target.mux(packet)
    return files


def _drop(page: Any, files: list[Path]) -> None:
    """As if these files were let go above the page."""
    named = [{"name": file.name, "data": base64.b64encode(file.read_bytes()).decode()} for file in files]
    transfer = page.evaluate_handle(
        """(files) => { const transfer = new DataTransfer(); for (const { name, data } of files) {
        transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name)); }
        return transfer; }""",
        named,
    )
    page.dispatch_event("body", "drop", {"dataTransfer": transfer})


def _drag(page: Any, name: str, by_px: int) -> None:
    grip = page.locator(f".handle[data-time={name}] .grip")
    grip.scroll_into_view_if_needed()
    box = grip.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by_px / 2, y, steps=4)
    page.mouse.move(x + by_px, y, steps=4)
    page.mouse.up()


def _time(page: Any, name: str) -> float:
    return float(page.locator(f".handle[data-time={name}]").get_attribute("aria-valuenow"))


def _said(page: Any, text: str) -> None:
    page.locator("#said", has_text=text).wait_for()


@pytest.fixture
def open_app(browser: Any) -> Any:
    contexts = []
    complaints: list[str] = []

    def opened(app: App, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1400, "height": 1000}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if _is_error(message) else None)
        page.on(
            "response", lambda answer: complaints.append(f"{answer.status} {answer.url}") if _is_bad(answer) else None
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url) if _is_elsewhere(request.url, app) else None)
        page.goto(app.address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def _is_error(message: Any) -> bool:
    """A browser tells of every refusal, and not of which."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


def _is_bad(answer: Any) -> bool:
    """A conflict is shown by the page."""
    return answer.status >= 400 and answer.status != 409


def _is_elsewhere(url: str, app: App) -> bool:
    return not url.startswith((app.base, "data:", "blob:"))


def test_from_two_dropped_parts_to_a_reviewed_recording(
    start: Callable[..., App], open_app: Any, tmp_path: Path
) -> None:
    out = tmp_path / "study"
    out.mkdir()
    app = start(out)
    page = open_app(app)
    assert "token" not in page.url

    _drop(page, _parts(tmp_path / "parts"))
    page.get_by_label("They are parts of one recording").wait_for()
    assert page.get_by_label("They are parts of one recording").is_checked()  # the names say so
    page.get_by_role("button", name="Add").click()
    page.get_by_role("link", name="Set up").click()

    page.locator("#look-note", has_text="2 parts").wait_for()
    while not page.locator("#frame").evaluate("(image) => image.naturalWidth"):
        page.wait_for_timeout(50)
    page.keyboard.press("End")
    assert page.locator("#clock").inner_text().startswith("01:00")
    page.keyboard.press("Home")
    page.keyboard.press("s")
    assert page.locator("#withdrawal_start").input_value() == "00:00.0"
    page.locator("#id").fill("patient-7")
    page.get_by_role("button", name="Locate").click()

    page.locator(".row.running progress").wait_for()
    page.get_by_role("button", name="Pause patient-7").click()
    page.locator(".row.paused").wait_for()
    page.get_by_role("button", name="Resume patient-7").click()
    page.locator(".row.running").wait_for()
    page.close()
    assert app.end() == 0
    app = start(out)  # goes on by itself
    page = open_app(app)
    page.locator(".queue [data-id=patient-7]").wait_for()
    assert "%" in page.locator(".queue [data-id=patient-7] td").nth(1).inner_text()

    page.get_by_role("link", name="patient-7", exact=True).click()
    page.locator(".handle[data-time=descending][role=slider]").wait_for()
    proposed = _time(page, "descending")
    _drag(page, "descending", 40)
    _said(page, "Not saved yet")
    set_at = _time(page, "descending")
    assert set_at > proposed
    assert page.locator("#boundaries", has_text="a person").count() == 1  # the decoder has followed

    page.keyboard.press("f")
    page.locator("#finding-kind").fill("polyp")
    page.locator("#finding-size").fill("6")
    page.locator("#finding-form button[type=submit]").click()
    assert page.locator("#marks", has_text="polyp, 6 mm").count() == 1
    page.keyboard.press("Control+z")
    assert page.locator("#marks", has_text="polyp").count() == 0
    page.keyboard.press("Control+Shift+z")
    assert page.locator("#marks", has_text="polyp, 6 mm").count() == 1
    page.get_by_role("button", name="Save").click()
    _said(page, "Say who you are")
    page.locator("#reader").fill("Ada")
    page.locator("#reader").press("Tab")
    page.locator("#reviewed").check()
    page.get_by_role("button", name="Save").click()
    _said(page, "Saved as version 1")

    page.reload()
    page.locator("#marks", has_text="polyp, 6 mm").wait_for()
    assert _time(page, "descending") == pytest.approx(set_at, abs=0.01)
    assert page.locator(".handle.set[data-time=descending]").count() == 1
    page.locator("#exports summary").click()
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("^elan")).click()
    download.value.save_as(tmp_path / "patient-7.eaf")
    page.goto(app.base)
    page.locator("#queue-note", has_text="1 of 1 reviewed").wait_for()
    assert page.locator(".queue [data-id=patient-7]", has_text="Ada").count() == 1
    _all_say_the_same(out / "recordings" / "patient-7", tmp_path / "patient-7.eaf", set_at)
    (tmp_path / "recordings.csv").write_bytes(app.ask("/api/recordings.csv")[1])
    page.close()
    assert app.end() == 0
    (entry,) = find_entries([str(tmp_path / "recordings.csv")], str(out))
    assert (entry.id, len(entry.videos), entry.options["withdrawal_start"]) == ("patient-7", 2, "00:00.0")
    assert merge(str(out)).finished == 1  # as the command line does


def _all_say_the_same(folder: Path, eaf: Path, set_at: float) -> None:
    """The moment that was set, in the version, the intervals, the summary and the export."""
    (version,) = history(folder)
    assert version.by == "Ada"
    exact = version.annotations.times_s["descending"]
    assert exact == pytest.approx(set_at, abs=0.01)
    with (folder / "segments.csv").open() as file:
        rows = {row["segment"]: row for row in csv.DictReader(file)}
    assert rows["descending"]["entered_by"] == "Ada"
    assert float(rows["descending"]["start_s"]) == pytest.approx(exact, abs=1 / 15)
    summary = json.loads((folder / "summary.json").read_text())
    entered = {boundary["segment"]: boundary["entered_s"] for boundary in summary["boundaries"]}
    assert entered["descending"] == pytest.approx(exact, abs=1 / 15)
    times = [int(slot.get("TIME_VALUE", "-1")) for slot in ElementTree.parse(eaf).iter("TIME_SLOT")]
    assert min(abs(time - 1000 * exact) for time in times) <= 67


def test_a_folder_with_parts_and_a_folder_of_results(start: Callable[..., App], open_app: Any, tmp_path: Path) -> None:
    """Ids are those of `haustra cohort`; what is no recording is told."""
    out, study = tmp_path / "out", tmp_path / "study"
    out.mkdir()
    for name in ("PatA/2.mpg", "PatA/10.mpg", "PatB/1.mpg", "PatB/2.mpg", "PatB/.3.mpg", "notes.txt"):
        (study / name).parent.mkdir(parents=True, exist_ok=True)
        (study / name).write_bytes(name.encode())
    page = open_app(start(out))
    page.locator("#folders").set_input_files(study)
    assert page.get_by_label("Those in one folder").is_checked()
    assert page.locator("#parts .what").all_inner_texts() == ["PatA/2.mpg", "PatA/10.mpg", "PatB/1.mpg", "PatB/2.mpg"]
    page.get_by_role("button", name="Add").click()
    page.locator("[data-id=PatB] .more", has_text="2 parts").wait_for()
    assert page.locator("[data-id] .id").all_inner_texts() == ["PatA", "PatB"]
    shutil.rmtree(study / "PatB")
    page.locator("#folders").set_input_files(study)
    page.get_by_label("Each is a recording of its own").check()
    page.get_by_role("button", name="Add").click()
    page.locator("[data-id='10']").wait_for()
    (study / "PatA" / "frames.parquet").write_bytes(b"")
    page.locator("#folders").set_input_files(study)
    page.locator("#live", has_text="study is a folder of results").wait_for()
    assert page.locator("[data-id]").count() == 4


def test_two_readers_and_a_newer_version(
    start: Callable[..., App], open_app: Any, demo_cohort: Path, tmp_path: Path
) -> None:
    """What the second reader changed is put on top of what the first has saved; both readings give agreement."""
    shutil.copytree(demo_cohort, tmp_path / "out")
    app = start(tmp_path / "out")
    first, second = open_app(app), open_app(app)
    for page, name in ((first, "Ada"), (second, "Ben")):
        page.goto(f"{app.base}/review/demo")
        page.locator("#reader").fill(name)
        page.locator("#reader").press("Tab")
        page.locator("#reviewed").check()
    first.locator("#times input").nth(2).fill("20")
    first.locator("#times input").nth(2).press("Enter")
    first.get_by_role("button", name="Save").click()
    _said(first, "Saved as version 1")
    second.locator("#times input").nth(3).fill("30")
    second.locator("#times input").nth(3).press("Enter")
    second.get_by_role("button", name="Save").click()
    _said(second, "Not saved")
    second.get_by_role("button", name="Load the newer version").click()
    _said(second, "the newer version with your changes")
    assert (_time(second, "transverse"), _time(second, "descending")) == (20, 30)
    second.get_by_role("button", name="Save").click()
    _said(second, "Saved as version 2")
    last = history(tmp_path / "out" / "recordings" / "demo")[-1]
    assert (last.by, dict(last.annotations.times_s)) == ("Ben", {"transverse": 20, "descending": 30})

    second.goto(f"{app.base}/agreement")
    second.locator("h2", has_text="Ada and Ben").wait_for()
    assert second.locator("h2", has_text="Ben and Haustra").count() == 1
    _agreement_is_that_of_the_outputs(
        json.loads(app.ask("/api/agreement")[1]), tmp_path / "out" / "recordings" / "demo"
    )
    page = second
    page.goto(f"{app.base}/review/demo?blind")
    page.locator("#times").wait_for()
    assert page.locator(".handle.set").count() == 0  # nothing of what others said


def _agreement_is_that_of_the_outputs(found: dict[str, Any], folder: Path) -> None:
    """Ada set 20 s, Ben kept it and set 30 s."""
    apart = {(pair["a"], pair["b"]): pair["boundaries"] for pair in found["pairs"]}
    assert set(apart) == {("Ada", "Ben"), ("Ada", "Haustra"), ("Ben", "Haustra")}
    said = json.loads((folder / "versions" / "original" / "summary.json").read_text())["boundaries"]
    proposed = {one["segment"]: one["entered_s"] for one in said}
    for name, time_s in {"transverse": 20, "descending": 30}.items():
        expected = pytest.approx(abs(proposed[name] - time_s), abs=0.002)
        assert apart["Ben", "Haustra"][name] == {"count": 1, "median_s": expected, "largest_s": expected}
    assert apart["Ada", "Ben"]["transverse"]["largest_s"] == 0
    assert apart["Ada", "Ben"]["descending"]["largest_s"] > 0, "Ada left it to Haustra"


def test_pages_are_accessible(start: Callable[..., App], open_app: Any, demo_cohort: Path, tmp_path: Path) -> None:
    from axe_playwright_python.sync_playwright import Axe

    shutil.copytree(demo_cohort, tmp_path / "out")
    app = start(tmp_path / "out")
    page = open_app(app)
    # The page's own policy lets no other script in, the checker's neither.
    context = page.context.browser.new_context(bypass_csp=True)
    checked = context.new_page()
    checked.goto(app.address)
    for path, drawn in {
        "/": "[data-id=demo]",
        "/agreement": "#said >> text=No recording",
        "/review/demo": "#times input",
    }.items():
        checked.goto(app.base + path)
        checked.locator(drawn).first.wait_for()
        found = [
            violation["id"]
            for violation in Axe().run(checked).response["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
        assert found == [], path
    context.close()
