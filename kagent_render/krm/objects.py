"""Which items are input, and how ActorTemplates take their places among the items."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from kagent_render.krm.annotations import (
    is_orchestrator,
    orchestrator_annotations,
    placed_at,
    with_annotations,
    without_orchestrator_annotations,
)
from kagent_render.krm.resource_list import Item, dump, item_of, without_entries
from kagent_render.source.config import CONFIG_KIND
from kagent_render.source.objects import OWN_KINDS, SUPPORTING_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

ROOT_KIND: Final = "KagentRender"
"""The kind of a functionConfig that names a committed root."""

_OWN_GROUPS: Final = frozenset(group for group, _ in OWN_KINDS)


def input_files(items: Sequence[Item]) -> dict[str, Item]:
    """The items that may be input, by the path of a file that each is alone in."""
    return {
        f"items/{number:06}.yaml": item for number, item in enumerate(items, 1) if _may_be_input(item.value)
    }


def has_own_kinds(items: Iterable[Item]) -> bool:
    """Whether anything is among the items that a pair or a PlatformAgent could come from.

    The configuration of a function is not; kustomize gives it to a generator as its only item.
    """
    return any(_holds_own(item.value) for item in items)


def file_of(item: Item) -> bytes:
    """An item as the file that it came from holds it, without its orchestrator's annotations."""
    return dump(without_entries(item.node, ("metadata", "annotations"), is_orchestrator))


def with_objects(items: Sequence[Item], objects: Mapping[str, Any]) -> list[Item]:
    """The items in their order; the `objects`, by path, in the places of their predecessors or at the end.

    One that was among the items keeps what its orchestrator noted.
    """
    fresh = {_identity(value): (path, value) for path, value in objects.items()}
    result = []
    for item in items:
        _, value = fresh.pop(_identity(item.value), ("", None))
        result.append(_replaced(item, value) if value is not None else item)
    return [*result, *(item_of(with_annotations(value, placed_at(path))) for path, value in fresh.values())]


def doubled_objects(items: Sequence[Item], objects: Iterable[Any]) -> list[Any]:
    """Those objects that would be twice among the items: two items are one, or one is in a List."""
    alone = Counter(_identity(item.value) for item in items)
    listed = {_identity(value) for item in items for value in _listed(item.value)}
    return [value for value in objects if alone[_identity(value)] > 1 or _identity(value) in listed]


def _listed(value: object) -> Iterator[Any]:
    """What is in a List, and in the Lists in that."""
    found = value.get("items") if isinstance(value, dict) and _identity(value)[1].endswith("List") else None
    for item in found if isinstance(found, list) else ():
        yield item
        yield from _listed(item)


def _replaced(item: Item, value: dict[str, Any]) -> Item:
    """The object in place of an item; the item itself where it says the same."""
    if without_orchestrator_annotations(item.value) == value:
        return item
    return item_of(with_annotations(value, orchestrator_annotations(item.value)))


def _holds_own(value: object) -> bool:
    """Whether an object is ours, or a List with one that is."""
    return any(_is_own(*_identity(found)[:2]) for found in (value, *_listed(value)))


def _is_own(group: str, kind: str) -> bool:
    return group in _OWN_GROUPS and kind not in (CONFIG_KIND, ROOT_KIND)


def _may_be_input(value: object) -> bool:
    group, kind, *_ = _identity(value)
    return _is_own(group, kind) or (group, kind) in SUPPORTING_KINDS or kind.endswith("List")


def _identity(value: object) -> tuple[str, str, str, str]:
    """Group, kind, namespace and name; empty where they are absent or not text."""
    value = value if isinstance(value, dict) else {}
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    texts = (
        text if isinstance(text, str) else ""
        for text in (
            value.get("apiVersion"),
            value.get("kind"),
            metadata.get("namespace"),
            metadata.get("name"),
        )
    )
    version, kind, namespace, name = texts
    return version.rpartition("/")[0], kind, namespace, name
