"""One call of a service: which message it takes, and what handles it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from kagent_apply.service.call import Call

    Request = TypeVar("Request", bound=Message)


@dataclass(frozen=True, slots=True)
class Method:
    """A call by its name in the service; `waits` for one that may take as long as its deadline."""

    name: str
    request: type[Message]
    handle: Callable[[Any, Call], Message]
    waits: bool


def unary(
    request: type[Request], handle: Callable[[Request, Call], Message], *, waits: bool = False
) -> Method:
    """The call that is named like its request, as all of kagent's are."""
    return Method(request.DESCRIPTOR.name.removesuffix("Request"), request, handle, waits)
