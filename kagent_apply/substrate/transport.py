"""How a call reaches a Control service: over a network, or in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from google.protobuf.message import Message

ReplyT = TypeVar("ReplyT", bound="Message")


class StatusError(Exception):
    """A call that ended otherwise than with its reply: the name of a gRPC status, and what was told of it.

    The text is the server's own, so that it is not fit for callers as it is.
    """

    def __init__(self, code: str, text: str = "") -> None:
        super().__init__(code, text)
        self.code = code
        self.text = text


class Transport(Protocol):
    """One Control service, of either generation; every method may be called from several threads."""

    def call(self, method: str, request: Message, reply_type: type[ReplyT], timeout: float) -> ReplyT:
        """Call a method by its name, `GetActor`, and wait `timeout` seconds at most; raises StatusError."""
        ...

    def close(self) -> None:
        """Let go of connections; calls under way may end with StatusError."""
        ...
