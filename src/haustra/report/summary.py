"""summary.json: what was run on what, and the figures of the withdrawal. No metadata of the recording is copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from haustra.anatomy.naming import boundaries_summary
from haustra.anatomy.places import Located
from haustra.path.withdrawal import Withdrawal
from haustra.run import Run
from haustra.video import Picture, Recording


def summarise(
    recording: Recording,
    problems: Sequence[str],
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
        },
        "frames": {"sampled": located.table.height, "kept": int(located.table["kept"].sum())},
        "withdrawal": _withdrawal(withdrawal) | located.figures.as_dict(),
        **({} if located.decoded is None else {"boundaries": boundaries_summary(located.decoded)}),
        "cecum": None if located.cecum is None else dict(zip(("seen_s", "probability"), located.cecum, strict=True)),
        "warnings": [*notes, *problems, *withdrawal.warnings],
    }


def _withdrawal(withdrawal: Withdrawal) -> dict[str, Any]:
    turn = withdrawal.turn
    return {
        "start_s": withdrawal.start_s,
        "end_s": withdrawal.end_s,
        "extent": withdrawal.extent.value,
        "start_source": "given" if turn is None else "found" if turn.has_insertion else "the start of the recording",
        "start_confidence": None if turn is None else turn.confidence,
    }
