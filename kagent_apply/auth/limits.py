"""Whether a call is one too many."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.auth.concurrency import ConcurrencyLimit, Full
from kagent_apply.auth.rate import RateLimit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_apply.auth.rate import Rate
    from kagent_apply.auth.watched_file import Clock

_WHEN_FULL: Final = 1.0
"""Seconds after which a call may find room; nobody knows when others end."""


class LimitExceededError(Exception):
    """A call too many: `RESOURCE_EXHAUSTED`, with `retry_after` in seconds for its RetryInfo."""

    def __init__(self, message: str, hint: str, retry_after: float) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """The limits of a server; what is None has none."""

    rate: Rate | None = None
    per_caller: int | None = None
    overall: int | None = None


class Limits:
    """Admits calls of known callers, by their subject; from several threads at once, and without waiting."""

    def __init__(self, settings: LimitSettings, clock: Clock) -> None:
        self._rate = RateLimit(settings.rate, clock) if settings.rate else None
        self._concurrency = ConcurrencyLimit(settings.per_caller, settings.overall)

    @contextmanager
    def admitted(self, subject: str) -> Iterator[None]:
        """A call that is counted while it lasts; raises LimitExceededError."""
        if (full := self._concurrency.enter(subject)) is not None:
            raise _too_many_at_once(full)
        try:
            # After the other, so that a call which is refused there takes nothing of the rate.
            self._take(subject)
            yield
        finally:
            self._concurrency.leave(subject)

    def _take(self, subject: str) -> None:
        wait = self._rate.take(subject) if self._rate else 0.0
        if wait:
            message = "you make more calls in a while than this server lets one caller make"
            raise LimitExceededError(message, "wait as long as the reply says, and try again", wait)


def _too_many_at_once(full: Full) -> LimitExceededError:
    if full is Full.SERVER:
        message, hint = "the server has as many calls under way as it takes", "try again in a while"
    else:
        message = "you have as many calls under way as this server lets one caller have"
        hint = "wait until one has ended, and try again"
    return LimitExceededError(message, hint, _WHEN_FULL)
