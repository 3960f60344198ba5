"""What is said during a run, as lines for the screen or a file: words of others in them do nothing to a terminal."""

from __future__ import annotations

import logging

from haustra.core.errors import printable


class LineFormatter(logging.Formatter):
    """The message in one printable line; only the traceback of an error has more."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return printable(super().formatMessage(record))


def log_to_screen(level: int) -> None:
    """Show what is said on standard error, unless whoever called has set up logging."""
    if not logging.getLogger().handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(LineFormatter())
        logging.basicConfig(level=level, handlers=[handler])
