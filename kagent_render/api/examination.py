"""Finds everything that is wrong with one spec: fields, bounds, rules across fields, duplicates."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from kagent_render.api.findings import MOST, Finding, of_validation
from kagent_render.api.schema import LARGEST_INTEGER, ListMap, alternatives_text
from kagent_render.api.shape import Node, shape_of
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from kagent_render.api.schema import Block, Rule
    from kagent_render.diagnostics.diagnostic import FieldPath

SPEC: Final = ("spec",)


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that the block at `path` breaks; `empty` when it holds none of the rule's alternatives."""

    path: FieldPath
    rule: Rule
    empty: bool


def examine(model: type[Block], spec: Any) -> tuple[Block | None, list[Finding]]:
    """The typed form of a defaulted `spec`, None where something is wrong, and what is wrong.

    One fault gives one finding: what a check or rule says better is not said twice. A rule is silent where a
    field that it reads is `faulty`: the place of an error or on the way to one.
    """
    try:
        typed, raised = model.model_validate(spec), []
    except ValidationError as invalid:
        typed, raised = None, invalid.errors(include_url=False)
    errors = of_validation(model, raised, SPEC)
    faulty = {SPEC + error["loc"][:end] for error in raised for end in range(1, len(error["loc"]) + 1)}
    checked = list(itertools.islice(_walk(Node(block=model), spec, SPEC, faulty), MOST))
    return (None, _merged(errors, checked)) if checked else (typed, errors)


def _merged(errors: list[Finding], checked: list[Finding | Broken]) -> list[Finding]:
    """Both sorts of findings, less what would tell one fault twice.

    An unknown field of a block without any alternative is taken for one, and told by the rule.
    """
    said = {item.field for item in checked if isinstance(item, Finding)}
    empty = {item.path for item in checked if isinstance(item, Broken) and item.empty}
    unknown = [error.field for error in errors if error.reason is Reason.UNKNOWN_FIELD]
    misspelt = {field[:-1]: str(field[-1]) for field in unknown if field[:-1] in empty}
    said.update(field for field in unknown if field[:-1] in misspelt)
    return [error for error in errors if error.field not in said] + [
        item if isinstance(item, Finding) else _of_rule(item, misspelt.get(item.path)) for item in checked
    ]


def _of_rule(broken: Broken, misspelt: str | None) -> Finding:
    rule, hint = broken.rule, broken.rule.hint
    if broken.empty:
        instead = f" instead of `{misspelt}`" if misspelt else ""
        hint = f"set {alternatives_text(rule.alternatives)}{instead}"
    return Finding(broken.path + rule.field, Reason.INVALID_SPEC, rule.message, hint)


def _walk(node: Node, value: Any, path: FieldPath, faulty: Set[FieldPath]) -> Iterator[Finding | Broken]:
    if node.block is not None and isinstance(value, dict):
        yield from _walk_block(node.block, value, path, faulty)
    elif node.items is not None and isinstance(value, list):
        yield from _walk_list(node, node.items, value, path, faulty)
    elif node.values is not None and isinstance(value, dict):
        yield from _walk_map(node, node.values, value, path, faulty)
    elif node.checks and isinstance(value, str):
        yield from _checked(node, value, path)
    elif node.free:
        yield from _inexact(value, path)


def _walk_block(
    model: type[Block], value: dict[str, Any], path: FieldPath, faulty: Set[FieldPath]
) -> Iterator[Finding | Broken]:
    shape = shape_of(model)
    for key, node in shape.judged.items():
        if key in value:
            yield from _walk(node, value[key], (*path, key), faulty)
    if shape.rest is not None:
        for key in (key for key in value if key not in shape.fields):
            yield from _walk(shape.rest, value[key], (*path, key), faulty)
    for rule in model.rules:
        if faulty and any((*path, name) in faulty for name in rule.reads):
            continue
        if not rule.holds(value):
            chosen = [name for name in rule.alternatives if value.get(name) not in (None, "")]
            yield Broken(path, rule, empty=bool(rule.alternatives) and not chosen)


def _walk_list(
    node: Node, items: Node, value: list[Any], path: FieldPath, faulty: Set[FieldPath]
) -> Iterator[Finding | Broken]:
    if not items.bare:
        for index, item in enumerate(value):
            yield from _walk(items, item, (*path, index), faulty)
    if node.unique is not None:
        yield from _duplicates(node.unique.key if isinstance(node.unique, ListMap) else None, value, path)


def _walk_map(
    node: Node, values: Node, value: dict[str, Any], path: FieldPath, faulty: Set[FieldPath]
) -> Iterator[Finding | Broken]:
    for key, item in value.items():
        if node.keys is not None:
            yield from _checked(node.keys, key, (*path, key))
        yield from _walk(values, item, (*path, key), faulty)


def _checked(node: Node, value: str, path: FieldPath) -> Iterator[Finding]:
    for check in node.checks:
        if not check.holds(value):
            yield Finding(path, check.reason, check.message, check.hint, check.sensitive)
            return


def _duplicates(key: str | None, items: list[Any], path: FieldPath) -> Iterator[Finding]:
    seen = set()
    for index, item in enumerate(items):
        name = item.get(key) if key is not None and isinstance(item, dict) else item
        if not isinstance(name, str):
            continue
        if name in seen:
            field = (*path, index) if key is None else (*path, index, key)
            hint = "remove the repeated entry" if key is None else f"give each entry a `{key}` of its own"
            yield Finding(field, Reason.INVALID_SPEC, f"`{path[-1]}` must not hold one entry twice", hint)
        seen.add(name)


def _inexact(value: Any, path: FieldPath) -> Iterator[Finding]:
    """Integers in a free-form value that cannot be hashed exactly."""
    waiting: list[tuple[FieldPath, Any]] = [(path, value)]
    while waiting:
        place, item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(((*place, key), below) for key, below in item.items())
        elif isinstance(item, list):
            waiting.extend(((*place, index), below) for index, below in enumerate(item))
        elif isinstance(item, int) and not -LARGEST_INTEGER <= item <= LARGEST_INTEGER:
            message = "an integer beyond 2^53 cannot be kept exactly"
            yield Finding(place, Reason.INVALID_SPEC, message, "write the number as a string")
