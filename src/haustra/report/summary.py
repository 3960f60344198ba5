"""summary.json: what was run on what, and the figures of the withdrawal. No metadata of the recording is copied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from haustra import __version__
from haustra.anatomy import Template
from haustra.located import Located
from haustra.video import Picture, Recording


def summarise(
    recording: Recording,
    fingerprint: str,
    picture: Picture,
    options: Mapping[str, Any],
    models: Mapping[str, Any],
    template: Template,
    located: Located,
    notes: Sequence[str],
) -> dict[str, Any]:
    """The same run gives the same summary: nothing in it depends on the clock or the machine."""
    return {
        "haustra": __version__,
        "recording": {
            "name": recording.path.name,
            "fingerprint": fingerprint,
            "width": recording.width,
            "height": recording.height,
            "duration_s": recording.duration_s,
            "codec": recording.codec,
            "picture": list(picture.box),
        },
        "options": dict(options),
        "models": dict(models),
        "template": {"name": template.name, "mean": template.mean.tolist()},
        "frames": {"sampled": located.table.height, "kept": int(located.table["kept"].sum())},
        "withdrawal": _withdrawal(located),
        "warnings": [*notes, *recording.problems, *located.warnings],
    }


def _withdrawal(located: Located) -> dict[str, Any]:
    turn = located.turn
    return {
        "start_s": located.start_s,
        "end_s": located.end_s,
        "start_source": "given" if turn is None else "found" if turn.has_insertion else "the start of the recording",
        "start_confidence": None if turn is None else turn.confidence,
        **located.figures.as_dict(),
    }
