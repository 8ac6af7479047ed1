"""Time that passes only where the test lets it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event

from kagent_apply.operations.clock import Clock

_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Seconds:
    """Seconds since the beginning."""

    now: float = 0.0

    def wait(self, event: Event, seconds: float) -> bool:
        """All of the time passes at once where nobody else could set the event."""
        if not event.is_set():
            self.now += seconds
        return event.is_set()

    def clock(self) -> Clock:
        """As operations have it."""
        return Clock(
            utc=lambda: _BEGINNING + timedelta(seconds=self.now),
            steady=lambda: self.now,
            wait=self.wait,
            jitter=lambda: 0.5,
        )
