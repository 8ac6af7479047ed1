"""What an API server is asked, and how it fails: the port between the cluster part and Kubernetes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class ApiError(Exception):
    """No answer from the API server, or none that can be read; the message is fit for logs."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A status and what came with it: an object, or the Status that refuses it."""

    status: int
    value: Mapping[str, Any] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        """Whether the request failed."""
        return self.status >= 300


class Stream(Protocol):
    """A watch under way."""

    def lines(self) -> Iterator[bytes]:
        """Every line as it comes, until the server ends it; raises ApiError."""
        ...

    def close(self) -> None:
        """End it, from any thread: whoever reads lines gets no more."""
        ...


class Api(Protocol):
    """Requests to one API server; every method raises ApiError, and may be called from any thread."""

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
    ) -> Reply:
        """Send a request, and read what comes back."""
        ...

    def stream(self, path: str, query: Mapping[str, str], seconds: float) -> Stream | Reply:
        """Begin a watch that is quiet for `seconds` at most; a Reply where it is refused."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
