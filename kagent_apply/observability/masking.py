"""Text without credentials, however it came into a log: the one place that takes them out."""

from __future__ import annotations

import re
from typing import Final

from kagent_render.api.credential_literals import looks_like_credential, without_credentials
from kagent_render.source.git_program import without_user_information

WITHHELD: Final = "(withheld)"

_ASSIGNED: Final = re.compile(r"(password|passwd|secret|token|api[_-]?key)=[^\s&;,'\"]+", re.IGNORECASE)
_PRESENTED: Final = re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/-]{8,}=*", re.IGNORECASE)
_NAMES: Final = re.compile(r"password|passwd|secret|token$|authorization|cookie|api_?key", re.IGNORECASE)


def masked(text: str) -> str:
    """Text in which known shapes of credentials, and the user information of addresses, are replaced."""
    text = without_credentials(without_user_information(text), WITHHELD)
    return _PRESENTED.sub(rf"\1 {WITHHELD}", _ASSIGNED.sub(rf"\1={WITHHELD}", text))


def masked_value(name: str, value: str) -> str:
    """The value of a field, wholly replaced where the field's name says that it is a credential."""
    named = _NAMES.search(name) is not None
    return WITHHELD if named or looks_like_credential(name, value) else masked(value)
