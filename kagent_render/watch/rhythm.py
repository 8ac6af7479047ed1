"""When a burst of changes has come to rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

QUIET: Final = 0.15
"""Seconds without a change after which a burst is over: an editor's save, a checkout."""

LONGEST: Final = 2.0
"""Seconds after which a burst that does not end is worked on all the same."""


class Events(Protocol):
    """Changes as they come, and the time by which they come."""

    def wait(self, seconds: float | None) -> frozenset[str]:
        """The absolute paths that have changed; empty where `seconds` pass without any."""
        ...

    def now(self) -> float:
        """Seconds from some moment on."""
        ...


def next_burst(events: Events, interesting: Callable[[str], bool]) -> frozenset[str]:
    """The next changes that matter, gathered until none has come for a while."""
    changed: set[str] = set()
    while not changed:
        changed = _wait(events, None, interesting)
    start = last = events.now()
    while (left := min(last + QUIET, start + LONGEST) - events.now()) > 0:
        more = _wait(events, left, interesting)
        changed |= more
        last = events.now() if more else last
    return frozenset(changed)


def _wait(events: Events, seconds: float | None, interesting: Callable[[str], bool]) -> set[str]:
    return {path for path in events.wait(seconds) if interesting(path)}
