"""Where log lines go: one handler for this program and for the libraries that it uses."""

from __future__ import annotations

import logging
import shutil
import threading
from contextlib import contextmanager
from enum import StrEnum
from typing import IO, TYPE_CHECKING, Final

from kagent_apply.observability.log_formats import JsonFormat, TerminalFormat, TextFormat
from kagent_apply.observability.repetition import ForeignRepetition

if TYPE_CHECKING:
    from collections.abc import Iterator

LEVELS: Final = ("debug", "info", "warning", "error")
"""What may be asked for, each with all that come after it."""

OURS: Final = "kagent_apply"
"""The logger above all of this program's; that of a module has the module's name."""


class LogFormat(StrEnum):
    """How lines are written; `auto` is text on a terminal and JSON elsewhere, and text is short there."""

    AUTO = "auto"
    JSON = "json"
    TEXT = "text"


@contextmanager
def logging_to(stream: IO[str], level: str, style: LogFormat, *, colour: bool = True) -> Iterator[None]:
    """Write the lines of a block to `stream`: ours from `level` on, those of libraries from warnings on."""
    handler = _Handler(stream)
    handler.setFormatter(_format(stream, style, colour=colour))
    handler.addFilter(ForeignRepetition(OURS))
    root, ours = logging.getLogger(), logging.getLogger(OURS)
    before = root.level, ours.level
    hook = threading.excepthook
    threading.excepthook = _log_end_of_thread
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    ours.setLevel(level.upper())
    try:
        yield
    finally:
        threading.excepthook = hook
        root.removeHandler(handler)
        root.setLevel(before[0])
        ours.setLevel(before[1])


class _Handler(logging.StreamHandler[IO[str]]):
    """Without the traceback that the library prints in place of a line that cannot be written."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Nothing: nobody is there to be told."""


def _log_end_of_thread(ended: threading.ExceptHookArgs) -> None:
    """In place of a traceback on stderr, which would be no line of the log."""
    if ended.exc_value is None or issubclass(ended.exc_type, SystemExit):
        return
    name = ended.thread.name if ended.thread else ""
    info = (ended.exc_type, ended.exc_value, ended.exc_traceback)
    logging.getLogger(OURS).error("a thread ended by an error", exc_info=info, extra={"of_thread": name})


def is_read_by_people(stream: IO[str], style: LogFormat) -> bool:
    """Whether lines go to a terminal, for somebody who looks on."""
    return stream.isatty() and style is not LogFormat.JSON


def _format(stream: IO[str], style: LogFormat, *, colour: bool) -> logging.Formatter:
    if is_read_by_people(stream, style):
        return TerminalFormat(lambda: shutil.get_terminal_size().columns, colour=colour)
    return TextFormat() if style is LogFormat.TEXT else JsonFormat()
