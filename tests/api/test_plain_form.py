"""A resource comes back from its plain form as it was, down to the types of what it holds."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from kagent_render.api.decoding import decode_document
from kagent_render.api.plain_form import from_plain_form, plain_form
from kagent_render.source.objects import read_objects
from tests.properties import manifests as make
from tests.properties.everything import objects
from tests.properties.repositories import repositories, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.api.hub import Resource
    from tests.properties.manifests import Manifest

SOURCES = [
    {"oci": f"registry.example.com/x@sha256:{make.ZEROS}"},
    {"git": {"url": "https://git.example.com/x", "commit": "a" * 40}, "path": "some/where"},
]
SELECTOR = {"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["a", "b"]}]}


def resources(manifests: Sequence[Manifest]) -> list[Resource]:
    found = (decode_document(document) for document in read_objects("a.yaml", text_of(manifests)))
    return [item.resource for item in found if item.resource is not None]


def assert_comes_back(resource: Resource) -> None:
    again = from_plain_form(json.loads(json.dumps(plain_form(resource))), resource.document)
    assert again == resource
    assert repr(again) == repr(resource)  # equality does not tell an enum from its text


@settings(max_examples=10, derandomize=True, deadline=None, database=None)
@given(repositories())
def test_every_resource_comes_back(manifests: list[Manifest]) -> None:
    for resource in resources(manifests):
        if resource.ref.kind != "Secret":
            assert_comes_back(resource)


@pytest.mark.parametrize(
    "manifest",
    [
        *chain.from_iterable(
            (make.model(version, provider, "m") for provider in sorted(make.PROVIDERS))
            for version in ("v1alpha2", "v1alpha3")
        ),
        *(
            make.template(
                "v1alpha3", "t", ["r"], skills=[{"name": "s", "source": source}], systemPrompt="Hello."
            )
            for source in SOURCES
        ),
    ],
    ids=lambda manifest: f"{manifest['apiVersion']} {manifest['spec'].get('provider', 'template')}",
)
def test_every_provider_and_source_comes_back(manifest: Manifest) -> None:
    found = resources([manifest])
    assert len(found) == 1
    assert_comes_back(found[0])


def test_a_selector_with_expressions_comes_back() -> None:
    manifest = make.harness("v1alpha2", "r", "team", [])
    manifest["spec"]["allowedAgentTemplates"] = {"selector": SELECTOR}
    assert_comes_back(resources([manifest])[0])


PLUGIN: Manifest = {
    "agentRef": "a",
    "image": "i",
    "targetProfile": "platform",
    "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"secretKeyRef": {"key": "k"}}}],
}
AGENT: Manifest = {
    "harness": {
        "clusterName": "c",
        "location": "l",
        "projectId": "p",
        "tuning": {"default": {"maxTurns": 3}, "cluster": {}, "maxInProgress": 1},
        "other": [["tuple"], {"tuning": ["Limits"]}],
    },
    "integration": {"googleChat": {"allowedUsers": ["u"]}, "slack": {"enabled": True}},
    "deployment": {"podAnnotations": {"a": "b"}, "storages": [{"name": "s", "mountPath": "/s"}]},
}


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("AgentPlugin", PLUGIN),
        ("AgentPlugin", {"agentRef": "a", "image": "i"}),
        ("PlatformAgent", AGENT),
        ("PlatformAgent", {"harness": {"clusterName": "c", "location": "l", "projectId": "p"}}),
    ],
)
def test_a_plugin_and_its_agent_come_back(kind: str, spec: Manifest) -> None:
    subject = make.manifest("kubeagents.x-k8s.io/v1alpha1", kind, "subject", spec=spec)
    subject["metadata"] |= {"generation": 2, "annotations": {"a/b": "true"}}
    subject["status"] = {"targetAgents": ["a"]}
    (found,) = resources([subject])
    assert_comes_back(found)


def test_a_secret_has_no_plain_form() -> None:
    [secret] = [found for found in resources(objects()[:12]) if found.ref.kind == "Secret"][:1]
    with pytest.raises(TypeError):
        plain_form(secret)
