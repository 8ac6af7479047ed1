"""Each input that differs between two locks is one cause, and what follows from it is none."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from kagent_render.revision.canonical_json import digest
from kagent_render.revision.lock import (
    Adapter,
    Lock,
    LockedArtifact,
    LockedCapabilities,
    LockedInput,
    LockedSkill,
    LockSchema,
)
from kagent_render.revision.lock_document import field_digests
from kagent_render.revision.retained import RetainedRevision
from kagent_render.revision.staleness import changed_artifacts, find_causes, is_of_another_release
from tests.revision.locks import HARNESS_SPEC, TEMPLATE_SPEC, full_lock

Change = Callable[[Lock], Lock]


def harness(spec: dict[str, Any] | None = None, **changes: Any) -> Change:
    def change(lock: Lock) -> Lock:
        wanted = dict(changes)
        if spec is not None:
            wanted |= {"spec_digest": digest(spec), "fields": field_digests(spec)}
        return dataclasses.replace(lock, harness=dataclasses.replace(lock.harness, **wanted))

    return change


def template(name: str, spec: dict[str, Any] | None = None, **changes: Any) -> Change:
    def change(lock: Lock) -> Lock:
        wanted = dict(changes)
        if spec is not None:
            wanted |= {"spec_digest": digest(spec), "fields": field_digests(spec)}
        return dataclasses.replace(
            lock,
            templates=tuple(
                dataclasses.replace(entry, **wanted) if entry.name == name else entry
                for entry in lock.templates
            ),
        )

    return change


def entry(kind: str, name: str, key: str | None = None, **changes: Any) -> Change:
    def change(lock: Lock) -> Lock:
        return dataclasses.replace(
            lock,
            inputs=tuple(
                dataclasses.replace(known, **(changes or {"digest": digest("other")}))
                if (known.kind, known.name, known.key) == (kind, name, key)
                else known
                for known in lock.inputs
            ),
        )

    return change


def another(*entries: LockedInput) -> Change:
    return lambda lock: dataclasses.replace(lock, inputs=(*lock.inputs, *entries))


def without(kind: str, name: str) -> Change:
    return lambda lock: dataclasses.replace(
        lock, inputs=tuple(known for known in lock.inputs if (known.kind, known.name) != (kind, name))
    )


def replace(**changes: Any) -> Change:
    return lambda lock: dataclasses.replace(lock, **changes)


def boundaries(adapter: Adapter) -> Change:
    return lambda lock: dataclasses.replace(
        lock, boundaries=tuple(dataclasses.replace(entry, adapter=adapter) for entry in lock.boundaries)
    )


SETTING = LockedInput(
    "render.kagent.dev/v1alpha1", "RenderConfig", "kagent-render", digest("a"), ("",), "spec.tools.url"
)
START = another(SETTING)(full_lock())

CAUSES: dict[str, tuple[Change, list[tuple[str, str, tuple[str, ...]]]]] = {
    # what was changed, (kind, name, field) of each cause
    "a template's field": (
        template("coder", {**TEMPLATE_SPEC, "systemPrompt": "Other."}),
        [("AgentTemplate", "coder", ("spec", "systemPrompt"))],
    ),
    "a field more and a field less": (
        template("coder", {"modelConfig": {"name": "gpt"}, "tools": []}),
        [
            ("AgentTemplate", "coder", ("spec", "systemPrompt")),
            ("AgentTemplate", "coder", ("spec", "tools")),
        ],
    ),
    "a template whose lock has no fields": (
        template("coder", spec_digest=digest("other")),
        [("AgentTemplate", "coder", ("spec",))],
    ),
    "a template's labels": (
        template("coder", labels={"a": "b"}),
        [("AgentTemplate", "coder", ("metadata", "labels"))],
    ),
    "a template's version": (
        template("coder", api_version="kagent.dev/v1alpha3"),
        [("AgentTemplate", "coder", ("apiVersion",))],
    ),
    "the Harness's field": (
        harness({**HARNESS_SPEC, "env": []}),
        [("Harness", "py", ("spec", "env"))],
    ),
    "the Harness's version": (
        harness(api_version="kagent.dev/v1alpha3"),
        [("Harness", "py", ("apiVersion",))],
    ),
    "fields that follow from the Harness's version": (
        harness({"kagent": {}, "workload": {}}, api_version="kagent.dev/v1alpha3"),
        [("Harness", "py", ("apiVersion",))],
    ),
    "a template's version, the fields that follow from it, and an edit": (
        template("coder", {"modelConfig": {"name": "other"}, "tools": []}, api_version="kagent.dev/v1alpha3"),
        [("AgentTemplate", "coder", ("apiVersion",)), ("AgentTemplate", "coder", ("spec", "modelConfig"))],
    ),
    "a ModelConfig": (entry("ModelConfig", "gpt"), [("ModelConfig", "gpt", ("spec",))]),
    "a ModelConfig's version": (
        entry("ModelConfig", "gpt", api_version="kagent.dev/v1alpha3"),
        [("ModelConfig", "gpt", ("apiVersion",))],
    ),
    "a ModelConfig's version and spec": (
        entry("ModelConfig", "gpt", api_version="kagent.dev/v1alpha3", digest=digest("other")),
        [("ModelConfig", "gpt", ("apiVersion",)), ("ModelConfig", "gpt", ("spec",))],
    ),
    "a ConfigMap's key": (entry("ConfigMap", "texts", "a"), [("ConfigMap", "texts", ("data", "a"))]),
    "the keys of a Secret": (entry("Secret", "openai"), [("Secret", "openai", ())]),
    "a Secret whose manifest went": (without("Secret", "openai"), [("Secret", "openai", ())]),
    "a Secret that came with a reference to it": (
        lambda lock: another(LockedInput("v1", "Secret", "new", digest("n"), ("",)))(
            template("coder", {**TEMPLATE_SPEC, "modelConfig": {"name": "b"}})(lock)
        ),
        [("AgentTemplate", "coder", ("spec", "modelConfig"))],
    ),
    "an ExternalSecret for what had no manifest": (
        another(LockedInput("external-secrets.io/v1", "ExternalSecret", "z", digest("k"), ("",))),
        [("ExternalSecret", "z", ())],
    ),
    "a setting": (
        entry("RenderConfig", "kagent-render", "spec.tools.url"),
        [("RenderConfig", "kagent-render", ("spec", "tools", "url"))],
    ),
    "the target": (replace(target="ateapi/v0.4"), [("RenderConfig", "kagent-render", ("spec", "target"))]),
    "an input that came with an edit": (
        lambda lock: another(LockedInput("v1", "ConfigMap", "new", digest("n"), ("",), "k"))(
            template("coder", {**TEMPLATE_SPEC, "systemPrompt": "Other."})(lock)
        ),
        [("AgentTemplate", "coder", ("spec", "systemPrompt"))],
    ),
    "the adapter's format": (boundaries(Adapter("python", "adk/2")), [("", "", ())]),
    "the capability record": (
        replace(capabilities=LockedCapabilities("python", "2", digest("r"))),
        [("CapabilityRecord", "python", ("spec",))],
    ),
    "another capability record": (
        replace(capabilities=LockedCapabilities("ours", "1", digest("r"))),
        [("CapabilityRecord", "ours", ())],
    ),
    "what is retained": (replace(retained=(RetainedRevision(digest("x"), ("a",)),)), [("", "", ())]),
    "the schema's revision": (replace(schema=LockSchema(revision=99)), [("", "", ())]),
    "something that nothing explains": (replace(egress=()), [("", "", ())]),
    "an edit, and what is retained in consequence": (
        lambda lock: replace(retained=())(entry("ModelConfig", "gpt")(lock)),
        [("ModelConfig", "gpt", ("spec",))],
    ),
}


@pytest.mark.parametrize(("change", "expected"), CAUSES.values(), ids=CAUSES.keys())
def test_each_difference_is_named(change: Change, expected: list[tuple[str, str, tuple[str, ...]]]) -> None:
    causes = find_causes(START, change(START))
    assert [(cause.kind, cause.name, cause.field) for cause in causes] == expected
    assert all(cause.message and not cause.message.endswith(".") for cause in causes)


MESSAGES: dict[str, tuple[Change, str]] = {
    "an edit": (
        template("coder", {**TEMPLATE_SPEC, "systemPrompt": "Other."}),
        "`spec.systemPrompt` was edited in AgentTemplate `coder`",
    ),
    "an addition": (
        template("coder", {**TEMPLATE_SPEC, "tools": []}),
        "`spec.tools` was added to AgentTemplate `coder`",
    ),
    "a removal": (harness({"python": {}}), "`spec.env` was removed from Harness `py`"),
    "a key": (entry("ConfigMap", "texts", "a"), "the key `a` of ConfigMap `texts` was edited"),
    "a Secret": (entry("Secret", "openai"), "Secret `openai` has other keys"),
    "a target": (replace(target="b"), "the target changed from `ate.dev/v1alpha1` to `b`"),
    "a format": (
        boundaries(Adapter("python", "adk/2")),
        "the adapter `python` writes format adk/2, the lock has `python` format adk/1",
    ),
}


@pytest.mark.parametrize(("change", "message"), MESSAGES.values(), ids=MESSAGES.keys())
def test_a_cause_says_in_one_clause_what_happened(change: Change, message: str) -> None:
    assert [cause.message for cause in find_causes(START, change(START))] == [message]


def test_a_template_that_stands_at_two_places_is_edited_once() -> None:
    twice = dataclasses.replace(
        START, templates=(*START.templates, dataclasses.replace(START.templates[0], path="other"))
    )
    name = START.templates[0].name
    causes = find_causes(twice, template(name, {"systemPrompt": "Other."})(twice))
    assert len(causes) == len(set(causes)) == 2


def test_what_another_release_writes_stands_beside_an_edit() -> None:
    changed = boundaries(Adapter("python", "adk/2"))(entry("ModelConfig", "gpt")(START))
    assert [cause.kind for cause in find_causes(START, changed)] == ["ModelConfig", ""]


SOURCE = {"oci": "r.example/plugin@sha256:" + "b" * 64}


def artifact(tree: str, *skills: tuple[str, str, str], source: dict[str, Any] = SOURCE) -> Change:
    locked = tuple(LockedSkill(name, path, digest(content)) for name, path, content in skills)
    return replace(artifacts=(LockedArtifact(source, digest(tree), locked),))


def differing(old: Change, new: Change) -> list[tuple[str | None, str, str]]:
    return [(other.skill, other.expected, other.found) for other in changed_artifacts(old(START), new(START))]


WHOLE, ONE = ("tree", ("one", "", "1"), ("two", "", "2")), ("other tree", ("one", "", "1"))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(WHOLE, WHOLE, [], id="the same content"),
        pytest.param(
            WHOLE,
            ("changed", ("one", "", "1"), ("two", "", "x")),
            [(None, digest("tree"), digest("changed"))],
            id="other content of the same selection",
        ),
        pytest.param(WHOLE, ONE, [], id="a skill less"),
        pytest.param(ONE, WHOLE, [], id="a skill more"),
        pytest.param(
            WHOLE,
            ("t", ("one", "", "x")),
            [("one", digest("1"), digest("x"))],
            id="a skill less, one changed",
        ),
        pytest.param(
            ONE,
            ("t", ("one", "", "x"), ("two", "", "2")),
            [("one", digest("1"), digest("x"))],
            id="a skill more, one changed",
        ),
        pytest.param(
            ONE,
            ("t", ("one", "elsewhere", "x")),
            [(None, digest("other tree"), digest("t"))],
            id="another place in the tree",
        ),
    ],
)
def test_content_of_a_pinned_source_may_not_change(
    old: tuple[Any, ...], new: tuple[Any, ...], expected: list[tuple[str | None, str, str]]
) -> None:
    assert differing(artifact(*old), artifact(*new)) == expected


def test_another_source_has_its_own_content() -> None:
    other = artifact("t", ("one", "", "x"), source={"oci": "r.example/plugin@sha256:" + "c" * 64})
    assert differing(artifact(*ONE), other) == []


def test_a_manifest_of_a_secret_that_went_is_no_other_release() -> None:
    assert not is_of_another_release(START, without("Secret", "openai")(START))
