"""Words and headline numbers at the top and the bottom of the report page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import polars as pl

from haustra.anatomy import SEGMENTS
from haustra.anatomy.frame_places import Located
from haustra.core.times import format_time
from haustra.core.vocabulary import Extent
from haustra.report.figures import percent

MOST_ROWS = 12  # of a group that is shown at once
SMALLEST_SHARE = 0.05  # what decides less is not named
WITHOUT_PLACES: Mapping[str, str] = {
    Extent.PART: "part of a colon",
    Extent.UNSURE: "this may be part of a colon",
    Extent.UNKNOWN: "too little is seen to tell",
}


def title(summary: Mapping[str, Any]) -> str:
    """The recording's file name: what a reader with many reports looks for."""
    recording = summary.get("recording", "")
    if isinstance(recording, Mapping):
        recording = recording.get("name") or recording.get("path") or recording.get("file") or ""
    return PurePath(str(recording)).name or "Recording without a name"


def subtitle(table: pl.DataFrame, summary: Mapping[str, Any]) -> str:
    """From when to when, and who said so."""
    if table.is_empty():
        return "No frame of this recording could be used."
    span = f"Withdrawal from {format_time(table['time_s'][0])} to {format_time(table['time_s'][-1])} of the recording"
    withdrawal = summary.get("withdrawal")
    source = withdrawal.get("start_source") if isinstance(withdrawal, Mapping) else None
    if source is None:
        return f"{span}."
    confidence = withdrawal.get("start_confidence") if isinstance(withdrawal, Mapping) else None
    sure = f", with a confidence of {percent(confidence)}" if isinstance(confidence, (int, float)) else ""
    return f"{span}. Start: {source}{sure}.{_cecum(summary)}"


def _cecum(summary: Mapping[str, Any]) -> str:
    """When the cecum was seen best; without a picture that looks like it the start is less sure."""
    if "cecum" not in summary:
        return ""
    seen = summary["cecum"]
    if seen is None:
        return " No picture looks like the cecum."
    return f" Cecum seen: at {format_time(seen['seen_s'])}, {seen['probability']:.2f}."


def headline(located: Located, summary: Mapping[str, Any], findings: int) -> list[dict[str, str]]:
    """Five figures that say how the withdrawal went and how far to trust the rest."""
    table = located.table
    if table.is_empty():
        return []
    duration = float(table["time_s"][-1] - table["time_s"][0])
    kept = int(table["kept"].sum())
    seen = [name for name in SEGMENTS if name in set(table["segment"].drop_nulls())]
    named = [pl.when(segment=name).then(f"p_{name}") for name in SEGMENTS]
    sure = table.select(pl.coalesce(named).fill_nan(None).mean()).item()
    return [
        _fact("Withdrawal", format_time(duration), "from the first to the last frame"),
        _fact("Frames used", percent(kept / table.height), f"{kept:,} of {table.height:,} sampled"),
        _segments_seen(seen, summary),
        _fact("Segment certainty", "–" if sure is None else percent(sure), "mean probability of the segment named"),
        _fact("Biopsies", str(len(located.biopsies)), "stretches that show forceps"),
        *([_fact("Findings", f"{findings:,}", "placed on the map" if seen else "on the curve")] if findings else []),
    ]


def borders(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """When each segment is entered, who set that, and what decided it, the weightiest first."""
    return [
        {
            "segment": border["segment"],
            "t": border["entered_s"],
            "between": border["between_s"],
            "set_by": border["set_by"],
            "decided_by": ", ".join(
                f"{source} {percent(share)}"
                for source, share in sorted(border["decided_by"].items(), key=lambda item: -item[1])
                if share >= SMALLEST_SHARE
            ),
        }
        for border in summary.get("boundaries", [])
    ]


def about(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rest of the summary in groups of name and value: nothing the run recorded is hidden from the reader.

    Groups of more than a few rows are folded.
    """
    shown = {key: value for key, value in summary.items() if key not in ("warnings", "run")}
    run = summary.get("run")
    own = run if isinstance(run, Mapping) else {}
    everything = {**shown, **own}
    groups = {"run": {key: value for key, value in everything.items() if not isinstance(value, Mapping)}}
    groups |= {key: dict(value) for key, value in everything.items() if isinstance(value, Mapping)}
    listed = [{"group": words(name).capitalize(), "rows": _rows(group)} for name, group in groups.items()]
    return [entry | {"folded": len(entry["rows"]) > MOST_ROWS} for entry in listed if entry["rows"]]


def words(name: str) -> str:
    return str(name).replace("_", " ")


def _fact(label: str, value: str, note: str) -> dict[str, str]:
    return {"label": label, "value": value, "note": note}


def _segments_seen(seen: Sequence[str], summary: Mapping[str, Any]) -> dict[str, str]:
    """How many, unless it is open how much of the colon the recording shows."""
    withdrawal = summary.get("withdrawal")
    extent = str(withdrawal.get("extent")) if isinstance(withdrawal, Mapping) else ""
    if extent in WITHOUT_PLACES:
        return _fact("Segments seen", "–", WITHOUT_PLACES[extent])
    if extent == Extent.LIKELY:
        return _fact("Segments seen", f"up to {len(seen)}", "taken for a whole colon")
    return _fact("Segments seen", f"{len(seen)} of {len(SEGMENTS)}", _missing(seen))


def _missing(seen: Sequence[str]) -> str:
    missing = [name for name in SEGMENTS if name not in seen]
    return f"not seen: {', '.join(missing)}" if missing else "cecum to rectum"


def _rows(group: Mapping[str, Any], prefix: str = "") -> list[list[str]]:
    rows = []
    for key, value in group.items():
        if key in ("segments", "boundaries"):  # the page has tables of its own for them
            continue
        name = prefix + words(key)
        if isinstance(value, Mapping):
            rows += _rows(value, f"{name}, ")
        elif isinstance(value, (list, tuple)):
            rows.append([name, ", ".join(_value(item) for item in value)])
        elif value is not None:
            rows.append([name, _value(value)])
    return rows


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
