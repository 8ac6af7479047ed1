"""The structure of an edge model as plain values, so that manifests can be walked without pydantic."""

from __future__ import annotations

import dataclasses
import functools
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from kagent_render.api.schema import Block, Check, ListMap, ListSet, Refers, Refusal, Sensitive

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
    sensitive: bool = False
    refers: bool = False
    free: bool = False
    plain: bool = True
    bare: bool = True


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of a block by their names in a manifest, those that are not bare, and the defaults."""

    fields: Mapping[str, Node]
    judged: Mapping[str, Node]
    defaults: Mapping[str, Any]


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
    return Shape(fields, {alias: node for alias, node in fields.items() if not node.bare}, defaults)


def node_at(model: type[Block], path: FieldPath) -> Node | None:
    """The place that `path` leads to from a `model`; None where the model knows no such place."""
    node: Node | None = Node(block=model)
    for step in path:
        if node is None:
            return None
        if node.block is not None:
            node = shape_of(node.block).fields.get(str(step))
        else:
            node = node.items if isinstance(step, int) else node.values
    return node


def _node(annotation: Any, metadata: list[Any]) -> Node:
    kind, notes = _peel(annotation)
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
        sensitive=any(isinstance(note, Sensitive) for note in notes),
        refers=any(isinstance(note, Refers) for note in notes),
        free=kind is Any,
    )
    plain = node.block is None and node.items is None and node.values is None
    return dataclasses.replace(node, plain=plain, bare=_is_bare(node))


def _is_bare(node: Node) -> bool:
    if node.block is not None:
        return not node.block.rules and not shape_of(node.block).judged
    parts = [part for part in (node.items, node.keys, node.values) if part is not None]
    return not (node.checks or node.free or node.unique) and all(part.bare for part in parts)


def _peel(annotation: Any) -> tuple[Any, list[Any]]:
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
