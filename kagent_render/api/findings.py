"""What is wrong with a field, in our own words and without the value that was found there."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.identity import meant, unknown_hint
from kagent_render.api.schema import Reference, alternatives_text
from kagent_render.api.shape import Node, node_at, shape_of
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Collection

    from pydantic_core import ErrorDetails

    from kagent_render.api.schema import Block, Refusal
    from kagent_render.diagnostics.diagnostic import FieldPath

MOST: Final = 100
"""The most findings that one object gives."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one object, before it is given its place in a file."""

    field: FieldPath
    reason: Reason
    message: str
    hint: str
    sensitive: bool = False


_WANTED: Final = {
    "string_type": ("a string", "write one string"),
    "int_type": ("an integer", "write a whole number without quotes"),
    "bool_type": ("a boolean", "write `true` or `false` without quotes"),
    "list_type": ("a list", "begin each entry with `-`"),
    "dict_type": ("an object", "write one `name: value` line per entry"),
    "model_type": ("an object", "write one `name: value` line per field"),
}
_GIVEN: Final = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}
_REFUSED: Final = frozenset(
    {
        *("string_pattern_mismatch", "string_too_short", "greater_than_equal", "less_than_equal"),
        "value_error",
    }
)


def of_validation(model: type[Block], errors: list[ErrorDetails], root: FieldPath) -> list[Finding]:
    """The first findings of a failed validation of `model`, whose own place is `root`."""
    unknown = [error["loc"] for error in errors if error["type"] == "extra_forbidden"]
    misspelt = {_meant(model, path) for path in unknown[:MOST]}
    told = (error for error in errors if error["type"] != "missing" or error["loc"] not in misspelt)
    return [_of_error(model, error, root) for error in itertools.islice(told, MOST)]


def _meant(model: type[Block], path: FieldPath) -> FieldPath:
    """The known field that the unknown one at `path` stands for; the unknown one if it is like none."""
    key = str(path[-1])
    return (*path[:-1], meant(key, _known(model, path)) or key)


def _known(model: type[Block], path: FieldPath) -> Collection[str]:
    """The fields that the block around `path` knows."""
    parent = node_at(model, path[:-1])
    return shape_of(parent.block).fields if parent is not None and parent.block is not None else ()


def _of_error(model: type[Block], error: ErrorDetails, root: FieldPath) -> Finding:
    path = error["loc"]
    field = root + path
    node = node_at(model, path)
    if error["type"] == "extra_forbidden":
        return _unknown(field, node_at(model, path[:-1]), _known(model, path))
    if node is not None and node.refers and _names_namespace(error["input"]):
        return _cross_namespace((*field, "namespace"))
    if error["type"] in _WANTED:
        return _wrong_type(field, error, node)
    if node is not None and node.refusal is not None and _is_refused(error["type"], node.refusal):
        return Finding(field, node.refusal.reason, node.refusal.message, node.refusal.hint)
    return _out_of_bounds(field, error, node)


def _is_refused(error: str, refusal: Refusal) -> bool:
    """Whether `refusal` says it best; of a missing field only what is worse than its absence."""
    return error in _REFUSED or (error == "missing" and refusal.reason is not Reason.INVALID_SPEC)


def _unknown(field: FieldPath, parent: Node | None, known: Collection[str]) -> Finding:
    key = str(field[-1])
    block = parent.block if parent is not None else None
    if key == "namespace" and block is not None and issubclass(block, Reference):
        return _cross_namespace(field)
    return Finding(field, Reason.UNKNOWN_FIELD, f"unknown field `{key}`", unknown_hint(key, known))


def _cross_namespace(field: FieldPath) -> Finding:
    message = "a reference must stay in the object's own namespace"
    return Finding(field, Reason.CROSS_NAMESPACE_REFERENCE, message, "remove `namespace`")


def _wrong_type(field: FieldPath, error: ErrorDetails, node: Node | None) -> Finding:
    wanted, hint = _WANTED[error["type"]]
    given = error["input"]
    if wanted == "a string" and isinstance(given, bool | int | float):
        hint = "write the value in quotes"
    elif node is not None and node.text:
        hint = f"write `{field[-1]}: |` and indent the lines below it"
    elif node is not None and node.block is not None and issubclass(node.block, Reference):
        hint = "write an object with `name`"
    message = f"{_subject(field)} must be {wanted}, not {_GIVEN.get(type(given), 'another value')}"
    return Finding(field, Reason.INVALID_SPEC, message, hint)


def _out_of_bounds(field: FieldPath, error: ErrorDetails, node: Node | None) -> Finding:
    context: dict[str, Any] = error.get("ctx", {})
    subject = _subject(field)
    message, hint = f"{subject} is not valid", f"write a value that {subject} can have"
    match error["type"]:
        case "missing":
            message, hint = f"{subject} is required", f"set {subject}"
        case "literal_error":
            listed = alternatives_text(node.choices) if node is not None else "a known value"
            message, hint = f"{subject} must be {listed}", f"write {listed}"
        case "string_too_short":
            message, hint = f"{subject} must not be empty", f"set {subject}"
        case "string_too_long":
            message = f"{subject} must have at most {context['max_length']} characters"
            hint = "shorten the value"
        case "too_short":
            message, hint = f"{subject} must not be empty", "add an entry"
        case "too_long":
            message = f"{subject} must have at most {context['max_length']} entries"
            hint = "remove entries"
        case "greater_than_equal":
            message, hint = f"{subject} must be at least {context['ge']}", "write a larger number"
        case "less_than_equal":
            message, hint = f"{subject} must be at most {context['le']}", "write a smaller number"
    return Finding(field, Reason.INVALID_SPEC, message, hint)


def _subject(field: FieldPath) -> str:
    last = field[-1]
    if isinstance(last, str):
        return f"`{last}`"
    return f"an entry of `{next(step for step in reversed(field) if isinstance(step, str))}`"


def _names_namespace(value: object) -> bool:
    return isinstance(value, dict) and "namespace" in value
