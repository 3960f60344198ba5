"""ELAN annotation documents (EAF 3.0, https://www.mpi.nl/tools/elan/EAF_Annotation_Format_3.0_and_ELAN.pdf).

The few elements that are needed are written by hand; pympi, which the tests read them with, need not be installed.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from datetime import UTC, datetime
from mimetypes import guess_type
from typing import Final
from urllib.parse import quote

from haustra.core.errors import HaustraError
from haustra.core.markup import legal
from haustra.core.vocabulary import SEGMENTS
from haustra.exchange.content import BIOPSY, CECUM, COMMENT, FINDING, GIVEN_FINDING, RETROFLEXION, Content
from haustra.exchange.formats import Asked, Format
from haustra.exchange.readback import ReadBack
from haustra.results.annotations import Comment, NotedFinding

SEGMENT_TIER, FINDING_TIER, COMMENT_TIER = "segment", "noted finding", "comment"
GIVEN_TIER, BIOPSY_TIER, LANDMARK_TIER = "given finding", "detected biopsy", "landmark"
TYPE, VOCABULARY = "haustra", "segments"
EVENT_S: Final = 1.0  # ELAN has intervals only: a moment is drawn this long
# `polyp, 4 mm: flat`
_FINDING = re.compile(r"(?P<kind>[^:]*?)(?:,\s*(?P<size>\d+(?:\.\d+)?) mm)?(?::\s*(?P<note>.*))?", re.DOTALL)
_XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"
_SCHEMA: Final = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
Row = tuple[float, float, str]


def write(content: Content, _: Asked) -> bytes:
    """The tiers of segments, findings and comments may be changed; the others are there to be looked at."""
    tiers: dict[str, list[Row]] = {
        SEGMENT_TIER: [(one.start_s, one.end_s, one.segment) for one in content.intervals],
        FINDING_TIER: _events(content, FINDING),
        COMMENT_TIER: _events(content, COMMENT),
        GIVEN_TIER: _events(content, GIVEN_FINDING),
        BIOPSY_TIER: _events(content, BIOPSY),
        LANDMARK_TIER: _events(content, CECUM, RETROFLEXION),
    }
    root = ET.Element(
        "ANNOTATION_DOCUMENT",
        {
            "AUTHOR": "Haustra",
            "DATE": datetime.now(UTC).isoformat(timespec="seconds"),
            "FORMAT": "3.0",
            "VERSION": "3.0",
            "xmlns:xsi": _XSI,
            "xsi:noNamespaceSchemaLocation": _SCHEMA,
        },
    )
    _header(root, content)
    order = ET.SubElement(root, "TIME_ORDER")
    count = 0
    for name, rows in tiers.items():
        tier = ET.SubElement(root, "TIER", {"LINGUISTIC_TYPE_REF": _type_of(name), "TIER_ID": name})
        for row in rows:
            count += 1
            _annotation(tier, order, count, row)
    _types(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="utf-8")


def _events(content: Content, *kinds: str) -> list[Row]:
    """In the order of time; in a tier of ELAN no annotation begins before the last one ended."""
    events = sorted((one for one in content.events if one.kind in kinds), key=lambda one: one.start_s)
    begins = [*(one.start_s for one in events), math.inf]
    rows = []
    for one, next_s in zip(events, begins[1:], strict=True):
        end_s = max(one.end_s, one.start_s + EVENT_S)
        rows.append((one.start_s, min(end_s, next_s) if next_s > one.start_s else end_s, one.text))
    return rows


def _header(root: ET.Element, content: Content) -> None:
    header = ET.SubElement(root, "HEADER", {"MEDIA_FILE": "", "TIME_UNITS": "milliseconds"})
    kind = guess_type(content.name)[0] or "video/mp4"
    place = f"./{quote(content.name)}"
    ET.SubElement(header, "MEDIA_DESCRIPTOR", {"MEDIA_URL": place, "MIME_TYPE": kind, "RELATIVE_MEDIA_URL": place})
    for name, value in (("recording", content.recording), ("version", str(content.version))):
        ET.SubElement(header, "PROPERTY", {"NAME": f"haustra:{name}"}).text = value


def _type_of(tier: str) -> str:
    return VOCABULARY if tier == SEGMENT_TIER else TYPE


def _annotation(tier: ET.Element, order: ET.Element, number: int, row: Row) -> None:
    first, last = f"ts{2 * number - 1}", f"ts{2 * number}"
    for slot, time_s in ((first, row[0]), (last, row[1])):
        ET.SubElement(order, "TIME_SLOT", {"TIME_SLOT_ID": slot, "TIME_VALUE": str(round(1000 * time_s))})
    around = ET.SubElement(tier, "ANNOTATION")
    aligned = {"ANNOTATION_ID": f"a{number}", "TIME_SLOT_REF1": first, "TIME_SLOT_REF2": last}
    ET.SubElement(ET.SubElement(around, "ALIGNABLE_ANNOTATION", aligned), "ANNOTATION_VALUE").text = legal(row[2])


def _types(root: ET.Element) -> None:
    """ELAN offers the six names where a segment is typed."""
    shared = {"GRAPHIC_REFERENCES": "false", "TIME_ALIGNABLE": "true"}
    named = {"CONTROLLED_VOCABULARY_REF": VOCABULARY, "LINGUISTIC_TYPE_ID": VOCABULARY}
    ET.SubElement(root, "LINGUISTIC_TYPE", shared | named)
    ET.SubElement(root, "LINGUISTIC_TYPE", shared | {"LINGUISTIC_TYPE_ID": TYPE})
    language = {"LANG_DEF": "http://cdb.iso.org/lg/CDB-00138502-001", "LANG_ID": "eng", "LANG_LABEL": "English (eng)"}
    ET.SubElement(root, "LANGUAGE", language)
    vocabulary = ET.SubElement(root, "CONTROLLED_VOCABULARY", {"CV_ID": VOCABULARY})
    ET.SubElement(vocabulary, "DESCRIPTION", {"LANG_REF": "eng"}).text = "Segments of the colon"
    for name in SEGMENTS:
        entry = ET.SubElement(vocabulary, "CV_ENTRY_ML", {"CVE_ID": f"segment_{name}"})
        ET.SubElement(entry, "CVE_VALUE", {"DESCRIPTION": "", "LANG_REF": "eng"}).text = name


def read(data: bytes, source: str) -> ReadBack:
    """What a person changed in ELAN. Tiers that are not there say nothing."""
    root = _parsed(data, source)
    slots = {slot.get("TIME_SLOT_ID", ""): slot.get("TIME_VALUE") for slot in root.iter("TIME_SLOT")}
    tiers = {tier.get("TIER_ID"): tier for tier in root.iter("TIER")}
    if SEGMENT_TIER not in tiers:
        raise HaustraError(f"{source} has no tier '{SEGMENT_TIER}': export the result to ELAN, and change that file")
    known = {entry.get("NAME"): (entry.text or "").strip() for entry in root.iter("PROPERTY")}
    version = known.get("haustra:version", "")
    findings, comments = tiers.get(FINDING_TIER), tiers.get(COMMENT_TIER)
    return ReadBack(
        tuple((text.lower(), start_s, end_s) for start_s, end_s, text in _rows(tiers[SEGMENT_TIER], slots, source)),
        None if findings is None else tuple(_finding(row, source) for row in _rows(findings, slots, source)),
        None
        if comments is None
        else tuple(Comment(text, start_s) for start_s, _, text in _rows(comments, slots, source)),
        recording=known.get("haustra:recording", ""),
        version=int(version) if version.isdecimal() else None,
    )


def _parsed(data: bytes, source: str) -> ET.Element:
    """Documents with a DTD are refused: entities can grow beyond all bounds, or name files."""
    try:
        text = data.decode("utf-8-sig")
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise HaustraError(f"{source} has a document type definition: an ELAN file has none")
        root = ET.fromstring(text)
    except (UnicodeDecodeError, ET.ParseError, RecursionError) as error:
        raise HaustraError(f"{source} is not a readable ELAN file: {error}") from error
    if root.tag != "ANNOTATION_DOCUMENT":
        raise HaustraError(f"{source} is not an ELAN file: it is a document of {root.tag}")
    return root


def _rows(tier: ET.Element, slots: dict[str, str | None], source: str) -> Iterable[Row]:
    found = []
    for one in tier.iter("ALIGNABLE_ANNOTATION"):
        times = [slots.get(one.get(name, "")) for name in ("TIME_SLOT_REF1", "TIME_SLOT_REF2")]
        text = (one.findtext("ANNOTATION_VALUE") or "").strip()
        if not all(time is not None and re.fullmatch("[0-9]{1,9}", time) for time in times):
            raise HaustraError(f"{source}: the annotation '{text}' of tier '{tier.get('TIER_ID')}' has no time")
        start_s, end_s = (int(time or 0) / 1000 for time in times)
        found.append((start_s, end_s, text))
    return sorted(found)


def _finding(row: Row, source: str) -> NotedFinding:
    start_s, _, text = row
    match = _FINDING.fullmatch(text)
    kind = match["kind"].strip() if match else ""
    if match is None or not kind:
        raise HaustraError(f"{source}: the finding '{text}' has no kind: write for example 'polyp, 4 mm: flat'")
    return NotedFinding(kind, start_s, float(match["size"]) if match["size"] else None, (match["note"] or "").strip())


FORMAT = Format(".eaf", "application/xml", write, read)
