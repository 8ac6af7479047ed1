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


def lacking(message: str, harness: str, template: str = "a") -> Diagnostic:
    place = SourcePosition("a.yaml", 3, 1)
    fault = Diagnostic(Reason.CAPABILITY_UNSUPPORTED, message, object=TEMPLATE, field="spec", source=place)
    return fault.of(PairRef("team", harness, template))


def test_what_a_runtime_lacks_is_told_for_each_harness_unless_the_words_are_the_same() -> None:
    first, other = lacking("one record denies it", "h"), lacking("another record denies it", "i")
    more = [lacking("one record denies it and more", "h", "b"), lacking("one record denies it", "j")]
    assert distinct([first, other, *more]) == [first, other]


def test_a_reason_knows_its_condition() -> None:
    assert Reason.YAML_INVALID.condition is None
    assert Reason.NOT_ADMITTED.condition is Condition.ACCEPTED
    assert Reason.CYCLE_DETECTED.condition is Condition.RESOLVED_REFS
    assert Reason.VOLUME_REQUIRED.condition is Condition.COMPATIBLE
    assert Reason.LOCK_STALE.condition is Condition.PREPARED
