"""How many calls are being handled, for whoever waits until there are none."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import grpc  # type: ignore[import-untyped, unused-ignore]


class InFlight:
    """Counts calls from their beginning until their reply has left."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0

    def enter(self, context: grpc.ServicerContext) -> None:
        """Count a call in, and out when gRPC is done with it."""
        with self._changed:
            self._count += 1
        if not context.add_callback(self._leave):
            self._leave()

    def wait_idle(self, timeout: float) -> bool:
        """Wait until no call is being handled; False where some still are after so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._count, timeout)

    def _leave(self) -> None:
        with self._changed:
            self._count -= 1
            if not self._count:
                self._changed.notify_all()
