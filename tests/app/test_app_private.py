"""The app speaks to this machine alone, and writes into its cohort and the user's data folder alone."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from running_app import DEMO, started_app

from traced import addresses, outside, sockets, strace


def test_the_app_speaks_to_this_machine_alone(tmp_path: Path) -> None:
    log, home = tmp_path / "calls", tmp_path / "home"
    (home / "recordings").mkdir(parents=True)
    shutil.copy(DEMO, home / "recordings" / "a.mp4")
    app = started_app(home, home / "recordings", "--out", home / "study", before=strace(log))
    status, page, _ = app.ask("/")
    assert (status, b"<html" in page) == (200, True)
    assert app.end() == 0
    assert sockets(log), "the log shows the app's own socket"
    assert addresses(log) == []
    assert outside(log, home, Path(tempfile.gettempdir())) == set()
