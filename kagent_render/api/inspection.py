"""One object of our own kinds: its defaulted spec, its typed form, and diagnostics with their places."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

from kagent_render.api.credential_literals import credential_literals, holds_credential
from kagent_render.api.defaulting import defaulted
from kagent_render.api.examination import SPEC, examine
from kagent_render.api.findings import MOST
from kagent_render.api.leniency import without_empty
from kagent_render.api.shape import Node, node_at, shape_of
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.findings import Finding
    from kagent_render.api.schema import Block
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath
    from kagent_render.source.document import Document


def inspect(
    document: Document, model: type[Block]
) -> tuple[Mapping[str, Any], Block | None, list[Diagnostic]]:
    """The spec after pruning and defaulting, its typed form unless it is invalid, and what is to be told."""
    written = document.value.get("spec")
    if not isinstance(written, dict):
        return {}, None, [_without_spec(document, written)]
    spec, forgiven = without_empty(model, defaulted(model, written))
    typed, findings = examine(model, spec)
    told = [_diagnostic(document, model, spec, finding) for finding in [*forgiven, *findings]]
    told.extend(itertools.islice(credential_literals(document, spec), MOST))
    return spec, typed, _guarded(document, model, spec, told) if told else told


def sensitive_places(document: Document, model: type[Block]) -> Iterator[FieldPath]:
    """The fields of an object that hold literals which nothing may show."""
    written = document.value.get("spec")
    for place in _literals(Node(block=model), written, ()):
        yield SPEC + place


def _without_spec(document: Document, written: object) -> Diagnostic:
    message = "`spec` is required" if written is None else "`spec` must be an object"
    return document.fault(Reason.INVALID_SPEC, SPEC, message, hint="write the object's settings under `spec`")


def _diagnostic(document: Document, model: type[Block], spec: Any, finding: Finding) -> Diagnostic:
    below = finding.field[len(SPEC) :]
    sensitive = finding.sensitive or any(
        node is not None and node.sensitive
        for node in (node_at(model, below[:length]) for length in range(1, len(below) + 1))
    )
    if finding.reason is Reason.UNKNOWN_FIELD:
        sensitive = sensitive or holds_credential(str(below[-1]), _value_at(spec, below))
    return document.fault(
        finding.reason, finding.field, finding.message, hint=finding.hint, sensitive=sensitive
    )


def _guarded(document: Document, model: type[Block], spec: Any, told: list[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics, sensitive wherever their source line also holds a literal that may be a credential."""
    guarded = {document.position(SPEC + place).line for place in _literals(Node(block=model), spec, ())}
    guarded |= {item.source.line for item in told if item.sensitive and item.source}
    return [
        dataclasses.replace(item, sensitive=True) if item.source and item.source.line in guarded else item
        for item in told
    ]


def _literals(node: Node, value: Any, path: FieldPath, *, sensitive: bool = False) -> Iterator[FieldPath]:
    """The places of strings at or below the sensitive fields of `value`."""
    sensitive = sensitive or node.sensitive
    if isinstance(value, str):
        if sensitive:
            yield path
    elif node.block is not None and isinstance(value, dict):
        shape = shape_of(node.block)
        for key, item in value.items():
            below = shape.fields.get(key, shape.rest or Node())
            yield from _literals(below, item, (*path, key), sensitive=sensitive)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _literals(node.values or Node(), item, (*path, key), sensitive=sensitive)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _literals(node.items or Node(), item, (*path, index), sensitive=sensitive)


def _value_at(value: Any, path: FieldPath) -> Any:
    for step in path:
        value = value[step]
    return value
