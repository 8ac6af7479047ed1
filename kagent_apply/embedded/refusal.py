"""What the Control service answers where it gives no reply: a gRPC status, by the name of its code."""

from __future__ import annotations

from typing import Literal

from kagent_apply.substrate.transport import StatusError

Code = Literal[
    "ABORTED",
    "ALREADY_EXISTS",
    "DEADLINE_EXCEEDED",
    "FAILED_PRECONDITION",
    "INTERNAL",
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "UNAVAILABLE",
    "UNIMPLEMENTED",
]


class ControlError(StatusError):
    """A status other than OK; `text` is one sentence, fit for any caller."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(code, text)
