"""Diagnostics for programs: one shape for JSON output, whatever the command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef, PairRef, SourcePosition


def to_document(diagnostic: Diagnostic) -> dict[str, Any]:
    """The JSON shape of DESIGN 14: every key always present, null when unknown."""
    return {
        "reason": diagnostic.reason.value,
        "condition": diagnostic.condition.value if diagnostic.condition else None,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "object": object_document(diagnostic.object),
        "field": diagnostic.field,
        "source": _source(diagnostic.source),
        "pair": _pair(diagnostic.pair),
    }


def object_document(ref: ObjectRef | None) -> dict[str, Any] | None:
    """An object's identity; null where there is none."""
    if ref is None:
        return None
    return {
        "apiVersion": ref.api_version,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "name": ref.name,
    }


def _source(source: SourcePosition | None) -> dict[str, Any] | None:
    if source is None:
        return None
    return {"path": source.path, "line": source.line, "column": source.column}


def _pair(pair: PairRef | None) -> dict[str, Any] | None:
    if pair is None:
        return None
    return {"namespace": pair.namespace, "harness": pair.harness, "template": pair.template}
