"""Ids of new instances."""

from __future__ import annotations

import secrets
import uuid
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

_VERSION: Final = 0x7 << 76
_VARIANT: Final = 0b10 << 62
_RANDOM: Final = (1 << 76) - 1 - (0b11 << 62)
"""The bits of a UUID that version 7 leaves to chance (RFC 9562, section 5.7), but for the version itself."""


def new_instance_id(now: datetime) -> str:
    """A UUID of version 7: ids that grow with time are neighbours in every index and every list."""
    milliseconds = int(now.timestamp() * 1000)
    return str(uuid.UUID(int=milliseconds << 80 | _VERSION | _VARIANT | secrets.randbits(76) & _RANDOM))
