"""What the page needs to go on with a review: what was said so far, by whom, and which version it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import polars as pl

from haustra.results.versions import Version, authors


def review_data(table: pl.DataFrame, summary: Mapping[str, Any], versions: Sequence[Version] = ()) -> dict[str, Any]:
    """Of the newest of the `versions`. `span` is from when to when the recording was read: as far as its ends can be
    moved."""
    run, recording = summary.get("run"), summary.get("recording")
    times = [float(table["time_s"][0]), float(table["time_s"][-1])] if table.height else [0.0, 0.0]
    span = recording.get("read_s", times) if isinstance(recording, Mapping) else times
    said = msgspec.to_builtins(versions[-1].annotations) if versions else {}
    for field in ("format", "recording", "version", "by"):
        said.pop(field, None)
    return {
        "recording": run["recording"] if isinstance(run, Mapping) else "",
        "version": len(versions),
        "newest": len(versions),
        "annotations": said,
        "authors": authors(versions),
        "history": [
            {"number": one.number, "by": one.by, "made": one.made.isoformat(), "changes": list(one.changes)}
            for one in versions
        ],
        "span": span,
    }
