"""Apps that are started for a test and ended after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from running_app import App, started_app


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., App]]:
    """Starts apps, and ends them by their process; all keep what they know in one folder."""
    running: list[App] = []
    home = tmp_path_factory.mktemp("home")

    def started(*words: str | Path, killed_behind: str | None = None) -> App:
        running.append(started_app(home, *words, killed_behind=killed_behind))
        return running[-1]

    yield started
    for app in running:
        if app.process.poll() is None:
            app.process.kill()
            app.process.wait()
        assert app.process.stdout is not None
        app.process.stdout.close()
