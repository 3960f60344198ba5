"""Text for XML, SVG and HTML: names and labels of users may hold characters that no document can."""

from __future__ import annotations

import html
import re


def legal(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    return re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)


def escape(text: str) -> str:
    """For the text of an element, or an attribute in quotes."""
    return html.escape(legal(text))
