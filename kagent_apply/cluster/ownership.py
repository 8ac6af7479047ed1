"""Which field manager owns which piece of a status (metadata.managedFields of server-side apply)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.cluster.status_pieces import FIELDS, LISTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_apply.cluster.status_pieces import Path

MANAGER: Final = "kagent-apply"
"""The field manager of all that is written here."""

EVERYTHING: Final[Path] = ()
"""The path of a status that somebody owns as a whole."""


@dataclass(frozen=True, slots=True)
class Owners:
    """The paths that are ours, and those of others with one of their names."""

    own: frozenset[Path] = frozenset()
    others: Mapping[Path, str] = field(default_factory=dict)

    def other(self, path: Path) -> str | None:
        """Who else owns a path; None where nobody does."""
        return self.others.get(EVERYTHING, self.others.get(path))


def read_owners(kind: str, managed: object) -> Owners:
    """The owners that an object's `managedFields` name; entries of another shape name none."""
    own: set[Path] = set()
    others: dict[Path, str] = {}
    for entry in managed if isinstance(managed, list) else ():
        if not isinstance(entry, dict) or not isinstance(entry.get("manager"), str):
            continue
        manager, fields = entry["manager"], entry.get("fieldsV1")
        paths = set(_paths(kind, fields))
        if manager == MANAGER and entry.get("operation") == "Apply":
            own |= paths
        else:
            others.update(dict.fromkeys(paths, manager[:128]))
    return Owners(frozenset(own), others)


def _paths(kind: str, fields: Any) -> Iterator[Path]:
    status = fields.get("f:status") if isinstance(fields, dict) else None
    if not isinstance(status, dict):
        return
    if not status:
        yield EVERYTHING
    for name in FIELDS[kind]:
        if f"f:{name}" in status:
            yield (name,)
    for name, key in LISTS[kind].items():
        items = status.get(f"f:{name}")
        for item in items if isinstance(items, dict) else ():
            if (value := _key(item, key)) is not None:
                yield name, value


def _key(item: str, key: str) -> str | None:
    """The value of a list item's key, which is written as `k:{"type":"Ready"}`."""
    if not item.startswith("k:"):
        return None
    try:
        found = json.loads(item[2:])
    except (ValueError, RecursionError):
        return None
    value = found.get(key) if isinstance(found, dict) else None
    return value if isinstance(value, str) else None
