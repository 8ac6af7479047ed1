"""The structure of an edge model as plain values, so that manifests can be walked without pydantic."""

from __future__ import annotations

import dataclasses
import functools
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_args, get_origin

from kagent_render.api.schema import (
    Block,
    Check,
    EmptyAsAbsent,
    ListMap,
    ListSet,
    OpenBlock,
    Refers,
    Refusal,
    Sensitive,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.diagnostics.diagnostic import FieldPath


@dataclass(frozen=True, slots=True)
class Node:
    """What may stand at one place: a block, a list of `items`, a map of `values`, or a plain value.

    A `plain` value has no structure that is known here; at a `bare` place pydantic alone can judge.
    """

    block: type[Block] | None = None
    items: Node | None = None
    values: Node | None = None
    keys: Node | None = None
    choices: tuple[str, ...] = ()
    unique: ListMap | ListSet | None = None
    checks: tuple[Check, ...] = ()
    refusal: Refusal | None = None
    empty: EmptyAsAbsent | None = None
    sensitive: bool = False
    refers: bool = False
    text: bool = False
    free: bool = False
    plain: bool = True
    bare: bool = True


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of a block by their names in a manifest, those that are not bare, and the defaults.

    `rest` is what may stand at any other field; None where there must be none.
    """

    fields: Mapping[str, Node]
    judged: Mapping[str, Node]
    defaults: Mapping[str, Any]
    rest: Node | None = None


_UNKNOWN: Final = Node(free=True, sensitive=True, bare=False)
"""A value of any kind, which may hold a credential as well."""


@functools.cache
def shape_of(model: type[Block]) -> Shape:
    """The shape of `model`."""
    fields = {}
    defaults = {}
    for name, info in model.model_fields.items():
        alias = info.alias or name
        fields[alias] = _node(info.annotation, info.metadata)
        if not info.is_required() and info.default is not None:
            defaults[alias] = info.default
    judged = {alias: node for alias, node in fields.items() if not node.bare}
    return Shape(fields, judged, defaults, _UNKNOWN if issubclass(model, OpenBlock) else None)


def node_at(model: type[Block], path: FieldPath) -> Node | None:
    """The place that `path` leads to from a `model`; None where the model knows no such place."""
    node: Node | None = Node(block=model)
    for step in path:
        if node is None:
            return None
        if node.block is not None:
            shape = shape_of(node.block)
            node = shape.fields.get(str(step), shape.rest)
        else:
            node = node.items if isinstance(step, int) else node.values
    return node


def _node(annotation: Any, metadata: list[Any]) -> Node:
    kind, notes = peel(annotation)
    notes = [*metadata, *notes]
    origin, arguments = get_origin(kind), get_args(kind)
    node = Node(
        block=kind if isinstance(kind, type) and issubclass(kind, Block) else None,
        items=_node(arguments[0], []) if origin is list else None,
        keys=_node(arguments[0], []) if origin is dict else None,
        values=_node(arguments[1], []) if origin is dict else None,
        choices=arguments if origin is Literal else (),
        unique=next((note for note in notes if isinstance(note, ListMap | ListSet)), None),
        checks=tuple(note for note in notes if isinstance(note, Check)),
        refusal=next((note for note in notes if isinstance(note, Refusal)), None),
        empty=next((note for note in notes if isinstance(note, EmptyAsAbsent)), None),
        sensitive=any(isinstance(note, Sensitive) for note in notes),
        refers=any(isinstance(note, Refers) for note in notes),
        text=any(isinstance(note, Text) for note in notes),
        free=kind is Any,
    )
    plain = node.block is None and node.items is None and node.values is None
    return dataclasses.replace(node, plain=plain, bare=_is_bare(node))


def _is_bare(node: Node) -> bool:
    if node.block is not None:
        shape = shape_of(node.block)
        return not node.block.rules and not shape.judged and shape.rest is None
    parts = [part for part in (node.items, node.keys, node.values) if part is not None]
    return not (node.checks or node.free or node.unique) and all(part.bare for part in parts)


def peel(annotation: Any) -> tuple[Any, list[Any]]:
    """The type inside `Annotated` and `| None`, with every note met on the way."""
    notes: list[Any] = []
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            notes.extend(annotation.__metadata__)
            annotation = annotation.__origin__
        elif origin in (Union, types.UnionType):
            annotation = next(arm for arm in get_args(annotation) if arm is not type(None))
        else:
            return annotation, notes
