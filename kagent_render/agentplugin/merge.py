"""A stand-in: the operator's merge."""

from __future__ import annotations

from typing import Any


def merge(base: Any, extra: Any) -> Any:
    """Merge `extra` into `base`."""
    if isinstance(base, dict) and isinstance(extra, dict):
        return {**base, **{k: merge(base[k], v) if k in base else v for k, v in extra.items()}}
    if isinstance(base, list) and isinstance(extra, list):
        new: list[Any] = []
        for item in extra:
            if item not in base and item not in new:
                new.append(item)
        return base + new
    return extra
