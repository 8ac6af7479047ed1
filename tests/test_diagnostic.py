"""The diagnostic value: field paths, identity, order."""

from __future__ import annotations

import pytest

from kagent_render.diagnostics.diagnostic import (
    Diagnostic,
    FieldPath,
    ObjectRef,
    PairRef,
    SourcePosition,
    distinct,
    field_text,
)
from kagent_render.diagnostics.reasons import Condition, Reason

TEMPLATE = ObjectRef("kagent.dev/v1alpha2", "AgentTemplate", "team", "a")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec", "tools", 1, "agent", "templateRef", "name"), "spec.tools[1].agent.templateRef.name"),
        (("metadata", "labels", "example.com/runtime"), "metadata.labels[example.com/runtime]"),
    ],
)
def test_field_paths_are_written_as_kubernetes_writes_them(path: FieldPath, text: str) -> None:
    assert field_text(path) == text


def test_one_fault_is_one_diagnostic_per_reason_object_and_field() -> None:
    place = SourcePosition("a.yaml", 3, 1)
    fault = Diagnostic(Reason.NOT_ADMITTED, "m", object=TEMPLATE, field="metadata.labels", source=place)
    again = fault.of(PairRef("team", "h", "b"))
    other = Diagnostic(Reason.NOT_INCLUDED, "m", object=TEMPLATE, field="metadata.labels", source=place)
    assert distinct([fault, again, other]) == [fault, other]


def test_a_reason_knows_its_condition() -> None:
    assert Reason.YAML_INVALID.condition is None
    assert Reason.NOT_ADMITTED.condition is Condition.ACCEPTED
    assert Reason.CYCLE_DETECTED.condition is Condition.RESOLVED_REFS
    assert Reason.VOLUME_REQUIRED.condition is Condition.COMPATIBLE
    assert Reason.LOCK_STALE.condition is Condition.PREPARED
