"""Holding one operation: what is stored of the instance, and until when nobody else carries it on."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Final

from kagent_apply.store.port import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_apply.instances.instance import Instance, Member
    from kagent_apply.instances.standing import Standing
    from kagent_apply.operations.clock import Clock
    from kagent_apply.operations.limits import Limits
    from kagent_apply.store.port import Hold, Store


_FRESH: Final = 0.7
"""The part of a lease that need not be renewed yet."""


class LostError(Exception):
    """Others carry the operation on, or have ended it: nothing more may be done here."""


class StoppedError(Exception):
    """The server stops: the operation stays, for others or for later."""


class Tenure:
    """One operation that this process holds; `begun` is when it asked for that, by the steady clock.

    Our own clock starts before the store's does, so that it is over first.
    """

    def __init__(
        self,
        store: Store,
        hold: Hold,
        clock: Clock,
        limits: Limits,
        stopping: Callable[[], bool],
        instance: Instance,
        begun: float,
    ) -> None:
        self.instance = instance
        self.mine = instance.standing
        self.begun = begun
        self._store = store
        self._hold = hold
        self._clock = clock
        self._limits = limits
        self._stopping = stopping
        self._until = begun + hold.seconds
        self._lock = Lock()

    def put(self, standing: Standing, members: tuple[Member, ...]) -> Instance:
        """Store how far the operation is, and hold on to it; LostError where something else is stored."""
        return self._replace(standing, members, self._hold)

    def close(self, standing: Standing, members: tuple[Member, ...]) -> Instance:
        """Store how the operation ended, and let go of it; LostError where something else is stored."""
        return self._replace(standing, members, None)

    def allowance(self, wanted: float) -> float:
        """For how many seconds a call outside may last: all the while the operation is surely ours.

        LostError where it is not, StoppedError where nothing more should begin.
        """
        if self._stopping():
            raise StoppedError
        if self._left() < wanted:
            with self._lock:
                self._renew()
        if (left := self._left()) <= 0:
            raise LostError
        return min(wanted, left)

    def keep(self) -> None:
        """Renew the lease where it is no longer fresh, unless something is being stored, which does so, too.

        Trouble is left to the next call outside, which asks for the same.
        """
        if self._left() < self._limits.lease * _FRESH and self._lock.acquire(blocking=False):
            try:
                self._renew()
            except (LostError, StoreError):
                return
            finally:
                self._lock.release()

    def _left(self) -> float:
        return self._until - self._limits.margin - self._clock.steady()

    def _renew(self) -> None:
        begun = self._clock.steady()
        self._keep(begun, self._store.renew(self.instance, self._hold), self._hold)

    def _replace(self, standing: Standing, members: tuple[Member, ...], hold: Hold | None) -> Instance:
        with self._lock:
            begun = self._clock.steady()
            now = self._clock.utc_since(self.instance.updated_at)
            after = replace(self.instance, standing=standing, members=members, updated_at=now)
            return self._keep(begun, self._store.replace(self.instance, after, hold), hold)

    def _keep(self, begun: float, stored: Instance | None, hold: Hold | None) -> Instance:
        self._until = begun + hold.seconds if hold and stored else float("-inf")
        if stored is None:
            raise LostError
        self.instance = stored
        return stored
