"""SubRip: subtitles of nearly every player."""

from __future__ import annotations

from haustra.exchange.content import Content
from haustra.exchange.cues import clock, cues_of
from haustra.exchange.formats import Asked, Format


def write(content: Content, _: Asked) -> bytes:
    """Players take some html tags in a cue: angle brackets of a note become round ones that look alike."""
    plain = str.maketrans("<>", "‹›")
    blocks = [
        f"{number}\n{clock(cue.start_s, ',')} --> {clock(cue.end_s, ',')}\n{cue.text.translate(plain)}\n"
        for number, cue in enumerate(cues_of(content), 1)
    ]
    return "\n".join(blocks).encode()


FORMAT = Format(".srt", "application/x-subrip", write)
