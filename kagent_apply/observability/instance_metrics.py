"""How many instances are in each state: asked of the store when metrics are read, not at every reading."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from kagent_apply.instances.states import State
from kagent_apply.observability.metrics import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from prometheus_client import Metric

FRESH: Final = 15.0
"""Seconds after which the store is asked again, however often metrics are read."""

_PATIENCE: Final = 1.0
"""Seconds that an answer has: other metrics are wanted most while the store has none."""

_SHOWN: Final = tuple(state for state in State if state is not State.DELETED)


class InstanceMetrics(Collector):
    """The series of all replicas together; without an answer of the store there are none."""

    def __init__(
        self, count: Callable[[], Mapping[State, int]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._count = count
        self._clock = clock
        self._lock = threading.Lock()
        self._asked: Future[Mapping[State, int]] | None = None
        self._asked_at = 0.0

    def collect(self) -> Iterator[Metric]:
        """One series for each state."""
        try:
            counts = self._ask().result(_PATIENCE)
        except Exception:  # the store's own metrics and the probe tell of it
            return
        told = "Instances in the store by state, but for those that are deleted."
        family = GaugeMetricFamily(f"{PREFIX}_instances", told, labels=["state"])
        for state in _SHOWN:
            family.add_metric([state.name], counts.get(state, 0))
        yield family

    def _ask(self) -> Future[Mapping[State, int]]:
        """What was asked last, unless it is old; a store that hangs has one question at a time."""
        with self._lock:
            now = self._clock()
            if self._asked is None or (self._asked.done() and now - self._asked_at >= FRESH):
                self._asked, self._asked_at = Future(), now
                asking = threading.Thread(target=self._fill, args=(self._asked,), name="counts", daemon=True)
                asking.start()
            return self._asked

    def _fill(self, asked: Future[Mapping[State, int]]) -> None:
        try:
            asked.set_result(self._count())
        except Exception as error:
            asked.set_exception(error)
