"""JSON that means one thing only: UTF-8, no duplicate members, no constants beyond the standard."""

from __future__ import annotations

import json
from typing import Any, Final

_DEPTH: Final = 100


class JsonInvalid(Exception):  # noqa: N818  (names what is wrong, as every failure here does)
    """Text that is not of this kind; the message completes `FILE ...`."""


def read_json(data: bytes) -> Any:
    """The value of `data`, whose size the caller has bounded; raises JsonInvalid."""
    try:
        value = json.loads(data.decode(), object_pairs_hook=_distinct, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()  # refuses lone surrogates
    except (ValueError, RecursionError):
        raise JsonInvalid("is not JSON in UTF-8") from None
    if _is_deeper(value, _DEPTH):
        raise JsonInvalid(f"is nested more than {_DEPTH} deep")
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise JsonInvalid("has the same member twice in one object")
    return members


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _is_deeper(value: object, levels: int) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list) and (levels == 0 or any(_is_deeper(child, levels - 1) for child in value))
