"""Progress of long work on a terminal; short work shows nothing and imports nothing."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_DELAY = 0.4
"""Seconds before a phase is worth a line."""


class Progress:
    """A line on stderr that says what is going on, gone when the work is done."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._text = ""
        self._status: Any = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def say(self, text: str) -> None:
        """Name the phase that begins."""
        with self._lock:
            self._text = text
            if self._status is not None:
                self._status.update(_line(text))

    def _show(self) -> None:
        from rich.console import Console
        from rich.status import Status

        with self._lock:
            if self._timer is not None:
                console = Console(stderr=True, no_color=not self._colour)
                self._status = Status(_line(self._text), console=console)
                self._status.start()

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


def _line(text: str) -> Any:
    """`text` as it stands: brackets in the name of an artifact are no markup."""
    from rich.text import Text

    return Text(text)


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
