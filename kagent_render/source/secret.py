"""Drops what a Secret holds: only its identity and the names of its keys stay."""

from __future__ import annotations

from typing import Any

_KEPT = ("apiVersion", "kind")
_VALUES = ("data", "stringData")


def holds_secret(value: Any) -> bool:
    """Whether a document is a Secret, or a list with one in it."""
    if not isinstance(value, dict):
        return False
    items = value.get("items")
    return value.get("kind") == "Secret" or (
        isinstance(items, list) and any(holds_secret(item) for item in items)
    )


def without_values(value: Any) -> Any:
    """The document less every Secret's values, annotations and whatever else it holds."""
    if not holds_secret(value):
        return value
    if value.get("kind") != "Secret":
        return {**value, "items": [without_values(item) for item in value["items"]]}
    metadata = value.get("metadata")
    kept = {name: value[name] for name in _KEPT if name in value}
    if isinstance(metadata, dict):
        kept["metadata"] = {name: metadata[name] for name in ("name", "namespace") if name in metadata}
    for name in _VALUES:
        if name in value:
            held = value[name]
            kept[name] = dict.fromkeys(held) if isinstance(held, dict) else None
    return kept
