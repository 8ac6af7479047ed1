"""Numbers of bytes for people."""

from __future__ import annotations

from typing import Final

_UNITS: Final = ("bytes", "KiB", "MiB", "GiB")


def size_text(size: int) -> str:
    """A number of bytes in the largest unit that it fills, such as `12.3 MiB`."""
    power = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    return f"{size / (1 << 10 * power):,.{min(power, 1)}f} {_UNITS[power]}"
