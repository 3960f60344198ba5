"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

PATIENCE_MS = 600_000  # the machine may be busy
# How long an example takes, or takes to be made, says more about the machine than about us.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

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


@pytest.fixture(scope="session", autouse=True)
def _no_loss_of_power() -> Iterator[None]:
    """Nothing is lost where a file was not yet on the disk, and thousands of small files need not wait for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """Folders that all processes of a run share: whoever needs one first makes it. They are read, or copied."""
    from haustra.core.locks import lock

    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # it has a folder of its own, beside those of the others
        base = base.parent

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder, done = base / name, base / f"{name}.done"
        with (base / f"{name}.lock").open("ab") as handle:
            while lock(handle.fileno()) is False:
                time.sleep(0.1)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                make(folder)
                done.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def located(once: Callable[..., Path]) -> Any:
    """The bundled recording with its lens and its start."""
    import haustra
    from haustra.demo import DEMO

    options: dict[str, Any] = {"camera": DEMO / "camera.json", "withdrawal_start": 0, "threads": 2}
    return haustra.open(once("located", lambda folder: haustra.locate(DEMO / "video.mp4", out=folder, **options)))


@pytest.fixture(scope="session")
def demo_cohort(once: Callable[..., Path]) -> Path:
    """A cohort of the bundled recording, as `haustra cohort` makes it; with its start given it has segments."""
    from haustra.cohort import run_cohort
    from haustra.demo import DEMO

    def make(folder: Path) -> None:
        (folder / "recordings").mkdir(parents=True)
        shutil.copy(DEMO / "video.mp4", folder / "recordings" / "demo.mp4")
        options = {"withdrawal_start": "0", "overlay": True}
        assert not run_cohort([str(folder / "recordings")], str(folder / "out"), workers=1, options=options).failed

    return once("cohort", make) / "out"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One for all page tests of a process: Playwright runs once in it."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on this machine: page tests need one (make system)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        started.new_page, started.new_context = (_patient(opens) for opens in (started.new_page, started.new_context))
        yield started
        started.close()


def _patient(opens: Callable[..., Any]) -> Callable[..., Any]:
    """Pages, or contexts of pages, that wait as long as it takes."""

    def opened(**options: Any) -> Any:
        made = opens(**options)
        made.set_default_timeout(PATIENCE_MS)
        return made

    return opened
