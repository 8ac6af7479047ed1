"""What an API server does to an object before it validates it: drop nulls, then fill in defaults."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from kagent_render.api.shape import Node, shape_of

if TYPE_CHECKING:
    from kagent_render.api.schema import Block


def defaulted(model: type[Block], value: Any) -> Any:
    """A copy of `value` as an API server with the schema of `model` would store it.

    Explicit nulls of known fields count as absent; those in lists, unknown fields and free-form values
    stay. Values of a wrong type are left as they are, for validation to find.
    """
    if not isinstance(value, dict):
        return value
    shape = shape_of(model)
    filled = {}
    for key, item in value.items():
        node = shape.fields.get(key)
        if node is None:
            filled[key] = item
        elif item is not None:
            filled[key] = item if node.plain else _filled(node, item)
    for key, default in shape.defaults.items():
        if key not in filled:
            filled[key] = copy.deepcopy(default)
    return filled


def _filled(node: Node, value: Any) -> Any:
    if node.block is not None:
        return defaulted(node.block, value)
    if node.items is not None and isinstance(value, list):
        return list(value) if node.items.plain else [_filled(node.items, item) for item in value]
    if node.values is not None and isinstance(value, dict):
        values = node.values
        return {key: _filled(values, item) for key, item in value.items() if item is not None}
    return value
