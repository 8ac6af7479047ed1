"""Whether this process should be sent calls, and what is wrong even if it should."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_apply.observability.masking import masked
from kagent_apply.observability.repetition import Repetition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_LOGGER: Final = logging.getLogger(__name__)

ANSWER_WITHIN: Final = 2.0
"""Seconds that all checks have together; a probe waits longer."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that is needed.

    `ask` gives one sentence about what is wrong, empty where nothing is; it may take its time, and may
    raise. Without `required` the answer is told and changes nothing: what every replica lacks at once is no
    reason to take every replica away.
    """

    name: str
    ask: Callable[[], str]
    required: bool = True


@dataclass(frozen=True, slots=True)
class Readiness:
    """What a moment's look gave; `problems` are those that do not count."""

    missing: Mapping[str, str]
    problems: Mapping[str, str]

    @property
    def ready(self) -> bool:
        """Whether all that is required is there."""
        return not self.missing


@dataclass(slots=True)
class Checks:
    """Asks all checks at once, and none again before it answered: one that hangs costs one thread."""

    checks: Sequence[Check]
    within: float = ANSWER_WITHIN
    _asked: dict[str, Future[str]] = field(default_factory=dict, init=False)
    _repetition: Repetition = field(default_factory=Repetition, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def look(self) -> Readiness:
        """What is wrong just now; a check without an answer in time is."""
        until = time.monotonic() + self.within
        asked = [(check, self._ask(check)) for check in self.checks]
        told = [(check, self._answer(future, until)) for check, future in asked]
        for check, answer in told:
            self._log(check, answer)
        return Readiness(
            {check.name: answer for check, answer in told if answer and check.required},
            {check.name: answer for check, answer in told if answer and not check.required},
        )

    def _log(self, check: Check, answer: str) -> None:
        """Once, however often somebody looks."""
        if self._repetition.is_news(check.name, answer):
            told = "a check found something wrong" if answer else "a check finds nothing wrong any more"
            level = logging.WARNING if answer else logging.INFO
            _LOGGER.log(
                level, told, extra={"check": check.name, "problem": answer, "required": check.required}
            )

    def _ask(self, check: Check) -> Future[str]:
        with self._lock:
            future = self._asked.get(check.name)
            if future is None or future.done():
                future = self._asked[check.name] = Future()
                asking = threading.Thread(
                    target=_fill, args=(future, check), name=f"check-{check.name}", daemon=True
                )
                asking.start()
            return future

    def _answer(self, future: Future[str], until: float) -> str:
        try:
            return future.result(max(0.0, until - time.monotonic()))
        except TimeoutError:
            return f"no answer within {self.within:g} s"


def _fill(future: Future[str], check: Check) -> None:
    try:
        future.set_result(masked(check.ask()))
    except Exception as error:
        # Its text is for callers of the part that raised it, and may name what a probe should not show.
        _LOGGER.debug("a check failed", extra={"check": check.name}, exc_info=True)
        future.set_result(f"the check failed with `{type(error).__name__}`")
