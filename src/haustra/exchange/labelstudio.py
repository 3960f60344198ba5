"""Label Studio: one task with segment intervals and events as predictions, and its labelling interface.

https://labelstud.io/tags/timelinelabels: ranges count frames from 1, at the frame rate that the task states.
"""

from __future__ import annotations

import json
from typing import Any

from haustra import __version__
from haustra.core.segments import SEGMENT_COLOURS
from haustra.exchange.content import Content
from haustra.exchange.formats import Asked, Format, frame_rate

EVENT_COLOUR = "#8d99a6"


def write(content: Content, asked: Asked) -> bytes:
    """The task, as Label Studio imports it."""
    rate = frame_rate(content, asked)
    ranges = [(one.segment, one.start_s, one.end_s) for one in content.intervals]
    ranges += [(one.kind, one.start_s, one.end_s) for one in content.events]
    results = [_result(number, *entry, rate) for number, entry in enumerate(ranges, 1)]
    others = sorted({label for label, _, _ in ranges} - set(SEGMENT_COLOURS))
    task = {
        "data": {"video": content.name, "fps": rate, "labelling_interface": interface(others)},
        "predictions": [{"model_version": f"haustra-{__version__}", "result": results}],
    }
    return (json.dumps([task], indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _result(number: int, label: str, start_s: float, end_s: float, rate: float) -> dict[str, Any]:
    first = round(start_s * rate) + 1
    last = max(round(end_s * rate), first)
    value = {"ranges": [{"start": first, "end": last}], "timelinelabels": [label]}
    names = {"from_name": "places", "to_name": "video", "type": "timelinelabels", "origin": "prediction"}
    return {"id": f"haustra-{number}", **names, "value": value}


def interface(others: list[str]) -> str:
    """The labelling configuration of a project for these tasks; `others` are labels beside the segments."""
    labels = SEGMENT_COLOURS | dict.fromkeys(others, EVENT_COLOUR)
    lines = "".join(f'<Label value="{name}" background="{colour}"/>' for name, colour in labels.items())
    return (
        f'<View><TimelineLabels name="places" toName="video">{lines}</TimelineLabels>'
        '<Video name="video" value="$video" frameRate="$fps" timelineHeight="120"/></View>'
    )


FORMAT = Format(".labelstudio.json", "application/json", write)
