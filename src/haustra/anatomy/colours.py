"""The six segment colours, one place for every figure: map, curve, path, table, overlay.

Paul Tol's "bright" scheme, made for readers who see colours differently. In the order of the colon its hues run from
blue to purple, so neighbours stay apart in the three common kinds of colour blindness and in a grey print.
"""

from __future__ import annotations

from typing import Final

SEGMENT_COLOURS: Final[dict[str, str]] = {
    "cecum": "#4477aa",
    "ascending": "#66ccee",
    "transverse": "#228833",
    "descending": "#ccbb44",
    "sigmoid": "#ee6677",
    "rectum": "#aa3377",
}


def rgb(colour: str) -> tuple[int, int, int]:
    """`#rrggbb` as three numbers of 0..255."""
    value = int(colour.removeprefix("#"), 16)
    return value >> 16, value >> 8 & 255, value & 255
