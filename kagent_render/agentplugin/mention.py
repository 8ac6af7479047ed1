"""Names out of a manifest as a message shows them: few, and none too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.diagnostic import field_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.diagnostics.diagnostic import FieldPath

_MOST: Final = 5
_LONGEST: Final = 100


def mention(names: Sequence[str]) -> str:
    """Names as literals: `` `a`, `b` and 3 more ``."""
    shown = [f"`{_shortened(name)}`" for name in names[:_MOST]]
    if len(names) > _MOST:
        return f"{', '.join(shown)} and {len(names) - _MOST:,} more"
    return enumerate_parts(shown)


def mention_paths(paths: Sequence[FieldPath]) -> str:
    """Keys within a config as literals, each with the keys that lead to it."""
    return mention([field_text(path) for path in paths[: _MOST + 1]] + [""] * (len(paths) - _MOST - 1))


def enumerate_parts(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
