"""CVAT for video 1.1 (https://docs.cvat.ai/docs/manual/advanced/xml_format/).

CVAT has no labels of time intervals: each interval is a track whose box is the endoscope picture.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from haustra.core.errors import HaustraError
from haustra.core.markup import legal
from haustra.core.segments import SEGMENT_COLOURS
from haustra.exchange.content import Content
from haustra.exchange.formats import Asked, Format, frame_rate

EVENT, EVENT_COLOUR = "event", "#8d99a6"


def write(content: Content, asked: Asked) -> bytes:
    """A track for each segment interval and each event."""
    if content.size is None:
        raise HaustraError(f"{content.folder} is not the result of a video: CVAT has boxes in pictures")
    rate = frame_rate(content, asked)
    count = max(round(content.duration_s * rate), 1)
    left, top, width, height = content.picture or (0, 0, *content.size)
    box = {"xtl": left, "ytl": top, "xbr": left + width, "ybr": top + height}
    root = ET.Element("annotations")
    ET.SubElement(root, "version").text = "1.1"
    _meta(root, content, count)
    tracks = [(one.segment, one.start_s, one.end_s, "") for one in content.intervals]
    tracks += [(EVENT, one.start_s, one.end_s, one.text) for one in content.events]
    for number, (label, start_s, end_s, text) in enumerate(tracks):
        track = ET.SubElement(root, "track", {"id": str(number), "label": label, "source": "auto"})
        first = min(round(start_s * rate), count - 1)
        behind = max(round(end_s * rate), first + 1)
        for frame, outside in ((first, 0), (behind, 1)):
            if frame < count:
                shape = ET.SubElement(track, "box", _box(frame, outside, box))
                if label == EVENT:
                    ET.SubElement(shape, "attribute", {"name": "text"}).text = legal(text)
    ET.indent(root)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="utf-8") + b"\n"


def _box(frame: int, outside: int, box: dict[str, int]) -> dict[str, str]:
    corners = {name: f"{value:.2f}" for name, value in box.items()}
    return {
        "frame": str(frame), "keyframe": "1", "outside": str(outside), "occluded": "0", **corners, "z_order": "0",
    }  # fmt: skip


def _meta(root: ET.Element, content: Content, count: int) -> None:
    task = ET.SubElement(ET.SubElement(root, "meta"), "task")
    values = {"name": content.name, "size": str(count), "mode": "interpolation", "start_frame": "0"}
    for name, value in (values | {"stop_frame": str(count - 1)}).items():
        ET.SubElement(task, name).text = value
    labels = ET.SubElement(task, "labels")
    others = sorted({one.segment for one in content.intervals} - set(SEGMENT_COLOURS))
    for name, colour in (SEGMENT_COLOURS | dict.fromkeys((*others, EVENT), EVENT_COLOUR)).items():
        label = ET.SubElement(labels, "label")
        for key, value in (("name", name), ("color", colour), ("type", "rectangle")):
            ET.SubElement(label, key).text = value
        attributes = ET.SubElement(label, "attributes")
        if name == EVENT:
            attribute = ET.SubElement(attributes, "attribute")
            for key, value in (("name", "text"), ("mutable", "False"), ("input_type", "text"), ("default_value", "")):
                ET.SubElement(attribute, key).text = value
            ET.SubElement(attribute, "values")
    size = ET.SubElement(task, "original_size")
    for key, pixels in zip(("width", "height"), content.size or (0, 0), strict=True):
        ET.SubElement(size, key).text = str(pixels)


FORMAT = Format(".cvat.xml", "application/xml", write)
