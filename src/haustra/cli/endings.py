"""How a command ends: done, or one line for what the user can put right, for a signal, or for a fault of ours."""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

WRONG = 2  # something to put right
CLOSED_PIPE = 141
# Ctrl-C, the end of a batch job, and a terminal that was closed end a command alike: what is done is kept.
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
AGAIN_S = 0.02
TRACEBACK = "HAUSTRA_TRACEBACK"  # set to see where an internal error comes from


class _Stop:
    """The first signal interrupts the command; more of them change nothing while it cleans up."""

    def __init__(self) -> None:
        self.number = 0
        self.code = 0  # to end with, once the line is said
        self._raised = False

    def install(self) -> None:
        sys.unraisablehook = self.swallowed
        atexit.register(self._leave)  # the first to register is the last to be called
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, and shells that run a command in the background
                signal.signal(number, self)

    def _leave(self) -> None:
        """Python ends with SIGINT's own code where an interrupt passed through exec(), as in making a dataclass."""
        if self.code:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(self.code)

    def __call__(self, number: int, _: FrameType | None) -> None:
        self.number = self.number or number
        if not self._raised:
            self._raised = True
            raise KeyboardInterrupt

    def swallowed(self, found: sys.UnraisableHookArgs) -> None:
        """Python passes over what is raised in callbacks of its own (a finalizer, an import): interrupt once more."""
        if found.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(found)
            return
        self._raised = False
        threading.Timer(AGAIN_S, _send, [self.number]).start()


def _send(number: int) -> None:
    """To the main thread, which may be waiting for something."""
    main = threading.main_thread().ident
    if main is not None and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main, number)
    else:
        signal.raise_signal(number)


def run_command(command: Callable[[], None]) -> None:
    """Run a command line; a HaustraError is one line on standard error and exit code 2, a signal 128 and its number."""
    from haustra.core.errors import HaustraError

    stop = _Stop()
    stop.install()
    if isinstance(sys.stdout, io.TextIOWrapper):  # the name of a file need not be UTF-8; JSON then has its escape
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        command()
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(CLOSED_PIPE)
    except BaseException as error:
        if stop.number:  # native modules turn the interrupt into an error of their own, such as ImportError
            _end_by_signal(stop)
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        _end(str(error) if isinstance(error, HaustraError) else _line(error), WRONG)


def _end_by_signal(stop: _Stop) -> NoReturn:
    for number in SIGNALS:  # Python lets go of our handler before it ends: one more would still kill it
        signal.signal(number, signal.SIG_IGN)
    stop.code = 128 + stop.number
    _end("interrupted: run the same command again to resume", stop.code)


def _line(error: BaseException) -> str:
    """What a user can put right, or what to report."""
    if isinstance(error, OSError):  # a file that was named: too long a name, no permission, no space
        return f"{error.filename or 'a file'}: {(error.strerror or str(error)).lower()}"
    if hasattr(error, "format_message"):  # the command line was not understood
        return _usage(error)
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    detail = " ".join(str(error).split())[:200]
    return f"internal error, please report it ({type(error).__name__}: {detail}); {TRACEBACK}=1 shows where"


def _usage(error: Any) -> str:
    """What is wrong with a command line, in one line. A command without its arguments has its help as message."""
    message, context = str(error.format_message()), getattr(error, "ctx", None)
    if "\n" in message.strip() and context is not None:
        print(message)
        return "an argument or a command is missing"
    return f"{message.rstrip('.')}; {'haustra' if context is None else context.command_path} --help shows what there is"


def _end(line: str, code: int) -> NoReturn:
    from haustra.core.errors import printable

    print(f"haustra: {printable(line)}", file=sys.stderr)
    sys.exit(code)
