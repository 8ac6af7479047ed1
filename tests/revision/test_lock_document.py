"""The lock's document: layout, order, and what the revision is a digest of."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest
import yaml

from kagent_render.revision.canonical_json import digest
from kagent_render.revision.lock import Lock, LockedCapabilities, LockedPrompt, LockSchema
from kagent_render.revision.lock_document import (
    document_revision,
    dump_lock,
    field_digests,
    revision_of,
    seal,
    to_document,
)
from tests.revision.locks import full_lock

HASHED = (
    "target",
    "harness",
    "templates",
    "bindings",
    "prompts",
    "inputs",
    "artifacts",
    "credentials",
    "egress",
)


def test_the_document_has_the_designs_keys_in_the_designs_order() -> None:
    document = to_document(full_lock())
    assert list(document) == ["apiVersion", "kind", "metadata", "spec"]
    assert document["metadata"] == {"namespace": "team", "name": "planner-py"}
    assert list(document["spec"]) == [
        *("schema", "revision", "target", "harness", "templates", "bindings", "prompts", "inputs"),
        *("artifacts", "credentials", "egress", "capabilities", "boundaries", "retained"),
    ]


@pytest.mark.parametrize(
    ("field", "keys"),
    [
        ("templates", ["path", "name", "apiVersion", "specDigest", "fields", "labels", "description"]),
        ("bindings", ["path", "isolation", "boundary", "description"]),
        ("prompts", ["path", "template", "digest", "text"]),
        ("inputs", ["apiVersion", "kind", "name", "key", "digest", "usedBy"]),
        ("artifacts", ["source", "treeDigest", "manifest", "skills"]),
        ("credentials", ["boundary", "env", "name", "key", "optional"]),
        ("egress", ["boundary", "origins"]),
        ("boundaries", ["path", "adapter", "requirements", "actorTemplate", "specDigest", "manifest"]),
        ("retained", ["revision", "actorTemplates"]),
    ],
)
def test_a_list_item_has_its_keys_in_order(field: str, keys: list[str]) -> None:
    items = to_document(full_lock())["spec"][field]
    assert max(map(list, items), key=len) == keys


def test_lists_start_with_the_root_and_are_sorted() -> None:
    spec = to_document(full_lock())["spec"]
    for field in ("templates", "prompts", "boundaries"):
        paths = [item["path"] for item in spec[field]]
        assert paths[0] == ""
        assert paths == sorted(paths)
    named = [(used["kind"], used["name"], used.get("key")) for used in spec["inputs"]]
    assert named == [
        ("ConfigMap", "texts", "a"),
        ("ConfigMap", "texts", "b"),
        ("ModelConfig", "gpt", None),
        ("Secret", "openai", None),
    ]
    assert spec["inputs"][3]["usedBy"] == ["", "critic"]
    assert spec["egress"][1]["origins"] == ["https://a.example:443", "https://b.example:443"]
    assert [skill["name"] for skill in spec["artifacts"][1]["skills"]] == ["one", "two"]


def test_absent_optional_fields_are_left_out_and_empty_lists_stay() -> None:
    lock = dataclasses.replace(full_lock(), retained=(), artifacts=())
    spec = to_document(lock)["spec"]
    assert (spec["retained"], spec["artifacts"]) == ([], [])
    assert "labels" not in spec["templates"][1]
    assert "description" not in spec["templates"][1]
    assert "key" not in spec["inputs"][3]
    assert "optional" not in spec["credentials"][1]


def test_the_order_in_which_a_lock_was_built_changes_no_byte() -> None:
    lock = full_lock()
    shuffled: dict[str, Any] = {}
    chance = random.Random(5)
    for field in dataclasses.fields(Lock):
        value = getattr(lock, field.name)
        if isinstance(value, tuple) and field.name != "retained":
            shuffled[field.name] = tuple(chance.sample(value, len(value)))
    assert dump_lock(seal(dataclasses.replace(lock, **shuffled))) == dump_lock(lock)


def test_the_text_is_plain_yaml_of_the_document() -> None:
    lock = full_lock()
    assert yaml.safe_load(dump_lock(lock)) == to_document(lock)
    assert "    text: |\n      You plan.\n\n        Well\n" in dump_lock(lock)
    assert '      app.example/tier: "on"\n' in dump_lock(lock)


def without_people(template: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in template.items() if name not in ("labels", "description")}


def test_the_revision_is_the_digest_that_the_design_describes() -> None:
    spec = to_document(full_lock())["spec"]
    content = {name: spec[name] for name in HASHED}
    content["templates"] = [without_people(template) for template in spec["templates"]]
    content["boundaries"] = [{"path": b["path"], "specDigest": b["specDigest"]} for b in spec["boundaries"]]
    assert spec["revision"] == digest(content)


def with_first(items: tuple[Any, ...], **changes: Any) -> tuple[Any, ...]:
    return (dataclasses.replace(items[0], **changes), *items[1:])


LOCK = full_lock()
SAME_REVISION = {
    "schema": {"schema": LockSchema(1, 2)},
    "labels": {"templates": with_first(LOCK.templates, labels={"a": "b"})},
    "template description": {"templates": with_first(LOCK.templates, description="other")},
    "capabilities": {"capabilities": LockedCapabilities("python", "2", digest("r"))},
    "retained": {"retained": ()},
    "requirements": {"boundaries": with_first(LOCK.boundaries, requirements=())},
}
OTHER_REVISION = {
    "target": {"target": "ateapi/v0.4"},
    "harness image": {"harness": dataclasses.replace(LOCK.harness, image="other")},
    "template spec": {"templates": with_first(LOCK.templates, spec_digest=digest(1))},
    "binding description": {"bindings": with_first(LOCK.bindings, description="other")},
    "prompt": {"prompts": with_first(LOCK.prompts, text="other")},
    "input": {"inputs": with_first(LOCK.inputs, digest=digest(1))},
    "artifact": {"artifacts": with_first(LOCK.artifacts, tree_digest=digest(1))},
    "skill": {"artifacts": with_first(LOCK.artifacts, skills=())},
    "credential": {"credentials": with_first(LOCK.credentials, optional=True)},
    "egress": {"egress": with_first(LOCK.egress, origins=())},
    "boundary spec": {"boundaries": with_first(LOCK.boundaries, spec_digest=digest(1))},
}


@pytest.mark.parametrize("changes", SAME_REVISION.values(), ids=SAME_REVISION)
def test_what_does_not_change_how_a_pair_runs_keeps_its_revision(changes: dict[str, Any]) -> None:
    changed = dataclasses.replace(LOCK, **changes)
    assert dump_lock(changed) != dump_lock(LOCK)
    assert revision_of(changed) == LOCK.revision


@pytest.mark.parametrize("changes", OTHER_REVISION.values(), ids=OTHER_REVISION)
def test_whatever_a_pair_runs_with_changes_its_revision(changes: dict[str, Any]) -> None:
    assert revision_of(dataclasses.replace(LOCK, **changes)) != LOCK.revision


def test_the_revision_of_a_document_is_that_of_its_lock() -> None:
    assert document_revision(yaml.safe_load(dump_lock(LOCK))["spec"]) == LOCK.revision


def test_field_digests_name_the_edited_field() -> None:
    before = field_digests({"systemPrompt": "a", "modelConfig": {"name": "m"}})
    after = field_digests({"systemPrompt": "b", "modelConfig": {"name": "m"}})
    assert {name for name in before if before[name] != after[name]} == {"systemPrompt"}
    assert list(before) == ["modelConfig", "systemPrompt"]
    assert before["systemPrompt"] == digest("a").removeprefix("sha256:")[:12]


def test_a_prompt_keeps_every_byte_of_its_text() -> None:
    for text in ("", " ", "\n", "a\r\nb", "a\n\n\n", "\ta", "x: #\u2028", "a \n \n"):
        lock = seal(dataclasses.replace(LOCK, prompts=(LockedPrompt("", False, digest(text), text),)))
        assert yaml.safe_load(dump_lock(lock))["spec"]["prompts"][0]["text"] == text
