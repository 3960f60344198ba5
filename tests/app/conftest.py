"""The bundled recording, located once; apps that are started for a test and ended after it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from running_app import DEMO, App, started_app


@pytest.fixture(scope="session")
def demo_cohort(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cohort of one, as `haustra cohort` makes it; with its start given it has segments."""
    from haustra.cohort import run_cohort

    folder = tmp_path_factory.mktemp("cohort")
    recordings = folder / "recordings"
    recordings.mkdir()
    shutil.copy(DEMO, recordings / "demo.mp4")
    options = {"withdrawal_start": "0", "overlay": True}
    assert not run_cohort([str(recordings)], str(folder / "out"), workers=1, options=options).failed
    return folder / "out"


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., App]]:
    """Starts apps, and ends them by their process; all keep what they know in one folder."""
    running: list[App] = []
    home = tmp_path_factory.mktemp("home")

    def started(*words: str | Path) -> App:
        running.append(started_app(home, *words))
        return running[-1]

    yield started
    for app in running:
        if app.process.poll() is None:
            app.process.kill()
            app.process.wait()
        assert app.process.stdout is not None
        app.process.stdout.close()
