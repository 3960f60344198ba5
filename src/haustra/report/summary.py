"""summary.json: what was run on what, and the figures of the withdrawal. No metadata of the recording is copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from haustra.anatomy.frame_places import Located
from haustra.path.withdrawal import Withdrawal
from haustra.results.observations import Observations
from haustra.results.run import Run
from haustra.video import Picture, Recording


def summarise(
    recording: Recording,
    seen: Observations,
    picture: Picture,
    run: Run,
    withdrawal: Withdrawal,
    located: Located,
    notes: Sequence[str],
) -> dict[str, Any]:
    """The same run gives the same summary: nothing in it depends on the clock or the machine."""
    return {
        "haustra": run.haustra,
        "run": run.as_dict(),
        "recording": {
            "name": recording.path.name,
            "width": recording.width,
            "height": recording.height,
            "duration_s": recording.duration_s,
            "codec": recording.codec,
            "picture": list(picture.box),
            "read_s": [float(seen.time_s[0]), float(seen.time_s[-1])],
        },
        **summarise_places(withdrawal, located),
        "warnings": [*notes, *seen.problems, *withdrawal.warnings],
    }


def summarise_places(withdrawal: Withdrawal, located: Located) -> dict[str, Any]:
    """What follows from where the withdrawal begins and ends and where the boundaries lie."""
    return {
        "frames": {"sampled": located.table.height, "kept": int(located.table["kept"].sum())},
        "withdrawal": _withdrawal(withdrawal) | located.figures.as_dict(),
        "boundaries": [boundary.as_dict() for boundary in located.boundaries],
        "landmarks": [asdict(landmark) for landmark in located.landmarks],
        "cecum": None if located.cecum is None else dict(zip(("seen_s", "probability"), located.cecum, strict=True)),
    }


def _withdrawal(withdrawal: Withdrawal) -> dict[str, Any]:
    start = withdrawal.start
    return {
        "start_s": withdrawal.start_s,
        "end_s": withdrawal.end_s,
        "extent": withdrawal.extent.value,
        "start_source": "given" if start is None else "found" if start.has_insertion else "the start of the recording",
        "start_confidence": None if start is None else start.confidence,
    }
