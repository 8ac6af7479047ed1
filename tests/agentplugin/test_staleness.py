"""Each input that differs between two locks of an agent is one cause, and what follows from it is none."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from kagent_render.agentplugin.lock import AgentLock, LockedImageVolumes
from kagent_render.agentplugin.staleness import find_causes
from kagent_render.api.kubeagents import IMAGE_VOLUMES_ANNOTATION
from kagent_render.revision.canonical_json import digest, text_digest
from kagent_render.revision.lock import LockSchema
from kagent_render.revision.lock_document import field_digests
from tests.agentplugin.locks import AGENT_SPEC, MANIFEST, PLUGIN_SPEC, full_lock, image, plugin

START = full_lock()
Change = Callable[[AgentLock], AgentLock]


def replace(**changes: Any) -> Change:
    return lambda lock: dataclasses.replace(lock, **changes)


def spec(content: dict[str, Any]) -> dict[str, Any]:
    return {"spec_digest": digest(content), "fields": field_digests(content)}


def agent(**changes: Any) -> Change:
    return lambda lock: dataclasses.replace(lock, agent=dataclasses.replace(lock.agent, **changes))


def of(name: str, /, **changes: Any) -> Change:
    return lambda lock: dataclasses.replace(
        lock,
        plugins=tuple(
            dataclasses.replace(entry, **changes) if entry.name == name else entry for entry in lock.plugins
        ),
    )


def both(*changes: Change) -> Change:
    def change(lock: AgentLock) -> AgentLock:
        for one in changes:
            lock = one(lock)
        return lock

    return change


def volumes(decided_by: str, kube_version: str | None, supported: bool = False) -> Change:
    return replace(image_volumes=LockedImageVolumes(supported, decided_by, kube_version))


EDITED = {**PLUGIN_SPEC, "image": "registry.example.com/p:v2"}
RESOLVED = dataclasses.replace(image("pubsub", MANIFEST), digest=digest("other"))
DATA = replace(config={"managed.env": text_digest("x")}, config_hash="1")
PULL_FAILED = of("pubsub", phase="Degraded", reason="ImagePullFailed", image=None)
ANNOTATION = ("metadata", "annotations", IMAGE_VOLUMES_ANNOTATION)

CAUSES: dict[str, tuple[Change, list[tuple[str, str, tuple[str, ...], str]]]] = {
    # what was changed, (kind, name, field, message) of each cause
    "the agent's field": (
        both(agent(**spec({**AGENT_SPEC, "deployment": {}})), DATA),
        [
            (
                *("PlatformAgent", "platform-agent", ("spec", "deployment")),
                "`spec.deployment` was edited in PlatformAgent `platform-agent`",
            )
        ],
    ),
    "the agent's version": (
        agent(api_version="kubeagents.x-k8s.io/v1"),
        [
            (
                *("PlatformAgent", "platform-agent", ("apiVersion",)),
                "PlatformAgent `platform-agent` is of another version",
            )
        ],
    ),
    "the annotation": (
        both(agent(annotations={IMAGE_VOLUMES_ANNOTATION: "false"}), volumes("annotation", None)),
        [
            (
                *("PlatformAgent", "platform-agent", ANNOTATION),
                f"the annotation `{IMAGE_VOLUMES_ANNOTATION}` of PlatformAgent `platform-agent` was edited",
            )
        ],
    ),
    "the annotation is gone": (
        both(agent(annotations={}), volumes("default", None)),
        [
            (
                *("PlatformAgent", "platform-agent", ANNOTATION),
                f"the annotation `{IMAGE_VOLUMES_ANNOTATION}` of PlatformAgent `platform-agent` was edited",
            )
        ],
    ),
    "the version of Kubernetes": (
        both(volumes("kubeVersion", "1.34"), of("pubsub", phase="Degraded", reason="ImageVolumeUnsupported")),
        [
            (
                *("RenderConfig", "kagent-render", ("spec", "kubeVersion")),
                "`spec.kubeVersion` was edited in RenderConfig",
            )
        ],
    ),
    "no version of Kubernetes": (
        volumes("default", None),
        [
            (
                *("RenderConfig", "kagent-render", ("spec", "kubeVersion")),
                "`spec.kubeVersion` was edited in RenderConfig",
            )
        ],
    ),
    "a plugin more": (
        both(lambda lock: dataclasses.replace(lock, plugins=(*lock.plugins, plugin("new"))), DATA),
        [("AgentPlugin", "new", (), "AgentPlugin `new` was added to PlatformAgent `platform-agent`")],
    ),
    "a plugin less": (
        both(replace(plugins=START.plugins[:2]), DATA),
        [
            (
                *("AgentPlugin", "my-plugin", ()),
                "AgentPlugin `my-plugin` was removed from PlatformAgent `platform-agent`",
            )
        ],
    ),
    "a plugin renamed": (
        of("pubsub", name="topics"),
        [
            (
                *("AgentPlugin", "pubsub", ()),
                "AgentPlugin `pubsub` was removed from PlatformAgent `platform-agent`",
            ),
            ("AgentPlugin", "topics", (), "AgentPlugin `topics` was added to PlatformAgent `platform-agent`"),
        ],
    ),
    "a plugin's field, and the image that it names now": (
        of("pubsub", **spec(EDITED), image=image("other")),
        [
            (
                *("AgentPlugin", "pubsub", ("spec", "image")),
                "`spec.image` was edited in AgentPlugin `pubsub`",
            )
        ],
    ),
    "a plugin's field more": (
        of("pubsub", **spec({**PLUGIN_SPEC, "env": []})),
        [("AgentPlugin", "pubsub", ("spec", "env"), "`spec.env` was added to AgentPlugin `pubsub`")],
    ),
    "a plugin's version": (
        of("pubsub", api_version="kubeagents.x-k8s.io/v1"),
        [("AgentPlugin", "pubsub", ("apiVersion",), "AgentPlugin `pubsub` is of another version")],
    ),
    "an image that was resolved anew": (
        of("pubsub", image=RESOLVED),
        [
            (
                *("AgentPlugin", "pubsub", ("spec", "image")),
                "the image `registry.example.com/pubsub:v1` of AgentPlugin `pubsub` was resolved anew:"
                " its digest changed",
            )
        ],
    ),
    "an image that its registry does not have any more": (
        both(PULL_FAILED, DATA),
        [
            (
                *("AgentPlugin", "pubsub", ("spec", "image")),
                "AgentPlugin `pubsub` is `ImagePullFailed`, the lock has `Applied`",
            )
        ],
    ),
    "an image that was read this time": (
        of("stockout", image=image("stockout", MANIFEST)),
        [
            (
                *("AgentPlugin", "stockout", ("spec", "image")),
                "what is known of the image of AgentPlugin `stockout` changed",
            )
        ],
    ),
    "an image that was resolved for the first time": (
        of("my-plugin", image=image("my-plugin")),
        [
            (
                *("AgentPlugin", "my-plugin", ("spec", "image")),
                "what is known of the image of AgentPlugin `my-plugin` changed",
            )
        ],
    ),
    "a status that follows from an edit": (
        both(PULL_FAILED, of("pubsub", **spec(EDITED))),
        [
            (
                *("AgentPlugin", "pubsub", ("spec", "image")),
                "`spec.image` was edited in AgentPlugin `pubsub`",
            )
        ],
    ),
    "the modelled operator": (
        both(replace(upstream="o/r@2"), DATA),
        [("", "", (), "the modelled operator is `o/r@2`, the lock has `gke-labs/kube-agents@f4e8b934`")],
    ),
    "an edit beside another operator": (
        both(replace(upstream="o/r@2"), agent(api_version="v")),
        [
            (
                *("PlatformAgent", "platform-agent", ("apiVersion",)),
                "PlatformAgent `platform-agent` is of another version",
            ),
            ("", "", (), "the modelled operator is `o/r@2`, the lock has `gke-labs/kube-agents@f4e8b934`"),
        ],
    ),
    "what is told of plugins": (
        replace(files={**START.files, "status.yaml": text_digest("other")}),
        [("", "", (), "what `status.yaml` tells of the plugins of PlatformAgent `platform-agent` changed")],
    ),
    "another file": (
        replace(files={**START.files, "gateway.yaml": text_digest("other")}),
        [("", "", (), "this release writes the same inputs otherwise")],
    ),
    "the schema's revision": (
        replace(schema=LockSchema(1, 99)),
        [("", "", (), "the lock has another schema revision")],
    ),
    "what is written": (DATA, [("", "", (), "this release writes the same inputs otherwise")]),
}


@pytest.mark.parametrize(("change", "expected"), CAUSES.values(), ids=CAUSES)
def test_each_difference_is_named(
    change: Change, expected: list[tuple[str, str, tuple[str, ...], str]]
) -> None:
    causes = find_causes(START, change(START))
    assert [(cause.kind, cause.name, cause.field, cause.message) for cause in causes] == expected


def test_the_order_of_a_locks_lists_is_no_cause() -> None:
    turned = dataclasses.replace(START, plugins=START.plugins[::-1])
    assert [cause.message for cause in find_causes(START, turned)] == [
        "this release writes the same inputs otherwise"
    ]
