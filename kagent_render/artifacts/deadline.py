"""The bounds of every transport, and one on work whose libraries only bound single socket operations."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a server may take, in seconds; with the defaults a dead one is told within 15.

    `connect` and `read` bound single operations, `answer` the head of an answer however many attempts it
    takes, `body` the bytes of one artifact. After `retry` no new attempt begins; `pause` is between two.
    """

    connect: float = 4
    read: float = 6
    answer: float = 9
    body: float = 300
    retry: float = 7
    pause: float = 0.25


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` gives or raises; raises TimeoutError when it takes longer and leaves it behind.

    A server that sends one byte now and then, or a name with many dead addresses, outlasts any time-out of a
    single read or connect.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    worker.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError
    return results[0]
