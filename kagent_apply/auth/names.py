"""What can name a caller: subjects and groups, whoever vouches for them."""

from __future__ import annotations

from typing import Final

LONGEST_NAME: Final = 256
"""Characters of a subject or a group."""


def is_name(text: object) -> bool:
    """Whether it is text that a store, a policy and a log can all hold: printable, without spaces around."""
    return (
        isinstance(text, str)
        and 0 < len(text) <= LONGEST_NAME
        and text.isprintable()
        and text.strip() == text
    )
