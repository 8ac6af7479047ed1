"""One lifecycle call at a time for each actor, and none that waits for another's."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

from kagent_apply.embedded.refusal import ControlError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_apply.embedded.views import Key


class ActorLocks:
    """A lock for each actor that is worked on, and nothing for the others."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[Key, tuple[threading.Lock, int]] = {}

    @contextlib.contextmanager
    def hold(self, actor: Key, deadline: float) -> Iterator[None]:
        """Keep others from an actor; DEADLINE_EXCEEDED where they do not end in time (monotonic seconds)."""
        lock = self._take(actor)
        try:
            if not lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
                raise ControlError("DEADLINE_EXCEEDED", f"another call on actor `{actor.name}` did not end")
            try:
                yield
            finally:
                lock.release()
        finally:
            self._leave(actor)

    def _take(self, actor: Key) -> threading.Lock:
        with self._guard:
            lock, users = self._locks.get(actor, (threading.Lock(), 0))
            self._locks[actor] = lock, users + 1
            return lock

    def _leave(self, actor: Key) -> None:
        with self._guard:
            lock, users = self._locks[actor]
            if users == 1:
                del self._locks[actor]
            else:
                self._locks[actor] = lock, users - 1
