"""The spellings of a UUID, of which instances, shares, checkpoints and page tokens use one."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

_PLAIN: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_SPELLINGS: Final = re.compile(
    rf"(?:urn:uuid:)?(?P<plain>{_PLAIN})|\{{(?P<braced>{_PLAIN})\}}|(?P<digits>[0-9a-f]{{32}})",
    re.IGNORECASE | re.ASCII,
)
_LONGEST: Final = len("urn:uuid:") + 36
_TOKEN: Final = re.compile("[-0-9A-Za-z_]{1,64}")
"""No longer than any spelling of a UUID is in base64."""


def canonical_uuid(text: str) -> str:
    """The one spelling that is stored and compared: lower case with hyphens; empty where `text` is no UUID.

    Taken are that of RFC 9562 in either case, after `urn:uuid:` or in braces, and 32 digits without hyphens.
    """
    if len(text) > _LONGEST or (found := _SPELLINGS.fullmatch(text)) is None:
        return ""
    digits = (found["plain"] or found["braced"] or found["digits"]).replace("-", "").lower()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def page_token(last: str) -> str:
    """What says that a list goes on after an id: its text in base64url without padding."""
    return base64.urlsafe_b64encode(last.encode()).rstrip(b"=").decode()


def read_page_token(token: str) -> str:
    """The id that a list goes on after, in its canonical spelling; empty where `token` is none of ours."""
    if not _TOKEN.fullmatch(token):
        return ""
    try:
        return canonical_uuid(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode())
    except (binascii.Error, UnicodeDecodeError):
        return ""
