"""Assembles an offline html page, in one file, from a body, styles, scripts and data, under a strict content policy.

Everything that comes from a file travels as JSON in a data block and reaches the page as text only; the page's own
script and style are named by their hashes in its content security policy: nothing else can run, nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any


def make_page(title: str, body: str, data: Any, *, styles: Sequence[str], scripts: Sequence[str]) -> str:
    """The whole page; `styles` and `scripts` are texts, in their order, each script after those it imports."""
    style, script = "".join(styles), "(() => {\n'use strict';\n" + "\n".join(map(_unmoduled, scripts)) + "})();\n"
    parts = {"title": title, "body": body, "style": style, "data": script_safe_json(data), "script": script}
    return fill(asset("shell.html"), parts | {"policy": content_policy(script, style)})


def _unmoduled(module: str) -> str:
    """A module as part of one script, without its imports and exports: a page on disk can import nothing."""
    return re.sub(r"^export (?=\w)", "", re.sub(r"^import .*\n", "", module, flags=re.MULTILINE), flags=re.MULTILINE)


def fill(template: str, parts: Mapping[str, str]) -> str:
    """Put parts where the template says `%%name%%`; each goes in once, so nothing in a part is taken for a mark."""
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(template.split("%%")))


def script_safe_json(value: Any) -> str:
    """JSON that cannot end or comment out the script element it stands in, whatever its strings hold."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def content_policy(script: str, style: str) -> str:
    """Only the page's own script and style; pictures from the data; the video from inside or from beside the page."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; media-src 'self' file: blob:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def asset(name: str, package: str = "haustra.report") -> str:
    """A file of a page, as text."""
    return (files(package) / "assets" / name).read_text(encoding="utf-8")
