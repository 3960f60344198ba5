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
PATIENCE_S = 600.0  # the machine may be busy
# The app, killed as soon as a file of this name is there.
KILLED_BEHIND = """
import os, signal, sys
from pathlib import Path
name, replace = sys.argv.pop(1), Path.replace
def dies(self, target):
    replaced = replace(self, target)
    if Path(target).name == name:
        os.kill(os.getpid(), signal.SIGKILL)
    return replaced
Path.replace = dies
from haustra.cli import main
sys.argv[0] = "haustra"
main()
"""


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
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        sent = json.dumps(body).encode() if isinstance(body, dict | list) else body
        connection.request(method, path, body=sent, headers=self.headers if headers is None else headers)
        answer = connection.getresponse()
        found = answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}
        connection.close()
        return found

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE_S)


def started_app(home: Path, *words: str | Path, before: Sequence[str] = (), killed_behind: str | None = None) -> App:
    """On a free port, with everything it keeps below `home`; the client has its key. `before` are words before it."""
    program = ["-m", "haustra"] if killed_behind is None else ["-c", KILLED_BEHIND, killed_behind]
    command = [*before, sys.executable, *program, "app", *map(str, words), "--no-browser"]
    environment = {**os.environ, "XDG_DATA_HOME": str(home / "data"), "HOME": str(home)}
    while True:
        port = str(_free_port())
        with (home / f"error-{port}.log").open("w") as log:
            process = subprocess.Popen(
                [*command, "--port", port], stdout=subprocess.PIPE, stderr=log, text=True, env=environment, cwd=home
            )
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(2)]
        if said[1].startswith("open"):
            break
        process.wait()
        process.stdout.close()
        told = Path(log.name).read_text()
        assert "cannot be used" in told, told  # somebody was faster: the port was free a moment ago
    app = App(process, said[1].split()[1], Path(said[0].split(maxsplit=1)[1].strip()), home / "data")
    _, _, headers = app.ask(app.address.removeprefix(app.base), headers={})
    app.headers = {"Cookie": headers["set-cookie"].split(";")[0], "Origin": app.base}
    return app


def until(true: Callable[[], bool], *, step_s: float = 0.05) -> None:
    """Wait, as the app goes on in its own time."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end
        time.sleep(step_s)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
