"""What a server says, made fit to be shown: it may be hostile, or quote what is nobody's business."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from kagent_render.api.credential_literals import looks_like_credential

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_TEXT: Final = 200
"""Characters of a server's text in one of our messages."""

LONGEST_NAME: Final = 253
"""Characters of a UID or of a name in a reply."""

_NAME: Final = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z._-]*[0-9A-Za-z])?")
_SHORTEST_SECRET: Final = 4
_LOOKED_AT: Final = 20_000


def shown(text: str, hidden: Iterable[str] = ()) -> str:
    """One printable line of at most 200 characters without a full stop, and without any of the `hidden`.

    A text with what looks like a credential is not shown at all.
    """
    text = text[:_LOOKED_AT]
    for value in sorted(hidden, key=len, reverse=True):
        if len(value) >= _SHORTEST_SECRET:
            text = text.replace(value, "…").replace(_escaped(value), "…")
    line = " ".join("".join(_printable(character) for character in text).split()).rstrip(" .")
    if looks_like_credential("", line):
        return ""
    return line if len(line) <= LONGEST_TEXT else line[: LONGEST_TEXT - 1].rstrip() + "…"


def is_name(text: str) -> bool:
    """Whether a UID or name can be one: letters, digits and `.-_`, so that it can be shown and kept."""
    return len(text) <= LONGEST_NAME and _NAME.fullmatch(text) is not None


def _printable(character: str) -> str:
    """A character as it may stand in a line; our messages have backticks of their own."""
    if character == "`":
        return "'"
    return character if character.isprintable() else " "


def _escaped(value: str) -> str:
    """A value as servers quote it."""
    return json.dumps(value, ensure_ascii=False)[1:-1]
