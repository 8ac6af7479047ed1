"""Work on several threads: results come in the order of the work, and an interrupt leaves threads behind."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Done = tuple[int, "T | None", BaseException | None]

T = TypeVar("T")
_LOOK_UP_SECONDS: Final = 0.2


def run_all(work: Sequence[Callable[[], T]], workers: int) -> list[T]:
    """What each piece of `work` gives, on at most `workers` threads; raises what the first one raised.

    The threads are daemons: a pool of the standard library would keep Ctrl-C waiting for servers.
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[Done[T]] = queue.SimpleQueue()
    over = threading.Event()
    for number in range(len(work)):
        waiting.put(number)

    def labour() -> None:
        while not over.is_set():
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((number, work[number](), None))
            except BaseException as error:
                done.put((number, None, error))

    for _ in range(max(1, min(workers, len(work)))):
        threading.Thread(target=labour, daemon=True).start()
    try:
        return _collected(done, len(work))
    finally:
        over.set()


def _collected(done: queue.SimpleQueue[Done[T]], count: int) -> list[T]:
    results: dict[int, T] = {}
    for _ in range(count):
        number, result, error = _next(done)
        if error is not None:
            raise error
        results[number] = result  # type: ignore[assignment]
    return [results[number] for number in range(count)]


def _next(done: queue.SimpleQueue[Done[T]]) -> Done[T]:
    """The next result; an interrupt that comes just before the wait is seen a moment later."""
    while True:
        try:
            return done.get(timeout=_LOOK_UP_SECONDS)
        except queue.Empty:
            continue
