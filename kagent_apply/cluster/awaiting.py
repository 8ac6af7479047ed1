"""Tells at once when an ActorTemplate of the cluster changed in what a revision waits for."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_apply.cluster.view import ClusterView

_INTERVAL: Final = 10.0


class TemplateWatch:
    """Calls `changed` from `start` to `close`, at most once in `pause` seconds, in a thread of its own."""

    def __init__(self, view: ClusterView, changed: Callable[[], None], pause: float = 0.5) -> None:
        self._view = view
        self._changed = changed
        self._pause = pause
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="templates", daemon=True)

    def start(self) -> None:
        """Begin to tell."""
        self._thread.start()

    def close(self, seconds: float) -> bool:
        """Tell no more; whether the thread ended in time."""
        self._stopping.set()
        self._view.wake()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        seen, known = -1, frozenset[object]()
        while not self._stopping.is_set():
            seen = self._view.wait(seen, _INTERVAL)
            found = _states(self._view)
            if found != known and not self._stopping.is_set():
                known = found
                self._changed()
            self._stopping.wait(self._pause)


def _states(view: ClusterView) -> frozenset[object]:
    """What of every ActorTemplate decides whether a revision serves; a resource version alone does not."""
    return frozenset(
        (found.identity.uid, found.identity.deleting, found.spec_digest, found.readiness)
        for found in view.actor_templates()
    )
