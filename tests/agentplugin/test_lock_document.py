"""An agent's lock as text: layout, order, what the revision is a digest of, and what pins it."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.agentplugin.compiled import UPSTREAM, ImageVolumes
from kagent_render.agentplugin.component import component_files
from kagent_render.agentplugin.lock import AgentLock, LockedImageVolumes, pins_of
from kagent_render.agentplugin.lock_document import document_revision, dump_lock, seal, to_document
from kagent_render.agentplugin.lock_reading import read_agent_lock
from kagent_render.agentplugin.pinning import pin_agent
from kagent_render.api.kubeagents import IMAGE_VOLUMES_ANNOTATION
from kagent_render.revision.canonical_json import digest, text_digest
from kagent_render.revision.lock import LockSchema
from kagent_render.revision.lock_document import field_digests
from tests.agentplugin.builders import (
    agent_plugin,
    compiled_agent,
    platform_agent,
    plugin_image,
    ready,
    spec_digests,
)
from tests.agentplugin.locks import full_lock, image, plugin

LOCK = full_lock()


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ((), ["apiVersion", "kind", "metadata", "spec"]),
        (("metadata",), ["namespace", "name"]),
        (
            ("spec",),
            [
                *("schema", "revision", "upstream", "agent", "imageVolumes", "plugins", "config"),
                *("configHash", "files"),
            ],
        ),
        (("spec", "schema"), ["version", "revision"]),
        (("spec", "agent"), ["apiVersion", "name", "specDigest", "annotations", "fields"]),
        (("spec", "agent", "fields"), ["deployment", "harness"]),
        (("spec", "imageVolumes"), ["supported", "decidedBy", "kubeVersion"]),
        (
            ("spec", "plugins", 0),
            ["name", "apiVersion", "specDigest", "fields", "configDigest", "status"],
        ),
        (
            ("spec", "plugins", 2),
            [
                *("name", "apiVersion", "specDigest", "fields", "profile", "image", "configDigest"),
                "status",
            ],
        ),
        (("spec", "plugins", 1, "image"), ["reference", "digest", "manifest"]),
        (("spec", "plugins", 2, "image"), ["reference", "digest", "note"]),
        (
            ("spec", "plugins", 1, "image", "manifest"),
            ["name", "version", "requiresPlugins", "requiresEnv"],
        ),
        (("spec", "plugins", 0, "status"), ["phase", "reason"]),
        (("spec", "config", 0), ["key", "digest"]),
        (("spec", "files", 0), ["name", "digest"]),
    ],
)
def test_every_mapping_has_its_keys_in_order(path: tuple[str | int, ...], keys: list[str]) -> None:
    found: Any = to_document(LOCK)
    for step in path:
        found = found[step]
    assert list(found) == keys


def test_lists_are_sorted_by_name_and_key() -> None:
    spec = to_document(LOCK)["spec"]
    assert [entry["name"] for entry in spec["plugins"]] == ["my-plugin", "pubsub", "stockout"]
    keys = [entry["key"] for entry in spec["config"]]
    assert keys == ["managed-config.yaml", "managed.env", "profile-default.overlay.yaml"]
    assert [entry["name"] for entry in spec["files"]] == ["configmap.yaml", "status.yaml"]
    assert spec["plugins"][1]["image"]["manifest"]["requiresPlugins"] == ["zeta", "alpha"]


def test_the_text_is_plain_yaml_of_the_document() -> None:
    assert yaml.safe_load(dump_lock(LOCK)) == to_document(LOCK)
    assert '        version: "1.10"\n' in dump_lock(LOCK)


def test_the_revision_is_the_digest_of_all_but_schema_and_revision() -> None:
    spec = to_document(LOCK)["spec"]
    del spec["schema"]
    assert spec.pop("revision") == digest({**spec, "namespace": "team"}) == LOCK.revision


def changed(**changes: Any) -> AgentLock:
    return dataclasses.replace(LOCK, **changes)


OTHER_REVISION = {
    "the namespace": changed(namespace="other"),
    "upstream": changed(upstream="x"),
    "the agent's spec": changed(agent=dataclasses.replace(LOCK.agent, spec_digest=digest(1))),
    "the annotation": changed(agent=dataclasses.replace(LOCK.agent, annotations={})),
    "image volumes": changed(image_volumes=LockedImageVolumes(False, "default")),
    "a plugin less": changed(plugins=LOCK.plugins[1:]),
    "an image's digest": changed(
        plugins=(plugin("pubsub", image=dataclasses.replace(image("pubsub"), digest=digest(1))),)
    ),
    "a status": changed(plugins=(plugin("pubsub", phase="Degraded", reason="ImagePullFailed"),)),
    "a key of the ConfigMap": changed(config={}),
    "the hash": changed(config_hash="1"),
    "a file": changed(files={}),
}


@pytest.mark.parametrize("lock", OTHER_REVISION.values(), ids=OTHER_REVISION)
def test_whatever_decides_the_output_changes_the_revision(lock: AgentLock) -> None:
    assert seal(lock).revision != LOCK.revision


def test_another_schema_revision_keeps_the_revision() -> None:
    assert seal(changed(schema=LockSchema(1, 2))).revision == LOCK.revision


names = st.text(st.sampled_from("abz09-_"), min_size=1, max_size=6)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
digests = st.binary(max_size=4).map(lambda content: digest(content.hex()))


@st.composite
def locks(draw: st.DrawFn) -> AgentLock:
    """Any lock that pinning could give, its lists in any order."""
    plugins = [
        dataclasses.replace(
            plugin(name),
            reason=draw(texts),
            profile=draw(texts),
            fields=draw(st.dictionaries(texts, texts, max_size=3)),
            image=draw(
                st.none()
                | st.builds(lambda reference, note: image(reference, note=note), names, texts)
                | st.builds(lambda reference: plugin_image(agent_plugin(reference)), names)
            ),
        )
        for name in draw(st.lists(names, unique=True, max_size=4))
    ]
    return seal(
        changed(
            plugins=tuple(plugins),
            config=draw(st.dictionaries(texts, digests, max_size=4)),
            image_volumes=LockedImageVolumes(draw(st.booleans()), draw(texts), draw(st.none() | texts)),
        )
    )


@given(locks())
def test_a_lock_reads_back_as_it_was_written(lock: AgentLock) -> None:
    text = dump_lock(lock)
    again = read_agent_lock(text.encode(), "lock.yaml")
    assert isinstance(again, AgentLock)
    assert dump_lock(again) == text
    assert (again.config, again.image_volumes) == (lock.config, lock.image_volumes)
    assert {entry.name: entry for entry in again.plugins} == {entry.name: entry for entry in lock.plugins}
    assert pins_of(again) == {
        entry.image.reference: entry.image
        for entry in sorted(lock.plugins, key=lambda entry: entry.name)
        if entry.image is not None
    }


@given(locks(), st.randoms(use_true_random=False))
def test_the_order_in_which_a_lock_was_built_changes_no_byte(lock: AgentLock, chance: random.Random) -> None:
    def shuffled(items: Any) -> Any:
        return chance.sample(list(items), len(items))

    other = dataclasses.replace(
        lock,
        plugins=tuple(
            dataclasses.replace(entry, fields=dict(shuffled(entry.fields.items())))
            for entry in shuffled(lock.plugins)
        ),
        config=dict(shuffled(lock.config.items())),
    )
    assert dump_lock(seal(other)) == dump_lock(lock)
    assert document_revision(to_document(other)) == lock.revision


def test_pins_are_the_resolved_images_by_reference() -> None:
    pins = pins_of(LOCK)
    assert list(pins) == ["registry.example.com/stockout:v1", "registry.example.com/pubsub:v1"]
    assert all(found.reference == reference for reference, found in pins.items())


# What pinning takes out of a compiled agent

PLUGIN = agent_plugin("stockout", profile="platform", config="approvals: {}\n")
BROKEN = agent_plugin("my-plugin")


def pinned(kube_version: str | None = "1.35", **changes: Any) -> AgentLock:
    compiled = compiled_agent(PLUGIN, **changes)
    digests = spec_digests(compiled.agent, PLUGIN, BROKEN)
    return pin_agent(compiled, digests, kube_version, component_files(compiled))


def test_a_pinned_plugin_has_the_digests_of_what_it_was_made_from() -> None:
    (found,) = pinned().plugins
    assert found.spec_digest == digest(PLUGIN.spec)
    assert found.fields == field_digests(PLUGIN.spec)
    assert found.config_digest == text_digest("approvals: {}\n")
    assert (found.name, found.profile, found.image) == ("stockout", "platform", plugin_image(PLUGIN))
    assert (found.phase, found.reason) == ("Ready", "Applied")


def test_a_selected_plugin_is_pinned_even_where_it_is_not_rendered() -> None:
    degraded = ready(BROKEN, phase="Degraded", reason="InvalidPluginName")
    lock = pinned(selected=(BROKEN, PLUGIN), statuses=(degraded, ready(PLUGIN)))
    found = {entry.name: (entry.phase, entry.image is None) for entry in lock.plugins}
    assert found == {"my-plugin": ("Degraded", True), "stockout": ("Ready", False)}


def test_the_agent_and_the_data_are_pinned() -> None:
    lock = pinned(data={"managed.env": "a"})
    assert (lock.namespace, lock.agent.name) == ("kubeagents-system", "platform-agent")
    assert lock.agent.fields == field_digests(platform_agent().spec)
    assert lock.config == {"managed.env": text_digest("a")}
    assert (lock.config_hash, lock.upstream) == ("0e" * 32, UPSTREAM)
    assert lock == seal(lock)


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({}, {}),
        ({"a": "b"}, {}),
        ({IMAGE_VOLUMES_ANNOTATION: "no", "a": "b"}, {IMAGE_VOLUMES_ANNOTATION: "no"}),
        ({IMAGE_VOLUMES_ANNOTATION: ""}, {IMAGE_VOLUMES_ANNOTATION: ""}),
    ],
)
def test_of_the_annotations_the_one_that_counts_is_pinned(
    annotations: dict[str, str], expected: dict[str, str]
) -> None:
    assert pinned(agent=platform_agent(annotations=annotations)).agent.annotations == expected


@pytest.mark.parametrize(
    ("decided_by", "kube_version", "expected"),
    [
        ("kubeVersion", "1.35", "1.35"),
        ("kubeVersion", "1.34", "1.34"),
        ("default", None, None),
        ("annotation", "1.35", None),
    ],
)
def test_a_version_is_pinned_where_no_annotation_overrides_it(
    decided_by: str, kube_version: str | None, expected: str | None
) -> None:
    found = pinned(kube_version, image_volumes=ImageVolumes(True, decided_by)).image_volumes
    assert (found.decided_by, found.kube_version) == (decided_by, expected)


def test_the_message_of_a_status_changes_the_digest_of_its_report_alone() -> None:
    other = pinned(statuses=(ready(PLUGIN, message="in other words", observed_generation=7),))
    files = {**pinned().files, "status.yaml": other.files["status.yaml"]}
    assert other.files != pinned().files
    assert dump_lock(other) == dump_lock(seal(dataclasses.replace(pinned(), files=files)))
