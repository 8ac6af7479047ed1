"""Where an exception passed through our own modules: its text may quote anything, and is never told."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import TracebackType

_OURS: Final = ("kagent_apply.", "kagent_render.")
_MOST: Final = 8


def own_places(trace: TracebackType | None) -> list[str]:
    """`module:line` of each of our own frames, the innermost first, and at most 8."""
    frames = ((frame.f_globals.get("__name__"), line) for frame, line in traceback.walk_tb(trace))
    found = [f"{name}:{line}" for name, line in frames if str(name).startswith(_OURS)]
    return found[::-1][:_MOST]
