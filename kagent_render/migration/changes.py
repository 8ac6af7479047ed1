"""What changes of one object: as data, and as edits of the text in which it is written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kagent_render.migration.edits import Edit
from kagent_render.migration.insertion import NoPlaceError, add_entries, step_of
from kagent_render.migration.nodes import entry_of, node_at
from kagent_render.migration.removal import remove_entry
from kagent_render.migration.writing import is_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.migration.nodes import Node


@dataclass(frozen=True, slots=True)
class SetText:
    """The scalar at `path` becomes `text`, in the quotes that it has."""

    path: FieldPath
    text: str


@dataclass(frozen=True, slots=True)
class RenameKey:
    """The key at the end of `path` becomes `name`."""

    path: FieldPath
    name: str


@dataclass(frozen=True, slots=True)
class RemoveKey:
    """The entry at `path` goes, with its own comments."""

    path: FieldPath


@dataclass(frozen=True, slots=True)
class AddKeys:
    """The mapping at `path`, which may be empty or null, gets `values` behind its entry `after`."""

    path: FieldPath
    after: str
    values: Mapping[str, Any]


Change = SetText | RenameKey | RemoveKey | AddKeys


def changed_value(value: Any, change: Change) -> Any:
    """An object's data with one change made; nothing of `value` itself is changed."""
    path = change.path
    match change:
        case SetText(text=text):
            return _with(value, path, lambda _: text)
        case RenameKey(name=name):
            old = path[-1]
            return _with(value, path[:-1], lambda mapping: _renamed(mapping, old, name))
        case RemoveKey():
            gone = path[-1]
            return _with(value, path[:-1], lambda mapping: {k: v for k, v in mapping.items() if k != gone})
        case AddKeys(values=values):
            return _with(value, path, lambda mapping: {**(mapping or {}), **values})


def value_at(value: Any, path: FieldPath) -> Any:
    """What data hold at a path that is there."""
    for step in path:
        value = value[step]
    return value


def edits_of(
    text: str, root: Node, change: Change, prefix: FieldPath, *, spelled_out: bool = False
) -> list[Edit]:
    """The edits that make one change; raises NoPlaceError where the text has no place for it.

    A text that is written as an alias changes at its anchor, or where `spelled_out`, in place of the alias.
    """
    path, own = prefix + change.path, _present(root, prefix)
    as_json = own.flow and is_json(own)
    match change:
        case SetText(text=new):
            node = node_at(root, path)
            node = node if spelled_out and node is not None else _present(root, path)
            return [_replaced(node, new, as_json=as_json)]
        case RenameKey(name=new):
            return [_replaced(_entry(root, path)[1].key.meant, new, as_json=as_json)]
        case RemoveKey():
            return remove_entry(text, *_entry(root, path))
        case AddKeys(after=after, values=values):
            step = None if as_json else step_of(text, own)
            return [add_entries(text, _present(root, path), after, values, step)]


def _with(value: Any, path: FieldPath, change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        return [_with(item, rest, change) if at == step else item for at, item in enumerate(value)]
    return {key: _with(item, rest, change) if key == step else item for key, item in value.items()}


def _renamed(mapping: Mapping[str, Any], old: object, new: str) -> dict[str, Any]:
    return {new if key == old else key: value for key, value in mapping.items()}


def _present(root: Node, path: FieldPath) -> Node:
    node = node_at(root, path)
    if node is None:
        raise NoPlaceError
    return node.meant


def _entry(root: Node, path: FieldPath) -> tuple[Node, Any]:
    found = entry_of(_present(root, path[:-1]), str(path[-1]))
    if found is None:
        raise NoPlaceError
    return found


def _replaced(node: Node, text: str, *, as_json: bool) -> Edit:
    if as_json and node.style != '"':
        return Edit(node.start, node.end, json.dumps(text))
    if node.start == node.end:
        return Edit(node.start, node.end, f" {text}")
    if node.style in ("|", ">") and node.text:
        return Edit(node.end - len(node.text), node.end, text)  # a comment may stand behind the indicator
    quoted = node.style in ('"', "'")
    return Edit(node.start + quoted, node.end - quoted, text)
