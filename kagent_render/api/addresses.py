"""Addresses that manifests hold: whether one carries user information."""

from __future__ import annotations

import re
from typing import Annotated, Final

from kagent_render.api.schema import Check

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?=[/\\])")
_AUTHORITY_END: Final = re.compile(r"[/\\?#]")
_PORT: Final = re.compile(r"(\[[^]]*\]|[^:]*)(:[0-9]*)?")
_DIGEST: Final = re.compile(r"@sha256:[0-9A-Fa-f]*$")


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


def _reference_is_clean(reference: str) -> bool:
    return not has_user_information(_DIGEST.sub("", reference))


NoUserInformation: Final = Check(
    message="the address must not contain user information",
    holds=lambda address: not has_user_information(address),
    hint="remove the part before `@` and refer to a credential instead",
    sensitive=True,
)
NoUserInReference: Final = Check(
    message="the image reference must not contain user information",
    holds=_reference_is_clean,
    hint="remove the part before `@` and configure registry credentials instead",
    sensitive=True,
)
Url = Annotated[str, NoUserInformation]
