"""A Control that answers slowly, with errors, or not at all, by plan; what it did is done all the same."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from kagent_apply.embedded.refusal import ControlError

if TYPE_CHECKING:
    from kagent_apply.embedded.control import Control


class Fault(StrEnum):
    """What becomes of a call."""

    SLOW = "slow"
    ERROR = "error"
    """It is refused, and had no effect."""
    LOST = "lost"
    """It had its effect, and an error is replied."""
    SILENT = "silent"
    """It had its effect, and nothing is replied until the client waits no longer."""


Plan = Callable[[str, int], Fault | None]
"""What becomes of a call, by its method and how often that was called before."""

_TRY_AGAIN: tuple[Any, ...] = (
    "UNAVAILABLE",
    "INTERNAL",
    "ABORTED",
    "UNKNOWN",
    "RESOURCE_EXHAUSTED",
    "DEADLINE_EXCEEDED",
)


@dataclass
class FaultyControl:
    """A Control as `serve_control` takes one."""

    control: Control
    plan: Plan = lambda _method, _count: None
    met: Counter[tuple[str, Fault]] = field(default_factory=Counter)
    _counts: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, plan: Plan) -> None:
        """Follow another plan from now on, and count anew."""
        with self._lock:
            self.plan, self._counts = plan, Counter()

    def call(self, method: str, request: Any, reply_type: Any, timeout: float) -> Any:
        """As the Control does, unless the plan says otherwise."""
        fault = self._fault(method)
        if fault is Fault.ERROR:
            raise self._error(method)
        if fault is Fault.SLOW:
            time.sleep(min(0.2, timeout / 2))
        try:
            reply = self.control.call(method, request, reply_type, timeout)
        finally:
            if fault is Fault.SILENT:
                time.sleep(timeout)
        if fault is Fault.LOST:
            raise self._error(method)
        return reply

    def _fault(self, method: str) -> Fault | None:
        with self._lock:
            fault = self.plan(method, self._counts[method])
            self._counts[method] += 1
            if fault is not None:
                self.met[method, fault] += 1
            return fault

    def _error(self, method: str) -> ControlError:
        return ControlError(_TRY_AGAIN[self._counts[method] % len(_TRY_AGAIN)], "the test says so")


def once(method: str, fault: Fault) -> Plan:
    """The first call of a method."""
    return lambda called, count: fault if (called, count) == (method, 0) else None


def storm(seed: int, share: float) -> Plan:
    """A share of all calls, at random; may be called by one thread at a time."""
    dice = random.Random(seed)
    faults = list(Fault)

    def plan(_method: str, _count: int) -> Fault | None:
        return dice.choice(faults) if dice.random() < share else None

    return plan
