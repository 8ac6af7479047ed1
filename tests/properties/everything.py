"""A repository that uses every kind of input, and edits of it that must show in the output."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from tests.properties import manifests as make
from tests.properties.repositories import CONFIG

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.properties.manifests import Manifest


def objects() -> list[Manifest]:
    """Two namespaces that use every kind of input."""
    return [*_namespace("team", "v1alpha2", "OpenAI"), *_namespace("other", "v1alpha3", "Bedrock")]


def _namespace(name: str, version: str, provider: str) -> list[Manifest]:
    return [
        make.harness(version, "runtime", name, make.ENV),
        make.model(version, provider, "model", name),
        make.server(version, "headers", name, headersFrom=make.HEADERS),
        make.template(
            version,
            "lead",
            ["runtime"],
            name,
            systemPrompt='{{ include "texts/rules" }}',
            promptTemplate={"dataSources": [{"name": "texts"}]},
            tools=[
                make.mcp("headers", "b", "a"),
                make.agent("one", "helper"),
                make.agent("two", "critic", "Dedicated"),
            ],
            plugins=[make.plugin(version)],
        ),
        make.template(
            version, "helper", ["runtime"], name, tools=[make.agent("three", "critic", "Dedicated")]
        ),
        make.template(version, "critic", ["runtime"], name, systemPrompt="Zweifle – ständig.\n"),
        *make.supporting(name),
    ]


def _set(kind: str, name: str, *steps: str | int, to: object) -> Callable[[list[Manifest]], None]:
    """Sets one field of the objects with this kind and name in both namespaces."""

    def edit(manifests: list[Manifest]) -> None:
        for one in manifests:
            if one["kind"] == kind and one["metadata"]["name"] == name:
                value: Any = one
                for step in steps[:-1]:
                    value = value[step]
                value[steps[-1]] = to

    return edit


RELATED: Final[dict[str, Callable[[list[Manifest]], None]]] = {
    "a prompt in a ConfigMap": _set("ConfigMap", "texts", "data", "rules", to="Other."),
    "a header in a ConfigMap": _set("ConfigMap", "texts", "data", "agent", to="other/1"),
    "a prompt": _set("AgentTemplate", "critic", "spec", "systemPrompt", to="Other."),
    "a prompt that is no template": _set("AgentTemplate", "lead", "spec", "promptTemplate", to=None),
    "a description": _set("AgentTemplate", "helper", "spec", "description", to="Other."),
    "a label": _set("AgentTemplate", "helper", "metadata", "labels", "tier", to="two"),
    "the tools of a server": _set("AgentTemplate", "lead", "spec", "tools", 0, "mcp", "tools", to=["a"]),
    "the order of tools": _set("AgentTemplate", "lead", "spec", "tools", 0, "mcp", "tools", to=["a", "b"]),
    "the name of a binding": _set("AgentTemplate", "lead", "spec", "tools", 1, "agent", "name", to="other"),
    "the description of a binding": _set(
        "AgentTemplate", "lead", "spec", "tools", 1, "agent", "description", to="Other."
    ),
    "an isolation": _set("AgentTemplate", "lead", "spec", "tools", 1, "agent", "isolation", to="Dedicated"),
    "the target of a binding": _set(
        "AgentTemplate", "lead", "spec", "tools", 2, "agent", "templateRef", "name", to="helper"
    ),
    "a selection of skills": _set(
        "AgentTemplate", "lead", "spec", "plugins", 0, "skills", to=["commit-messages"]
    ),
    "a model": _set("ModelConfig", "model", "spec", "model", to="other"),
    "headers of a model": _set("ModelConfig", "model", "spec", "defaultHeaders", to={"X-A": "b"}),
    "the keys of a Secret": _set("Secret", "aws", "data", to={"AWS_BEARER_TOKEN_BEDROCK": ""}),
    "an address": _set("RemoteMCPServer", "headers", "spec", "url", to="https://other.example.com/mcp"),
    "a protocol": _set("RemoteMCPServer", "headers", "spec", "protocol", to="SSE"),
    "a time-out": _set("RemoteMCPServer", "headers", "spec", "timeout", to="7s"),
    "a header": _set("RemoteMCPServer", "headers", "spec", "headersFrom", 0, "value", to="other"),
    "the key of a header": _set(
        "RemoteMCPServer", "headers", "spec", "headersFrom", 2, "valueFrom", "key", to="other"
    ),
    "a variable": _set("Harness", "runtime", "spec", "env", 0, "value", to="other"),
    "the name of a variable": _set("Harness", "runtime", "spec", "env", 0, "name", to="OTHER"),
    "the key of a credential": _set(
        "Harness", "runtime", "spec", "env", 1, "credentialRef", "key", to="other"
    ),
    "an optional credential": _set(
        "Harness", "runtime", "spec", "env", 1, "credentialRef", "optional", to=True
    ),
    "an image": _set(
        "Harness", "runtime", "spec", "workload", "image", to=f"registry.example.com/x@sha256:{make.ZEROS}"
    ),
}
"""Every edit of `objects` that changes what some pair depends on."""

RELATED_SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "controller": {"controller": {"name": "other", "namespace": "kagent"}},
    "its namespace": {"controller": {"name": "kagent-controller", "namespace": "other"}},
    "tools": {"tools": {"url": "https://other:1"}},
    "region": {"artifacts": {"s3": {"region": "eu-west-1"}}},
    "endpoint": {"artifacts": {"s3": {"region": "eu-central-1", "endpoint": "https://other.example.com"}}},
    "protection": {"retention": {"revisions": 1, "protect": False}},
    **{
        field: {"substrate": {**CONFIG["spec"]["substrate"], field: value}}
        for field, value in {
            "workerPool": "other",
            "snapshotLocation": "s3://other/x",
            "pauseImage": f"registry.example.com/other@sha256:{make.ZEROS}",
        }.items()
    },
}
"""Every setting of RenderConfig that the output depends on, with another value."""


def edited(edit: Callable[[list[Manifest]], None]) -> list[Manifest]:
    """`objects` after an edit."""
    found = copy.deepcopy(objects())
    edit(found)
    return found
