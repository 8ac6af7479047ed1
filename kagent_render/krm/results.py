"""Diagnostics as results of the KRM functions specification."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

from kagent_render.diagnostics.text import printable
from kagent_render.krm.annotations import place_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef
    from kagent_render.krm.resource_list import Item

Result = dict[str, Any]
_PLACE: Final = re.compile(r"(?P<path>items/(?P<number>\d{6,})\.yaml)(?::\d+)*")
"""A file that an item is alone in; its lines are those of no file that anybody has."""


def result_of(found: Diagnostic, items: Mapping[str, Item], root: str = "") -> Result:
    """One result, without the fields that it has nothing for.

    `items` are the input by the path that diagnostics give it; other paths start at `root`.
    """
    item = items.get(found.source.path) if found.source is not None else None
    result: Result = {
        "message": printable(_PLACE.sub(lambda place: _named(place, items), found.message)),
        "severity": found.severity.value,
        "resourceRef": _reference(found.object),
        "field": {"path": found.field} if found.field else None,
        "file": _file(found, item, root),
        "tags": {
            name: printable(str(text))
            for name, text in (
                ("reason", found.reason.value),
                ("condition", found.condition.value if found.condition else None),
                ("pair", found.pair),
                ("hint", found.hint),
            )
            if text is not None
        },
    }
    return {name: part for name, part in result.items() if part}


def failure(message: str, hint: str | None = None) -> Result:
    """The result of a function that could not begin."""
    tags = {"tags": {"hint": printable(hint)}} if hint else {}
    return {"message": printable(message), "severity": "error", **tags}


def _named(place: re.Match[str], items: Mapping[str, Item]) -> str:
    """A place in the input as people know it: the file that an item came from, or its number."""
    item = items.get(place["path"])
    if item is None:
        return place[0]
    known = place_of(item.value)
    return known[0] if known is not None else f"item {int(place['number'])}"


def _reference(ref: ObjectRef | None) -> dict[str, str] | None:
    if ref is None:
        return None
    parts = {
        "apiVersion": ref.api_version,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "name": ref.name,
    }
    return {name: printable(part) for name, part in parts.items() if part}


def _file(found: Diagnostic, item: Item | None, root: str) -> dict[str, Any] | None:
    """The file that the orchestrator read an item from, or the file of a root on disk."""
    if item is not None:
        place = place_of(item.value)
        if place is None:
            return None
        path, index = place
        return {"path": printable(path)} | ({"index": index} if index is not None else {})
    return (
        {"path": printable(posixpath.normpath(posixpath.join(root, found.source.path)))}
        if found.source is not None
        else None
    )
