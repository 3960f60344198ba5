"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The data that lies beside the project and is never committed to it (`HAUSTRA_DATA`, else ../shared/data)."""
    folder = Path(os.environ.get("HAUSTRA_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}: set HAUSTRA_DATA")
    return folder
