"""An app in a process of its own, and a client that asks as its own pages do."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

DEMO = Path(__file__).parents[2] / "src" / "haustra" / "data" / "demo" / "video.mp4"


@dataclass
class App:
    """A running app, and a client that asks as its own pages do."""

    process: subprocess.Popen[str]
    address: str
    out: Path
    data: Path
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return int(urlsplit(self.address).port or 0)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, path: str, method: str = "GET", body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = json.dumps(body).encode() if isinstance(body, dict | list) else body
        connection.request(method, path, body=sent, headers=self.headers if headers is None else headers)
        answer = connection.getresponse()
        found = answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}
        connection.close()
        return found

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        return self.process.wait(timeout=30)


def started_app(home: Path, *words: str | Path, before: Sequence[str] = ()) -> App:
    """On a free port, with everything it keeps below `home`; the client has its key. `before` are words before it."""
    app = [sys.executable, "-m", "haustra", "app", *map(str, words)]
    command = [*before, *app, "--no-browser", "--port", str(_free_port())]
    environment = {**os.environ, "XDG_DATA_HOME": str(home / "data"), "HOME": str(home)}
    with (home / "error.log").open("a") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment, cwd=home)
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(2)]
    assert said[1].startswith("open"), (home / "error.log").read_text()
    app = App(process, said[1].split()[1], Path(said[0].split(maxsplit=1)[1].strip()), home / "data")
    _, _, headers = app.ask(app.address.removeprefix(app.base), headers={})
    app.headers = {"Cookie": headers["set-cookie"].split(";")[0], "Origin": app.base}
    return app


def until(true: Callable[[], bool], *, step_s: float = 0.05, most_s: float = 20) -> None:
    """Wait, as the app goes on in its own time."""
    end = time.monotonic() + most_s
    while not true():
        assert time.monotonic() < end
        time.sleep(step_s)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
