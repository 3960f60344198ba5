"""The command line. Even the commands are imported when signals are handled: Ctrl-C is one line from the start."""

from __future__ import annotations

import sys

from haustra.cli.endings import run_command


def main() -> None:
    """Entry point of the command line."""
    run_command(_commands)


def _commands() -> None:
    from haustra.cli.commands import app

    sys.exit(app(standalone_mode=False))
