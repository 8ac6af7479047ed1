"""Progress of long work on a terminal; short work shows nothing and imports nothing."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

_DELAY = 0.4
"""Seconds before a phase is worth a line."""
_SPINNER = 2
"""Columns of the spinner and the space behind it."""

_BAR = 16
"""Cells of the bar that shows how far something is."""


class Progress:
    """A line on stderr that says what is going on, gone when the work is done."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._text = ""
        self._share: float | None = None
        self._console: Any = None
        self._status: Any = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def say(self, text: str, share: float | None = None) -> None:
        """Name the phase that begins, or how far it is: `share` of it, from 0 to 1, is drawn."""
        with self._lock:
            self._text, self._share = text, share
            if self._status is not None:
                self._status.update(self._line())

    def _show(self) -> None:
        from rich.console import Console
        from rich.status import Status

        with self._lock:
            if self._timer is not None:
                self._console = Console(stderr=True, no_color=not self._colour)
                self._status = Status(self._line(), console=self._console)
                self._status.start()

    def _line(self) -> Text:
        """The phase as it is, never as markup of its own, in what the terminal is wide beside the spinner."""
        from rich.text import Text

        line = Text()
        if self._share is not None:
            done = round(self._share * _BAR)
            line.append("━" * done, "cyan").append("─" * (_BAR - done), "dim").append(" ")
        line.append(self._text)
        line.truncate(max(self._console.width - _SPINNER, 1), overflow="ellipsis")
        return line

    def start(self) -> None:
        """Begin to wait for work that takes long enough to be shown."""
        self._timer = threading.Timer(_DELAY, self._show)
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        """Take the line away."""
        with self._lock:
            timer, self._timer = self._timer, None
            if timer is not None:
                timer.cancel()
            if self._status is not None:
                self._status.stop()
                self._status = None


@contextmanager
def showing_progress(*, wanted: bool, colour: bool) -> Iterator[Progress]:
    """Progress that is shown where stderr is a terminal and `wanted`."""
    progress = Progress(colour=colour)
    if wanted and sys.stderr.isatty():
        progress.start()
    try:
        yield progress
    finally:
        progress.stop()
