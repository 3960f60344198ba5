"""Title, boundaries and run details of the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import polars as pl

from haustra.core.times import format_time
from haustra.report.figures import percent

MOST_ROWS = 12  # of a group that is shown at once
SMALLEST_SHARE = 0.05  # what decides less is not named


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
    return f"{span}. Start: {source}{sure}."


def boundaries(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """When each segment is entered, who set that, and what decided it, the weightiest first."""
    return [
        {
            "segment": boundary["segment"],
            "t": boundary["entered_s"],
            "between": boundary["between_s"],
            "set_by": boundary["set_by"],
            "decided_by": ", ".join(
                f"{source} {percent(share)}"
                for source, share in sorted(boundary["decided_by"].items(), key=lambda item: -item[1])
                if share >= SMALLEST_SHARE
            ),
        }
        for boundary in summary.get("boundaries", [])
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
    """A key of the summary as words."""
    return str(name).replace("_", " ")


def _rows(group: Mapping[str, Any], prefix: str = "") -> list[list[str]]:
    rows = []
    for key, value in group.items():
        if key in ("segments", "boundaries", "levels"):  # the page has tables of its own for them
            continue
        name = prefix + words(key)
        if isinstance(value, Mapping):
            rows += _rows(value, f"{name}, ")
        elif isinstance(value, (list, tuple)):
            between = "; " if any(isinstance(item, Mapping) for item in value) else ", "
            rows += [[name, between.join(_value(item) for item in value)]] if value else []
        elif value is not None:
            rows.append([name, _value(value)])
    return rows


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{words(key)} {_value(item)}" for key, item in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)
