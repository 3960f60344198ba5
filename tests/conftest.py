"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Debian's Chromium as root, without looking for its own servers: the machine's network is closed.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The product runs on Windows, too; some of what tests do to it cannot be done there."""
    for item in items if os.name == "nt" else ():
        if item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="signals, links, modes or limits that Windows does not have"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The data that lies beside the project and is never committed to it (`HAUSTRA_DATA`, else ../shared/data)."""
    folder = Path(os.environ.get("HAUSTRA_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}: set HAUSTRA_DATA")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One for all page tests of a process: Playwright runs once in it."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on this machine: page tests need one (make system)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield started
        started.close()
