"""W3C Trace Context: who called, as a header says it, and the span that this thread is inside of."""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

TRACEPARENT: Final = "traceparent"
TRACESTATE: Final = "tracestate"

_PARENT: Final = re.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.ASCII)
_STATE: Final = re.compile("[\x20-\x7e]{1,512}")
_SAMPLED: Final = 1


@dataclass(frozen=True, slots=True)
class TraceContext:
    """One span of a trace, by ids in lower-case hex; `state` is what vendors wrote beside them."""

    trace_id: str
    span_id: str
    sampled: bool
    state: str = ""


_CURRENT: Final[ContextVar[TraceContext | None]] = ContextVar("trace_context", default=None)


def current() -> TraceContext | None:
    """The span that the caller is inside of; another thread is inside of none (`carried`)."""
    return _CURRENT.get()


def carried(work: Callable[[], None]) -> Callable[[], None]:
    """Work that is inside of the caller's span, whichever thread does it: `pool.submit(carried(work))`."""
    return partial(copy_context().run, work)


@contextmanager
def inside(context: TraceContext | None) -> Iterator[None]:
    """Be inside of a span, or of none, for the length of a block."""
    token = _CURRENT.set(context)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def read_headers(headers: Iterable[tuple[str, str | bytes]]) -> TraceContext | None:
    """The caller's span; None where the headers name none, or more than one (Trace Context 3.2)."""
    found = [(name, value) for name, value in headers if isinstance(value, str)]
    parents = [value for name, value in found if name == TRACEPARENT]
    states = ",".join(value for name, value in found if name == TRACESTATE)
    return _read(parents[0], states) if len(parents) == 1 else None


def outgoing_headers() -> tuple[tuple[str, str], ...]:
    """What a call to somebody else carries, so that it is seen as part of the trace."""
    return headers(current())


def headers(context: TraceContext | None) -> tuple[tuple[str, str], ...]:
    """A span as headers; none for none."""
    if context is None:
        return ()
    parent = (TRACEPARENT, f"00-{context.trace_id}-{context.span_id}-{int(context.sampled):02x}")
    return (parent, (TRACESTATE, context.state)) if context.state else (parent,)


def _read(parent: str, state: str) -> TraceContext | None:
    match = _PARENT.fullmatch(parent)
    if match is None:
        return None
    version, trace_id, span_id, flags, more = match.groups()
    if version == "ff" or (version == "00" and more) or not (int(trace_id, 16) and int(span_id, 16)):
        return None
    kept = state if _STATE.fullmatch(state) else ""
    return TraceContext(trace_id, span_id, bool(int(flags, 16) & _SAMPLED), kept)
