"""Merges config as the operator does: mappings by key, lists by union, all else by replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping


def merge(base: Mapping[str, Any], *extras: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with each of `extras` merged into it in turn: a value that shares nothing with any of them.

    A list keeps its items and takes those that it lacks, in their order. Null, and a value of another type,
    replaces what is there.
    """
    merged = {key: _copy(value) for key, value in base.items()}
    lists = _Lists()
    for extra in extras:
        _merge_into(merged, extra, lists)
    return merged


def typed_key(value: Any) -> Hashable:
    """A stand-in that is equal for values that Go finds deeply equal: 1 and 1.0, but not 1 and true."""
    if isinstance(value, dict):
        return "mapping", frozenset((key, typed_key(entry)) for key, entry in value.items())
    if isinstance(value, list):
        return "list", tuple(typed_key(item) for item in value)
    return isinstance(value, bool), value


class _Lists:
    """Unites lists; what is in each is looked up once, however often it grows."""

    def __init__(self) -> None:
        # The list is kept beside its items, so that no other one is ever at its address.
        self._known: dict[int, tuple[list[Any], set[Hashable]]] = {}

    def unite(self, base: list[Any], extra: list[Any]) -> None:
        """Append to `base` those items of `extra` that it lacks."""
        if id(base) not in self._known:
            self._known[id(base)] = (base, {typed_key(item) for item in base})
        _, known = self._known[id(base)]
        for item in extra:
            if (key := typed_key(item)) not in known:
                known.add(key)
                base.append(_copy(item))


def _merge_into(base: dict[str, Any], extra: Mapping[str, Any], lists: _Lists) -> None:
    for key, value in extra.items():
        present = base.get(key)
        if isinstance(present, dict) and isinstance(value, dict):
            _merge_into(present, value, lists)
        elif isinstance(present, list) and isinstance(value, list):
            lists.unite(present, value)
        else:
            base[key] = _copy(value)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(entry) for key, entry in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value
