"""PlatformAgent: what plugins touch is typed strictly, all else may stand."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.api.kubeagents import GoogleChat, Limits, PlatformAgent, Slack
from tests.api.manifests import decode_text, decode_value, manifest
from tests.manifests import told

HARNESS: dict[str, Any] = {"clusterName": "cluster-a", "location": "us-central1-a", "projectId": "p"}

SMALLEST = """
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: PlatformAgent
metadata: {name: platform-agent, namespace: kubeagents-system}
spec: {harness: {clusterName: cluster-a, location: us-central1-a, projectId: example-project}}
"""


def agent(harness: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """An agent with these fields beside its harness."""
    return manifest("v1alpha1", "PlatformAgent", {"harness": {**HARNESS, **(harness or {})}, **spec})


def decoded(value: dict[str, Any]) -> PlatformAgent:
    """The agent of a manifest about which there is nothing to tell."""
    inventory, faults = decode_value(value)
    assert faults == []
    (found,) = inventory.platform_agents.values()
    return found


def test_the_smallest_agent() -> None:
    inventory, faults = decode_text(SMALLEST)
    assert faults == []
    found = inventory.platform_agents["kubeagents-system", "platform-agent"]
    assert found == PlatformAgent(found.ref, found.spec, found.document)
    assert (found.home, found.replicas, found.front_door) == ("/opt/data", 1, False)


def test_every_field_that_plugins_touch() -> None:
    value = agent(
        {
            "hermes": {"agentHome": "/srv/agent/"},
            "tuning": {
                "default": {"apiMaxRetries": 8, "maxTurns": 200},
                "platform": {"maxTurns": 150},
                "cluster": {},
                "maxInProgress": 3,
            },
            "memory": {"provider": "hindsight"},
            "experimental": {"platformFrontDoor": True},
        },
        integration={
            "googleChat": {
                "enabled": True,
                "projectId": "p",
                "topicName": "t",
                "subscriptionName": "s",
                "allowedUsers": ["a", "b"],
                "homeChannel": "h",
                "mode": "Debug",
            },
            "slack": {
                "enabled": True,
                "botTokenSecretRef": {"name": "s", "key": "bot"},
                "appTokenSecretRef": {"name": "s", "key": "app"},
                "allowedUsers": ["U1"],
                "homeChannel": "C1",
                "homeChannelName": "general",
            },
        },
        deployment={
            "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"secretKeyRef": {"key": "k"}}}],
            "storages": [{"name": "notes", "mountPath": "/notes", "storageSize": "1Gi"}, {"name": "cold"}],
            "extraVolumes": [{"name": "extra", "emptyDir": {}}],
            "extraVolumeMounts": [{"name": "extra", "mountPath": "/extra", "readOnly": True}],
            "sidecarVolumes": [{"name": "side", "emptyDir": {}}],
            "podAnnotations": {"example.com/a": "b"},
            "availability": {"replicas": 2},
        },
    )
    value["metadata"]["annotations"] = {"kubeagents.x-k8s.io/enable-image-volumes": "true"}
    found = decoded(value)
    assert found == PlatformAgent(
        found.ref,
        value["spec"],
        found.document,
        annotations={"kubeagents.x-k8s.io/enable-image-volumes": "true"},
        home="/srv/agent/",
        tuning={"default": Limits(8, 200), "platform": Limits(None, 150), "cluster": Limits()},
        max_in_progress=3,
        memory_provider="hindsight",
        front_door=True,
        google_chat=GoogleChat(True, "p", "s", ("a", "b"), "Debug"),
        slack=Slack(True, ("U1",)),
        replicas=2,
        variables=("A",),
        volumes=("notes-vol", "cold-vol", "side", "extra"),
        mounts=("/notes", "/extra"),
        pod_annotations={"example.com/a": "b"},
    )


OPEN: dict[str, dict[str, Any]] = {
    "the spec": agent(mode="next", security={"serviceAccountName": "a"}),
    "the harness": agent({"eventWatcher": {"enabled": True}}),
    "hermes": agent({"hermes": {"dashboardEnabled": True}}),
    "tuning": agent({"tuning": {"router": {"maxTurns": 0}, "default": {"maxTokens": 5}}}),
    "memory": agent({"memory": {"memoryEnabled": True}}),
    "experimental": agent({"experimental": {"shellSandbox": {"image": "i"}}}),
    "integration": agent(integration={"github": {"enabled": True}}),
    "Google Chat": agent(integration={"googleChat": {"spaces": [1]}}),
    "Slack": agent(integration={"slack": {"botTokenSecretRef": {"key": "k", "version": 1}}}),
    "the deployment": agent(deployment={"sidecars": [{"name": "s", "image": "i"}], "scaleToZero": True}),
    "a variable": agent(deployment={"env": [{"name": "A", "more": 1}]}),
    "a storage": agent(deployment={"storages": [{"name": "s", "retain": True}]}),
    "availability": agent(deployment={"availability": {"nodeSelector": {"a": "b"}}}),
    "empty blocks": agent({"hermes": {}, "tuning": {}, "memory": {}}, integration={}, deployment={}),
    "a reference": agent(integration={"slack": {"appTokenSecretRef": {"key": "k", "namespace": "n"}}}),
}


@pytest.mark.parametrize("value", OPEN.values(), ids=OPEN)
def test_what_is_not_known_may_stand_and_is_kept(value: dict[str, Any]) -> None:
    assert decoded(value).spec == value["spec"]


STRICT: dict[str, tuple[dict[str, Any], str]] = {
    "no harness": (manifest("v1alpha1", "PlatformAgent", {}), "harness"),
    "no cluster": (agent({"clusterName": None}), "harness.clusterName"),
    "no location": (agent({"location": None}), "harness.location"),
    "no project": (agent({"projectId": None}), "harness.projectId"),
    "a project that is a number": (agent({"projectId": 7}), "harness.projectId"),
    "a home that is no text": (agent({"hermes": {"agentHome": ["/a"]}}), "harness.hermes.agentHome"),
    "limits that are a number": (agent({"tuning": {"default": 5}}), "harness.tuning.default"),
    "turns in quotes": (
        agent({"tuning": {"platform": {"maxTurns": "9"}}}),
        "harness.tuning.platform.maxTurns",
    ),
    "no turns": (agent({"tuning": {"cluster": {"maxTurns": 0}}}), "harness.tuning.cluster.maxTurns"),
    "retries that are a fraction": (
        agent({"tuning": {"default": {"apiMaxRetries": 1.5}}}),
        "harness.tuning.default.apiMaxRetries",
    ),
    "nothing in progress": (agent({"tuning": {"maxInProgress": 0}}), "harness.tuning.maxInProgress"),
    "a provider that is no text": (agent({"memory": {"provider": True}}), "harness.memory.provider"),
    "a front door in quotes": (
        agent({"experimental": {"platformFrontDoor": "true"}}),
        "harness.experimental.platformFrontDoor",
    ),
    "users by name": (
        agent(integration={"googleChat": {"allowedUsers": "a,b"}}),
        "integration.googleChat.allowedUsers",
    ),
    "a user twice": (
        agent(integration={"googleChat": {"allowedUsers": ["a", "a"]}}),
        "integration.googleChat.allowedUsers[1]",
    ),
    "Google Chat without a topic": (
        agent(integration={"googleChat": {"enabled": True, "projectId": "p", "subscriptionName": "s"}}),
        "integration.googleChat",
    ),
    "a variable twice": (
        agent(deployment={"env": [{"name": "A"}, {"name": "A", "value": "1"}]}),
        "deployment.env[1].name",
    ),
    "an unknown mode": (agent(integration={"googleChat": {"mode": "loud"}}), "integration.googleChat.mode"),
    "Slack that is a word": (agent(integration={"slack": "on"}), "integration.slack"),
    "a token without a key": (
        agent(integration={"slack": {"botTokenSecretRef": {"name": "s"}}}),
        "integration.slack.botTokenSecretRef.key",
    ),
    "a variable without a name": (agent(deployment={"env": [{"value": "1"}]}), "deployment.env[0].name"),
    "a storage without a name": (
        agent(deployment={"storages": [{"mountPath": "/a"}]}),
        "deployment.storages[0].name",
    ),
    "a mount without a path": (
        agent(deployment={"extraVolumeMounts": [{"name": "a"}]}),
        "deployment.extraVolumeMounts[0].mountPath",
    ),
    "a volume of a sidecar without a name": (
        agent(deployment={"sidecarVolumes": [{"emptyDir": {}}]}),
        "deployment.sidecarVolumes[0].name",
    ),
    "an annotation that is a boolean": (
        agent(deployment={"podAnnotations": {"a/b": True}}),
        "deployment.podAnnotations[a/b]",
    ),
    "replicas below zero": (
        agent(deployment={"availability": {"replicas": -1}}),
        "deployment.availability.replicas",
    ),
    "an integer beyond 2^53 in a field that is not known": (
        agent(deployment={"sidecars": [{"count": 2**53 + 1}]}),
        "deployment.sidecars[0].count",
    ),
}


@pytest.mark.parametrize(("value", "field"), STRICT.values(), ids=STRICT)
def test_what_is_known_is_typed_strictly(value: dict[str, Any], field: str) -> None:
    inventory, faults = decode_value(value)
    assert told(faults) == [("InvalidSpec", f"spec.{field}")]
    assert inventory.broken == {("PlatformAgent", "team", "subject")}
    assert not inventory.platform_agents


@pytest.mark.parametrize(
    ("annotations", "field"),
    [
        ({"kubeagents.x-k8s.io/enable-image-volumes": True}, "[kubeagents.x-k8s.io/enable-image-volumes]"),
        ({"a": 1}, ".a"),
        (["a"], ""),
    ],
)
def test_annotations_are_strings(annotations: object, field: str) -> None:
    value = agent()
    value["metadata"]["annotations"] = annotations
    _, faults = decode_value(value)
    assert told(faults) == [("InvalidSpec", f"metadata.annotations{field}")]


@pytest.mark.parametrize("mode", ["default", "debug", "DEBUG", "Default"])
def test_a_mode_is_compared_without_case(mode: str) -> None:
    found = decoded(agent(integration={"googleChat": {"mode": mode}}))
    assert found.google_chat == GoogleChat(mode=mode)


def test_an_empty_home_is_the_usual_one() -> None:
    assert decoded(agent({"hermes": {"agentHome": ""}})).home == "/opt/data"
