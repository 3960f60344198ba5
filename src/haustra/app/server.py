"""`haustra app`: starts the server on this machine, opens the browser, and ends on Ctrl-C with everything kept."""

from __future__ import annotations

import secrets
import socket
import sys
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from haustra.app.guard import Gate, Guard
from haustra.app.routes import Routes, http_refusal, refusal
from haustra.app.services import Services
from haustra.app.workspace import Workspace, open_workspace
from haustra.core.errors import HaustraError

LOOPBACK = "127.0.0.1"
PORT = 8347
MOST_BYTES = 8_000_000_000  # an hour of a high-definition recording has about 4 GB
_GRACE_S = 3


def make_app(services: Services, gate: Gate) -> Starlette:
    """The app as a server runs it: routes, guard and error handlers."""
    return Starlette(
        routes=Routes(services).all(),
        middleware=[Middleware(Guard, gate=gate)],
        exception_handlers={HaustraError: refusal, HTTPException: http_refusal},
    )


class _Server(uvicorn.Server):
    """Streams of events end first: a server waits for its open answers, and those would never end."""

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self._services = services

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Ctrl-C is how the app is closed, not an interruption; a second one waits for nothing."""
        self._services.closing.set()
        self.force_exit = self.should_exit
        self.should_exit = True


def run_app(
    folder: Path | None = None,
    *,
    out: Path | None = None,
    parts: bool = False,
    host: str = LOOPBACK,
    port: int | None = None,
    workers: int = 1,
    most_bytes: int = MOST_BYTES,
    opened: Callable[[str], object] = webbrowser.open,
) -> None:
    """Serve until Ctrl-C; `opened` is told the address with its key once it answers."""
    workspace = open_workspace(folder, out, parts=parts)
    with _listen(host, port) as listening:
        services = Services(workspace, workers=workers, most_bytes=most_bytes)
        number: int = listening.getsockname()[1]
        gate = Gate(_hosts(host, number), secrets.token_urlsafe(24), number)
        address = f"http://{_bracketed(host)}:{number}/?token={gate.token}"
        config = uvicorn.Config(
            make_app(services, gate),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
        _say(workspace, host, address)
        services.runner.start()
        try:
            opened(address)
            with suppress(KeyboardInterrupt):
                _Server(config, services).run(sockets=[listening])
        finally:
            services.closing.set()
            services.runner.close()
    print("closed: what was queued goes on when the app is started again", file=sys.stderr)


def _listen(host: str, port: int | None) -> socket.socket:
    """The port that was asked for, else ours, else any that is free."""
    if host in ("0.0.0.0", "::", ""):
        raise HaustraError(f"'{host}' is no address to open: give the one under which others reach this machine")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in [PORT, 0] if port is None else [port]:
        try:
            return socket.create_server((host, candidate), family=family)
        except (OSError, OverflowError) as error:
            failure = error
    raise HaustraError(f"{host} port {port} cannot be used: {getattr(failure, 'strerror', None) or failure}")


def _hosts(host: str, port: int) -> frozenset[str]:
    names = {host, "localhost", LOOPBACK} if host in (LOOPBACK, "localhost", "::1") else {host}
    return frozenset(f"{_bracketed(name)}:{port}".lower() for name in names)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _say(workspace: Workspace, host: str, address: str) -> None:
    print(f"results     {workspace.out}", flush=True)
    print(f"open        {address}", flush=True)
    if host not in (LOOPBACK, "localhost", "::1"):
        print("note: others on the network can read along, the connection is not encrypted", file=sys.stderr)
    print("Ctrl-C ends it; nothing is lost", flush=True)
