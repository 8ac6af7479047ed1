"""Whether an address carries user information."""

from __future__ import annotations

import re
from typing import Final

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?=[/\\])")
_AUTHORITY_END: Final = re.compile(r"[/\\?#]")
_PORT: Final = re.compile(r"(\[[^]]*\]|[^:]*)(:[0-9]*)?")

_HOST: Final = r"[^/\\?#]*@"
_BAD_PORT: Final = r"([^:\[/\\?#][^:/\\?#]*)?:[0-9]*[^0-9/\\?#][\s\S]*@"

USER_INFORMATION: Final = rf"^\s*([A-Za-z][A-Za-z0-9+.-]*:[/\\])?[/\\]*({_HOST}|{_BAD_PORT})"
"""An RE2 and ECMAScript pattern of such addresses; it leaves out malformed IPv6 hosts in brackets."""


def has_user_information(address: str) -> bool:
    """Whether `address` names a user or a password before its host, even where it is badly written.

    A scheme is optional, back slashes count as slashes, and a colon that begins no port before a later `@`
    is taken for a password that was not escaped.
    """
    scheme = _SCHEME.match(address.lstrip())
    rest = address.lstrip()[scheme.end() if scheme else 0 :].lstrip("/\\")
    authority = _AUTHORITY_END.split(rest, maxsplit=1)[0]
    if "@" in authority:
        return True
    return "@" in rest and _PORT.fullmatch(authority) is None
