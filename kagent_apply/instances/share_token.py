"""The token of a share: shown once, and kept as a digest."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

RandomBytes = Callable[[int], bytes]
"""So many bytes that nobody can guess: `secrets.token_bytes`."""

_LENGTH: Final = 32
_TOKEN: Final = re.compile("[-0-9A-Za-z_]{43}")


@dataclass(frozen=True, slots=True)
class ShareToken:
    """What the caller is told, which no text of this value shows, and the digest that is stored."""

    text: str = field(repr=False)
    digest: bytes


def new_share_token(random_bytes: RandomBytes) -> ShareToken:
    """A token of 32 random bytes in base64url without padding; ValueError where the source gives others."""
    data = random_bytes(_LENGTH)
    if len(data) != _LENGTH:
        raise ValueError(f"a source of random bytes gave {len(data)} instead of {_LENGTH}")
    text = base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    return ShareToken(text, _digest(text))


def share_digest(presented: str) -> bytes | None:
    """What to look a presented token up by, or None for text that is no token of ours."""
    return _digest(presented) if _TOKEN.fullmatch(presented) else None


def _digest(text: str) -> bytes:
    """The sha256 of the token as it is written, not of what it encodes (facts 8.2)."""
    return hashlib.sha256(text.encode("ascii")).digest()
