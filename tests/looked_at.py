"""Drawings are compared with pictures that somebody has looked at: the same text, and numbers to a tenth.

After a change on purpose delete the picture in tests/data and run its test: it is written anew, to be looked at.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parent / "data"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def assert_as_looked_at(name: str, found: str) -> None:
    kept = FOLDER / name
    if not kept.is_file():
        kept.write_text(found, encoding="utf-8")
        pytest.fail(f"there was no {kept.name}: it was written, look at it")
    wanted = kept.read_text(encoding="utf-8")
    assert NUMBER.sub("#", found) == NUMBER.sub("#", wanted)
    np.testing.assert_allclose(*(np.array(NUMBER.findall(text), float) for text in (found, wanted)), atol=0.11)
