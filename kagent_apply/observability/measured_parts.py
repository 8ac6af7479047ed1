"""The parts that others call, measured from outside: each looks as it did, and knows nothing of it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from kagent_apply.observability.tracing import PassingTracing, Side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from kagent_apply.observability.metrics import Metrics
    from kagent_apply.observability.tracing import Tracing

PartT = TypeVar("PartT")


def measured_store(store: PartT, metrics: Metrics, tracing: Tracing) -> PartT:
    """A store each of whose calls is timed and a span, and whose failures are counted."""

    @contextmanager
    def around(call: str) -> Iterator[None]:
        began, failed = time.monotonic(), True
        try:
            with tracing.span(f"store {call}", Side.CLIENT):
                yield
            failed = False
        finally:
            metrics.store_call(call, time.monotonic() - began, failed=failed)

    return _wrapped(store, around)


def traced(part: PartT, name: str, tracing: Tracing) -> PartT:
    """A part each of whose calls is a span, `<name> <call>`: the operations, or the port to Substrate.

    It is the part itself where nobody collects spans.
    """
    if isinstance(tracing, PassingTracing):
        return part
    return _wrapped(part, lambda call: tracing.span(f"{name} {call}"))


def _wrapped(part: PartT, around: Callable[[str], AbstractContextManager[object]]) -> PartT:
    """Something like `part`, whose public methods are each called inside of `around(its name)`."""
    names = [name for name in dir(type(part)) if not name.startswith("_") and callable(getattr(part, name))]
    methods: dict[str, Any] = {
        name: staticmethod(_inside(getattr(part, name), name, around)) for name in names
    }
    methods["__getattr__"] = lambda _, name: getattr(part, name)
    return cast("PartT", type(f"Measured{type(part).__name__}", (), methods)())


def _inside(
    method: Callable[..., Any], name: str, around: Callable[[str], AbstractContextManager[object]]
) -> Callable[..., Any]:
    @wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        with around(name):
            return method(*arguments, **named)

    return call
