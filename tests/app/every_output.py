"""When each segment is entered, as every output of a result in a cohort says it."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl

from haustra.anatomy.annotated_times import reviewed_times
from haustra.core.vocabulary import SEGMENTS
from haustra.exchange.export import make_export
from haustra.exchange.formats import Asked
from haustra.results.annotations import NAMES
from haustra.results.versions import history

Times = dict[str, float]


def entered_in(result: Path) -> dict[str, Times]:
    """By output: the time by segment, for all that are entered after the start."""
    cohort = result.parents[1]
    summary = json.loads((result / "summary.json").read_text())
    page = _page_data(result / "report.html")
    return {
        "version": dict(history(result)[-1].annotations.times_s),
        "frames.parquet": _first(pl.read_parquet(result / "frames.parquet"), "time_s"),
        "frames.csv": _first(pl.read_csv(result / "frames.csv"), "time_s"),
        "cohort.parquet": _first(pl.read_parquet(cohort / "cohort.parquet" / f"recording={result.name}"), "time_s"),
        "segments.csv": _first(pl.read_csv(result / "segments.csv"), "start_s"),
        "summary.json": {one["segment"]: one["entered_s"] for one in summary["boundaries"]},
        "page, borders": {one["segment"]: one["t"] for one in page["boundaries"]},
        "page, curve": {SEGMENTS[run["segment"]]: run["start"] for run in reversed(page["runs"])},
        "template": dict(zip(NAMES, reviewed_times(result).tolist(), strict=True)),
        **_exports(result),
    }


def seconds_in_cohort(cohort: Path, recording: str) -> dict[str, list[float]]:
    """Seconds in each segment, in its table (exact) and on its page (tenths)."""
    with (cohort / "recordings.csv").open(encoding="utf-8") as file:
        (row,) = [row for row in csv.DictReader(file) if row["recording"] == recording]
    (shown,) = [row for row in _page_data(cohort / "index.html")["rows"] if row["id"] == recording]
    return {"recordings.csv": [float(row[f"{name}_time_s"]) for name in SEGMENTS], "index.html": shown["times"]}


def _exports(result: Path) -> dict[str, Times]:
    """Of video frames where a program counts these: 25 a second."""
    made = {name: make_export(result, name, Asked(fps=25)).data for name in ("csv", "elan", "webvtt", "srt", "cvat")}
    table = pl.read_csv(io.BytesIO(made["csv"])).filter(kind="segment").select("start_s", segment="label")
    eaf = ElementTree.fromstring(made["elan"])
    slots = {slot.get("TIME_SLOT_ID"): int(slot.get("TIME_VALUE", "")) / 1000 for slot in eaf.iter("TIME_SLOT")}
    (tier,) = (tier for tier in eaf.iter("TIER") if tier.get("TIER_ID") == "segment")
    marked = [
        (one.findtext("ANNOTATION_VALUE"), slots[one.get("TIME_SLOT_REF1")])
        for one in tier.iter("ALIGNABLE_ANNOTATION")
    ]
    tracks = ElementTree.fromstring(made["cvat"]).findall("track")
    boxes = [(track.get("label"), int(track.find("box").get("frame")) / 25) for track in tracks]  # type: ignore[union-attr]
    (task,) = json.loads(make_export(result, "labelstudio", Asked(fps=25)).data)
    labels = [one["value"] for one in task["predictions"][0]["result"]]
    spans = [(one["timelinelabels"][0], (one["ranges"][0]["start"] - 1) / 25) for one in labels]
    found = {
        "export, elan": marked,
        "export, webvtt": _cues(made["webvtt"].decode()),
        "export, srt": _cues(made["srt"].decode()),
        "export, cvat": boxes,
        "export, labelstudio": spans,
    }
    known = {
        name: {word: time_s for word, time_s in reversed(rows) if word in SEGMENTS} for name, rows in found.items()
    }
    return {"export, csv": _first(table, "start_s"), **known}


def _cues(text: str) -> list[tuple[str, float]]:
    found = re.findall(r"(\d+):(\d+):(\d+)[.,](\d+) --> [^\n]*\n(\w+)", text)
    return [(word.lower(), 3600 * int(h) + 60 * int(m) + int(s) + int(ms) / 1000) for h, m, s, ms, word in found]


def _first(table: pl.DataFrame, column: str) -> Times:
    rows = table.filter(pl.col("segment").is_in(SEGMENTS)).unique("segment", keep="first", maintain_order=True)
    return dict(rows.select("segment", column).iter_rows())


def _page_data(page: Path) -> Any:
    text = page.read_text(encoding="utf-8")
    return json.loads(text.partition('id="data">')[2].partition("</script>")[0])
