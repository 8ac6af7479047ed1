"""A status as pieces, each of which has one owner: a field, a condition by its type, a pair by its Harness.

Server-side apply tells owners apart just so: lists of conditions and of Harnesses are maps by these keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

Path = tuple[str, ...]
"""A field by its name, or an item of a list by the list's name and the item's key."""

Pieces = dict[Path, Any]
"""What is at each path."""

LISTS: Final[Mapping[str, Mapping[str, str]]] = {
    "Harness": {"conditions": "type"},
    "AgentTemplate": {"harnesses": "harness"},
}
"""By kind, the lists of its status and the keys of their items (facts 1.1, 1.2)."""

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "Harness": ("observedGeneration", "capabilities"),
    "AgentTemplate": ("observedGeneration",),
}
"""By kind, the other fields of its status."""


def status_pieces(kind: str, status: object) -> Pieces:
    """The pieces of a live status; what has another shape is left out."""
    if not isinstance(status, dict):
        return {}
    pieces: Pieces = {(name,): status[name] for name in FIELDS[kind] if name in status}
    for name, key in LISTS[kind].items():
        items = status.get(name)
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict) and isinstance(item.get(key), str):
                pieces[name, item[key]] = item
    return pieces


def joined(pieces: Pieces) -> dict[str, Any]:
    """The status that consists of pieces, its lists in the order of their keys."""
    status: dict[str, Any] = {path[0]: value for path, value in pieces.items() if len(path) == 1}
    for path in sorted(path for path in pieces if len(path) > 1):
        status.setdefault(path[0], []).append(pieces[path])
    return status
