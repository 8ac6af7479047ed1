"""The schema of an edge model in the words that Kubernetes and JSON Schema share, with the rules beside it.

`rules` holds the Rules and Checks themselves, and `propertyNames` what the keys of a map must be. What makes
a structural schema of this, or one for editors, says them in its own way.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from kagent_render.api.documentation import block_help, field_help
from kagent_render.api.schema import (
    Block,
    Check,
    Format,
    IntOrString,
    ListAtomic,
    ListMap,
    ListSet,
    OpenBlock,
)
from kagent_render.api.shape import peel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Schema = dict[str, Any]

PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
"""The keyword of a value, or of a part of one, whose structure is not known."""

_TYPES: Final = {str: "string", int: "integer", bool: "boolean"}
_SIZES: Final = {
    "string": {"min_length": "minLength", "max_length": "maxLength"},
    "array": {"min_length": "minItems", "max_length": "maxItems"},
    "object": {"min_length": "minProperties", "max_length": "maxProperties"},
}
_LIMITS: Final = {"ge": "minimum", "le": "maximum", "pattern": "pattern"}
_BELOW: Final = ("items", "additionalProperties", "propertyNames")


def model_schema(model: type[Block]) -> Schema:
    """The schema of a block with its fields, defaults and rules."""
    texts = field_help(model)
    fields = {info.alias or name: (info, texts.get(name)) for name, info in model.model_fields.items()}
    required = sorted(alias for alias, (info, _) in fields.items() if info.is_required())
    properties = {alias: _field_schema(*fields[alias]) for alias in sorted(fields)}
    return {
        "description": block_help(model),
        "type": "object",
        **({"properties": properties} if properties else {}),
        **({"required": required} if required else {}),
        **({PRESERVE: True} if issubclass(model, OpenBlock) else {}),
        **({"x-kubernetes-map-type": "atomic"} if model.atomic else {}),
        "rules": [*model.rules],
    }


def below(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """A copy of `schema` with each schema directly below it changed."""
    changed = {key: change(value) if key in _BELOW else value for key, value in schema.items()}
    if "properties" in schema:
        changed["properties"] = {name: change(value) for name, value in schema["properties"].items()}
    return changed


def _field_schema(info: FieldInfo, text: str | None) -> Schema:
    kind, notes = peel(info.annotation)
    schema = _value_schema(kind, [*info.metadata, *notes])
    if text:
        schema = {
            "description": text,
            **{key: value for key, value in schema.items() if key != "description"},
        }
    if not info.is_required() and info.default is not None:
        schema["default"] = copy.deepcopy(info.default)
    return schema


def _value_schema(kind: Any, notes: list[Any]) -> Schema:
    notes = list(_flat(notes))
    schema = _type_schema(kind, notes)
    for note in notes:
        schema.update(_bounds(schema.get("type", ""), note))
    checks = [note for note in notes if isinstance(note, Check)]
    return {**schema, "rules": [*schema.get("rules", ()), *checks]}


def _flat(notes: list[Any]) -> Iterator[Any]:
    """The notes, those that `Field` holds beside the others."""
    for note in notes:
        yield from note.metadata if isinstance(note, FieldInfo) else (note,)


def _type_schema(kind: Any, notes: list[Any]) -> Schema:
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Block):
        return model_schema(kind)
    if origin is list:
        return {"type": "array", "items": _value_schema(*peel(arguments[0])), **_list_type(notes)}
    if origin is dict:
        return _map_schema(_value_schema(*peel(arguments[0])), _value_schema(*peel(arguments[1])))
    if origin is Literal:
        return {"type": "string", "enum": [*arguments]}
    if kind is not Any:
        form = next((note.name for note in notes if isinstance(note, Format)), None)
        return {"type": _TYPES[kind], **({"format": form} if form else {})}
    either = next((note for note in notes if isinstance(note, IntOrString)), None)
    return {PRESERVE: True} if either is None else _int_or_string(either.pattern)


def _map_schema(keys: Schema, values: Schema) -> Schema:
    if PRESERVE in values:
        return {"type": "object", PRESERVE: True}
    named = {"propertyNames": keys} if keys != _value_schema(str, []) else {}
    return {"type": "object", "additionalProperties": values, **named}


def _int_or_string(pattern: str) -> Schema:
    return {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": pattern,
        "x-kubernetes-int-or-string": True,
    }


def _list_type(notes: list[Any]) -> Schema:
    for note in notes:
        match note:
            case ListMap(key):
                return {"x-kubernetes-list-map-keys": [key], "x-kubernetes-list-type": "map"}
            case ListSet():
                return {"x-kubernetes-list-type": "set"}
            case ListAtomic():
                return {"x-kubernetes-list-type": "atomic"}
    return {}


def _bounds(kind: str, note: Any) -> Schema:
    """The keywords of one constraint, of pydantic's own or of annotated_types."""
    names = {**_SIZES.get(kind, {}), **_LIMITS}
    found = {keyword: getattr(note, name, None) for name, keyword in names.items()}
    return {keyword: value for keyword, value in found.items() if value is not None}
