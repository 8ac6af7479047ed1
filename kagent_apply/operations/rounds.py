"""What is done again and again while the service runs: leases renewed, left operations taken up."""

from __future__ import annotations

import contextlib
from threading import Event, Thread
from typing import TYPE_CHECKING

from kagent_apply.store.port import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_apply.instances.requests import InstanceName
    from kagent_apply.operations.carrier import Carrier


class Rounds:
    """Two threads, from `start` to `drain`."""

    def __init__(self, carrier: Carrier) -> None:
        self._carrier = carrier
        self._enough = Event()
        self._threads: list[Thread] = []

    def start(self) -> None:
        """Begin both; the first search for left operations is at once."""
        limits = self._carrier.limits
        self._begin("leases", self.renew, limits.lease / 4)
        self._begin("recovery", self.recover, limits.interval)

    def renew(self) -> None:
        """Hold on to all operations of this process."""
        for run in self._carrier.runs.under_way():
            if run.tenure is not None:
                run.tenure.keep()

    def recover(self) -> int:
        """Take up operations that nobody carries on and that are due; how many."""
        under_way = self._carrier.runs.under_way()
        room = self._carrier.limits.recovering - sum(run.recovered for run in under_way)
        if room <= 0:
            return 0
        wanted = room + len(self._carrier.backoff) + len(under_way)
        names = self._carrier.store.unattended(wanted)
        if len(names) < wanted:
            left = {*names, *(run.name for run in under_way)}
            self._carrier.backoff.keep(left, self._carrier.limits.lease)
        taken = 0
        for name in names:
            if taken < room and self._carrier.backoff.is_due(name) and self._take(name):
                taken += 1
        return taken

    def drain(self, timeout: float) -> bool:
        """Half of the time for operations to end, the other half for their calls."""
        carrier = self._carrier
        carrier.runs.refuse()
        carrier.clock.wait(carrier.runs.idle, timeout / 2)
        carrier.stop.set()
        rested = carrier.clock.wait(carrier.runs.idle, timeout / 2)
        self._enough.set()
        for thread in self._threads:
            thread.join(carrier.limits.lease)
        return rested and self._released()

    def _released(self) -> bool:
        try:
            self._carrier.store.release(self._carrier.holder)
        except StoreError:
            return False
        return True

    def _take(self, name: InstanceName) -> bool:
        found = self._carrier.store.instance(name)
        if found is None or found.standing.operation is None:
            return False
        return self._carrier.take_over(found, recovered=True) is not None

    def _begin(self, name: str, act: Callable[[], object], seconds: float) -> None:
        thread = Thread(target=self._repeat, args=(act, seconds), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _repeat(self, act: Callable[[], object], seconds: float) -> None:
        while not self._enough.is_set():
            with contextlib.suppress(
                Exception
            ):  # an error of ours in one round is no reason to have no other
                act()
            self._carrier.clock.wait(self._enough, seconds * (1 + self._carrier.clock.jitter()) / 2)
