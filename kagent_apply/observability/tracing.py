"""Spans, whether or not anybody collects them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class Side(StrEnum):
    """Which end of a call a span is at, or neither."""

    SERVER = "server"
    CLIENT = "client"
    INTERNAL = "internal"


class Span(Protocol):
    """What is being done, for as long as it is."""

    def set(self, name: str, value: str | int) -> None:
        """Tell of it by an attribute."""
        ...

    def fail(self, reason: str) -> None:
        """It did not do what it should; `reason` is a status or the type of an exception, never its text."""
        ...


class Tracing(Protocol):
    """Makes spans; called from several threads, and never waits for a collector."""

    def span(
        self, name: str, side: Side = Side.INTERNAL, attributes: Mapping[str, str | int] | None = None
    ) -> AbstractContextManager[Span]:
        """Be inside of a new span, which is a child of the one that the caller is inside of."""
        ...

    def close(self, timeout: float) -> None:
        """Send what was collected, for `timeout` seconds at most."""
        ...


class _Unseen:
    """The span that nobody collects."""

    def set(self, name: str, value: str | int) -> None:
        """Nothing."""

    def fail(self, reason: str) -> None:
        """Nothing."""


_UNSEEN: Final[AbstractContextManager[Span]] = nullcontext(_Unseen())


class PassingTracing:
    """Collects nothing: whoever called stays the parent of whatever is called, and of the log lines."""

    def span(
        self,
        name: str,  # noqa: ARG002
        side: Side = Side.INTERNAL,  # noqa: ARG002
        attributes: Mapping[str, str | int] | None = None,  # noqa: ARG002
    ) -> AbstractContextManager[Span]:
        """The span that the caller is inside of."""
        return _UNSEEN

    def close(self, timeout: float) -> None:
        """Nothing."""
