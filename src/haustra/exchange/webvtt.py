"""WebVTT: subtitles of browsers and players (W3C, https://www.w3.org/TR/webvtt1/)."""

from __future__ import annotations

from haustra.exchange.content import Content
from haustra.exchange.cues import clock, cues_of
from haustra.exchange.formats import Asked, Format


def write(content: Content, _: Asked) -> bytes:
    """The cues, each under its number."""
    blocks = ["WEBVTT"]
    for number, cue in enumerate(cues_of(content), 1):
        blocks.append(f"{number}\n{clock(cue.start_s, '.')} --> {clock(cue.end_s, '.')}\n{_escaped(cue.text)}")
    return ("\n\n".join(blocks) + "\n").encode()


def _escaped(text: str) -> str:
    """As cue text: no tags, no characters that begin one, no arrow."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


FORMAT = Format(".vtt", "text/vtt", write)
