"""No edit goes by without being told, whatever else was edited with it."""

from __future__ import annotations

import pytest

from kagent_render.review import topics
from kagent_render.review.change import Change, Kind
from kagent_render.review.coverage import Field, agent_fields, lock_fields, unexplained
from kagent_render.review.effect import Effect
from tests.agentplugin.locks import full_lock as full_agent_lock
from tests.revision.locks import full_lock

_TOOL = Change(topics.TOOL, "", "find", Kind.ADDED, Effect.WIDENS, None, "")
_LABEL = Change(topics.LABEL, "", "l", Kind.CHANGED, Effect.NEUTRAL, "a", "b")

CASES: list[tuple[Field, Field, list[Change], list[tuple[str, Effect]]]] = [
    (Field("1", (topics.TOOL,)), Field("1", (topics.TOOL,)), [], []),
    (Field("1", (topics.TOOL,)), Field("2", (topics.TOOL,)), [_TOOL], []),
    (Field("1", (topics.TOOL,)), Field("2", (topics.TOOL,)), [_LABEL], [("edit", Effect.NEUTRAL)]),
    (Field("1", ()), Field("2", ()), [_TOOL], [("edit", Effect.NEUTRAL)]),
    (Field("1", None), Field("2", None), [_TOOL, _LABEL], [("other", Effect.WIDENS)]),
]


@pytest.mark.parametrize(("before", "after", "changes", "told"), CASES)
def test_an_edit_that_no_change_tells_is_told_by_itself(
    before: Field, after: Field, changes: list[Change], told: list[tuple[str, Effect]]
) -> None:
    found = unexplained({"f": before}, {"f": after}, changes)
    assert [(change.topic.name, change.effect) for change in found] == told


def test_every_digest_of_a_lock_is_covered() -> None:
    lock = full_lock()
    templates = {(template.name, field) for template in lock.templates for field in template.fields}
    inputs = {(entry.kind, entry.name, entry.key) for entry in lock.inputs}
    assert len(lock_fields(lock)) == len(lock.harness.fields) + len(templates) + len(inputs)


def test_every_digest_of_a_platform_agents_lock_is_covered() -> None:
    lock = full_agent_lock()
    assert len(agent_fields(lock)) == len(lock.agent.fields) + sum(len(p.fields) for p in lock.plugins)
