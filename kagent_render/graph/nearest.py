"""The existing name that a mistyped one was most likely meant to be."""

from __future__ import annotations

from bisect import bisect_left
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST = 253
"""Characters of a Kubernetes name; comparing longer text costs its square."""

_NEIGHBOURS = 20
"""Names looked at on either side, so that a hint costs the same however many objects there are."""


def nearest_name(name: str, names: Sequence[str]) -> str | None:
    """The one of the sorted `names` around `name` that resembles it most; None when none does."""
    if len(name) > _LONGEST:
        return None
    at = bisect_left(names, name)
    around = names[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS]
    close = get_close_matches(name, [other for other in around if len(other) <= _LONGEST], n=1)
    return close[0] if close else None
