"""The structural schema of an edge model: what an API server enforces (apiextensions.k8s.io/v1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.model_schema import Schema, below, model_schema
from kagent_render.api.schema import Check, Rule

if TYPE_CHECKING:
    from kagent_render.api.schema import Block


def structural_schema(model: type[Block]) -> Schema:
    """The schema of a block, its rules in CEL; a rule that has no CEL and no keywords is left out."""
    return _structural(model_schema(model))


def _structural(schema: Schema) -> Schema:
    found = below(schema, _structural)
    found.pop("propertyNames", None)
    rules: list[Rule | Check] = found.pop("rules", [])
    for rule in rules:
        if rule.cel is None:
            found.update(rule.schema)
    said = [_in_cel(rule) for rule in rules if rule.cel is not None]
    return {**found, "x-kubernetes-validations": said} if said else found


def _in_cel(rule: Rule | Check) -> Schema:
    """The rule as an API server has it; it reports what is wrong at the field that we report it at."""
    said: Schema = {"message": rule.message, "rule": rule.cel}
    if isinstance(rule, Rule) and rule.field:
        return {"fieldPath": "".join(f".{step}" for step in rule.field), **said}
    return said
