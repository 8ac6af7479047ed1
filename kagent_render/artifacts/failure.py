"""Why an artifact cannot be had: the one exception of this room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from kagent_render.diagnostics.reasons import Reason

_PRINTED: Final = 120


class ArtifactFailure(Exception):  # noqa: N818  (named for what happened to the artifact)
    """An artifact that cannot be used: a stable reason, one sentence, and an action."""

    def __init__(self, reason: Reason, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.hint = hint


class PlatformMissing(ArtifactFailure):
    """An image that there is, for other platforms than the one that is asked for."""


def printable(text: str) -> str:
    """Foreign text that is safe to print in a message: bounded, one line, without backticks."""
    shown = "".join(char if char.isprintable() and char != "`" else "�" for char in text[: _PRINTED + 1])
    return shown if len(shown) <= _PRINTED else f"{shown[:_PRINTED]}…"


def public_url(url: str) -> str:
    """`url` as scheme, host, port and path: without user information, query and fragment."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "an unreadable URL"
    return printable(f"{parts.scheme}://{host}{parts.path}" if host else parts.path)
