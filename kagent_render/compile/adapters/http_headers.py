"""Request headers that can be sent at all, and those that a client sets itself."""

from __future__ import annotations

import re
from collections.abc import Collection

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NO_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def is_header_name(text: str) -> bool:
    """Whether `text` can name a header (a token of RFC 9110 §5.6.2)."""
    return _NAME.fullmatch(text) is not None


def header_problem(name: str, value: str | None, own: Collection[str]) -> str | None:
    """Why a client does not send a header as it is written; `own` are the lower-case names that it sets.

    `value` is None where it is not known here.
    """
    if not is_header_name(name):
        return "its name is no header name (RFC 9110 §5.1)"
    if name.lower() in own:
        return "the client sets it itself"
    if value is not None and _NO_VALUE.search(value):
        return "its value holds a control character (RFC 9110 §5.5)"
    if value is not None and value != value.strip(" \t"):
        return "white space at the ends of its value does not arrive (RFC 9110 §5.5)"
    return None
