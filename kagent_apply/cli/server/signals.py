"""Signals of a server: at its start they end it at once, later the main thread is told of them in order."""

from __future__ import annotations

import logging
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NoReturn

from kagent_apply.cli.failure import Status

if TYPE_CHECKING:
    from types import FrameType

_LOGGER: Final = logging.getLogger(__name__)

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

_TWICE: Final = 1.0
"""Seconds in which a signal that comes again is the same one: some send it to a process and to its group."""

_LAST: Final = 0.5
"""Seconds for the last thing that is done before an end that waits for nobody."""


@dataclass(frozen=True, slots=True)
class Signals:
    """The signals that come; those that end the process do so at once until `serve` says that it serves."""

    _received: queue.SimpleQueue[int] = field(default_factory=queue.SimpleQueue)
    _serving: threading.Event = field(default_factory=threading.Event)
    _ending: list[float] = field(default_factory=list)

    def serve(self) -> None:
        """From now on there are calls that have to come to their end."""
        self._serving.set()

    def next(self) -> int:
        """Wait for the next signal."""
        return self._received.get()

    def handle(self, number: int, _frame: FrameType | None) -> None:
        """End the process as a signal does by itself where it came again; in the main thread."""
        if self._is_repeated(number):
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def hear(self, number: int) -> None:
        """Take a signal, in another thread: the main one may wait for something that never comes.

        What a handler puts into a queue, a wait for it misses that begins at the same moment.
        """
        if number != signal.SIGHUP:
            if not self._serving.is_set():
                _end(Status.CLEAN, f"{signal.Signals(number).name}: ended before any call was taken")
            self._ending.append(time.monotonic())
        self._received.put(number)
        if self._is_repeated(number):
            time.sleep(_LAST)  # the first process of a container is not ended by a signal of its own
            _end(128 + number, "")

    def _is_repeated(self, number: int) -> bool:
        ends = number != signal.SIGHUP and self._ending
        return bool(ends) and time.monotonic() - self._ending[0] > _TWICE


@contextmanager
def signals() -> Iterator[Signals]:
    """The signals of this process while it runs; in its main thread.

    Nothing is masked: the programs of embedded actors would inherit that. What ends the process at its start
    does as SIGKILL would, from which everything that is written recovers.
    """
    told = Signals()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = {number: signal.signal(number, told.handle) for number in _SIGNALS}
    wakeup = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(reader, told), name="signals", daemon=True).start()
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup)
        os.close(writer)


def _listen(reader: int, told: Signals) -> None:
    with open(reader, "rb", buffering=0) as stream:
        while numbers := stream.read(16):
            for number in numbers:
                if number in _SIGNALS:
                    told.hear(number)


def _end(status: int, text: str) -> NoReturn:
    """End the process and wait for nobody, not even for whoever reads its log."""
    if text:
        saying = threading.Thread(target=_LOGGER.info, args=(text,), daemon=True)
        saying.start()
        saying.join(_LAST)
    os._exit(status)
