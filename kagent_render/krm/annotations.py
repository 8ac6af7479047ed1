"""What an orchestrator notes on items for itself: where each came from. No function may depend on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_INTERNAL: Final = "internal.config.kubernetes.io/"
_LEGACY: Final = (
    *(f"config.kubernetes.io/{name}" for name in ("path", "index", "id", "package")),
    "config.k8s.io/id",
    "kustomize.config.k8s.io/id",
)
_PATHS: Final = (f"{_INTERNAL}path", "config.kubernetes.io/path")
_INDEXES: Final = (f"{_INTERNAL}index", "config.kubernetes.io/index")


def is_orchestrator(name: str) -> bool:
    """Whether an annotation is an orchestrator's own, today's or the legacy spelling of it."""
    return name.startswith(_INTERNAL) or name in _LEGACY


def annotations_of(value: object) -> dict[str, str]:
    """The annotations of an object, those that are text."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    found = metadata.get("annotations") if isinstance(metadata, dict) else None
    found = found if isinstance(found, dict) else {}
    return {name: text for name, text in found.items() if isinstance(name, str) and isinstance(text, str)}


def orchestrator_annotations(value: object) -> dict[str, str]:
    """Those annotations of an object that are its orchestrator's."""
    return {name: text for name, text in annotations_of(value).items() if is_orchestrator(name)}


def without_orchestrator_annotations(value: dict[str, Any]) -> dict[str, Any]:
    """An object as it is in its file."""
    kept = {name: text for name, text in annotations_of(value).items() if not is_orchestrator(name)}
    if kept == annotations_of(value):
        return value
    metadata = {name: part for name, part in value["metadata"].items() if name != "annotations"}
    return {**value, "metadata": metadata | ({"annotations": kept} if kept else {})}


def with_annotations(value: Mapping[str, Any], more: Mapping[str, str]) -> dict[str, Any]:
    """An object with more annotations."""
    metadata = {**value["metadata"], "annotations": {**annotations_of(value), **more}}
    return {**value, "metadata": metadata}


def placed_at(path: str) -> dict[str, str]:
    """The annotations of a new object that is the only one in its file."""
    return {**dict.fromkeys(_PATHS, path), **dict.fromkeys(_INDEXES, "0")}


def place_of(value: object) -> tuple[str, int | None] | None:
    """The file that an object came from, and its index in it; None where the orchestrator did not say."""
    found = annotations_of(value)
    path = next((found[name] for name in _PATHS if isinstance(found.get(name), str)), None)
    if path is None:
        return None
    index = next((found[name] for name in _INDEXES if name in found), None)
    return path, int(index) if isinstance(index, str) and index.isdecimal() and len(index) < 10 else None
