"""How a command ends: done, or one line for what the user can put right, for a signal, or for a fault of ours."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from types import FrameType

WRONG = 2  # something to put right
CLOSED_PIPE = 141
# Ctrl-C, the end of a batch job, and a terminal that was closed end a command alike: what is done is kept.
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
TRACEBACK = "HAUSTRA_TRACEBACK"  # set to see where an internal error comes from


class _Stop:
    """The first signal interrupts the command; more of them change nothing while it cleans up."""

    def __init__(self) -> None:
        self.number = 0

    def install(self) -> None:
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, and shells that run a command in the background
                signal.signal(number, self)

    def __call__(self, number: int, _: FrameType | None) -> None:
        if not self.number:
            self.number = number
            raise KeyboardInterrupt


def run_command(command: Callable[[], None]) -> None:
    """Run a command line; a HaustraError is one line on standard error and exit code 2, a signal 128 and its number."""
    from haustra.core.errors import HaustraError

    stop = _Stop()
    stop.install()
    try:
        command()
    except HaustraError as error:
        _end(str(error), WRONG)
    except (KeyboardInterrupt, SystemExit):
        if not stop.number:
            raise
        _end("interrupted: run the same command again to resume", 128 + stop.number)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(CLOSED_PIPE)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            traceback.print_exc()
        detail = " ".join(str(error).split())[:200]
        _end(f"internal error, please report it ({type(error).__name__}: {detail}); {TRACEBACK}=1 shows where", WRONG)


def _end(line: str, code: int) -> None:
    print(f"haustra: {line}", file=sys.stderr)
    sys.exit(code)
