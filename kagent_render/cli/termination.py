"""SIGTERM, as Argo CD sends it when time is up: one line and out, never half an output.

Argo CD sends SIGKILL 5 seconds later. Nothing here unwinds the stack: code in between could hold it up.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NoReturn

from kagent_render.cli.failure import EnvironmentFailure

if TYPE_CHECKING:
    from types import FrameType

_GRACE: Final = 2.0
"""Seconds that an output gets to its reader when the signal comes while it is being written."""

_FENCE: Final = 1
"""Seconds for the line on stderr, whose reader may be as slow."""

_STDERR: Final = 2


class Ending:
    """What SIGTERM does: ends the program at once, or once what is being written has been."""

    def __init__(self) -> None:
        self._writing = False
        self._asked = False

    def write_whole(self, data: bytes) -> None:
        """Write to stdout; the signal waits until all of it is, but not long. Raises EnvironmentFailure."""
        self._writing = True
        try:
            _write(data)
        finally:
            self._writing = False
            if self._asked:
                _end("terminated: the output was written")

    def handle(self, _number: int, _frame: FrameType | None) -> None:
        """The handler of SIGTERM."""
        if not self._writing:
            _end("terminated: nothing was written")
        if not self._asked:
            self._asked = True
            signal.signal(signal.SIGALRM, _give_up)
            signal.setitimer(signal.ITIMER_REAL, _GRACE)


@contextmanager
def ending_at_sigterm() -> Iterator[Ending]:
    """Handle SIGTERM as above; off the main thread, where no handler can be set, it stays as it is."""
    ending = Ending()
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return
    before = signal.signal(signal.SIGTERM, ending.handle)
    try:
        yield ending
    finally:
        signal.signal(signal.SIGTERM, before)


def _write(data: bytes) -> None:
    # A stream that was closed before the program began is None.
    if sys.stdout is None:
        raise EnvironmentFailure("stdout is closed", "pass a file or a pipe to write to")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        cause = (error.strerror or "it failed").lower()
        raise EnvironmentFailure(f"stdout cannot be written: {cause}") from None


def _give_up(_number: int, _frame: FrameType | None) -> None:
    _end("terminated: the reader of the output was too slow and has a part of it")


def _end(line: str) -> NoReturn:
    """Say why on stderr and die of the signal, for the parent to know; a first process cannot, and exits."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_FENCE)
    with contextlib.suppress(OSError):
        os.write(_STDERR, f"{line}\n".encode())
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)
    os._exit(128 + signal.SIGTERM)
