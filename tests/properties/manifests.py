"""Manifests as values: one of everything that a pair can depend on."""

from __future__ import annotations

import copy
from typing import Any, Final

Manifest = dict[str, Any]

ZEROS: Final = "0" * 64
IMAGE: Final = f"registry.example.com/agent-runtime@sha256:{ZEROS}"
LLM: Final = {"apiKeySecret": "llm", "apiKeySecretKey": "token"}

PROVIDERS: Final[dict[str, dict[str, Any]]] = {
    "OpenAI": {**LLM, "openAI": {"organization": "org", "temperature": "0.5", "maxTokens": 100}},
    "Anthropic": {**LLM, "anthropic": {"baseUrl": "https://claude.example.com/v1", "topK": 3}},
    "AzureOpenAI": {
        **LLM,
        "azureOpenAI": {"azureEndpoint": "https://azure.example.com", "apiVersion": "2024-10-21"},
    },
    "Ollama": {"ollama": {"host": "ollama.team:11434", "options": {"num_ctx": "2048"}}},
    "Gemini": {**LLM, "gemini": {"maxOutputTokens": 200}},
    "GeminiVertexAI": {"geminiVertexAI": {"projectID": "project", "location": "europe-west1"}},
    "AnthropicVertexAI": {"anthropicVertexAI": {"projectID": "project", "location": "global"}},
    "Bedrock": {"apiKeySecret": "aws", "bedrock": {"region": "eu-central-1", "readTimeout": 30}},
    "SAPAICore": {
        "apiKeySecret": "sap",
        "sapAICore": {"baseUrl": "https://sap.example.com", "authUrl": "https://login.example.com"},
    },
    "Foundry": {**LLM, "foundry": {"endpointFrom": {"name": "texts", "key": "foundry"}, "deployment": "d"}},
}
"""A valid ModelConfig spec for each provider, without `model` and `provider`."""

DEFAULTS: Final[dict[str, tuple[tuple[str, Any], ...]]] = {
    "openAI": (("apiFormat", "chatCompletions"),),
    "bedrock": (("promptCaching", False), ("cacheTTL", "5m")),
    "sapAICore": (("resourceGroup", "default"),),
    "foundry": (("apiVersion", "2024-10-21"),),
}
"""What an API server sets where a provider's block leaves it out."""


def manifest(api: str, kind: str, name: str, namespace: str = "team", **content: Any) -> Manifest:
    """One object; `content` stands beside its metadata, and `labels` in it."""
    metadata = {"namespace": namespace, "name": name}
    if labels := content.pop("labels", None):
        metadata["labels"] = labels
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **content}


def harness(version: str, name: str, namespace: str = "team", env: list[Any] | None = None) -> Manifest:
    """A Harness that admits every template of its namespace."""
    spec: dict[str, Any] = {
        "python" if version == "v1alpha2" else "kagent": {},
        "workload": {"image": IMAGE},
        "allowedAgentTemplates": {"selector": {}},
    }
    if version == "v1alpha3":
        spec["substrate"] = {
            "workerPoolRef": {"name": "own-pool"},
            "snapshotPolicy": {"location": "s3://snapshots/own"},
        }
    if env:
        spec["env"] = env
    return manifest(f"kagent.dev/{version}", "Harness", name, namespace, spec=spec)


def template(version: str, name: str, harnesses: list[str], namespace: str = "team", **spec: Any) -> Manifest:
    """An AgentTemplate; it includes `harnesses` where its dialect has a list of them."""
    content: dict[str, Any] = {"modelConfig": {"name": "model"}, **spec}
    if version == "v1alpha2":
        content["harnesses"] = {"include": [{"name": one} for one in harnesses]}
    return manifest(
        f"kagent.dev/{version}", "AgentTemplate", name, namespace, spec=content, labels={"tier": "one"}
    )


def model(version: str, provider: str, name: str = "model", namespace: str = "team") -> Manifest:
    """A ModelConfig of `provider`."""
    spec = {"model": f"{name}-1", "provider": provider, **copy.deepcopy(PROVIDERS[provider])}
    return manifest(f"kagent.dev/{version}", "ModelConfig", name, namespace, spec=spec)


def server(version: str, name: str, namespace: str = "team", **spec: Any) -> Manifest:
    """A RemoteMCPServer at an address of its own."""
    content = {"description": name, "url": f"https://{name}.example.com/mcp", **spec}
    return manifest(f"kagent.dev/{version}", "RemoteMCPServer", name, namespace, spec=content)


def agent(name: str, target: str, isolation: str | None = None) -> dict[str, Any]:
    """A binding to another template; without an isolation it is Shared."""
    binding: dict[str, Any] = {
        "name": name,
        "description": f"asks {target}",
        "templateRef": {"name": target},
    }
    if isolation is not None:
        binding["isolation"] = isolation
    return {"agent": binding}


def mcp(name: str, *tools: str, kind: str = "RemoteMCPServer") -> dict[str, Any]:
    """A binding to tools of an MCP server."""
    return {"mcp": {"server": {"kind": kind, "name": name}, "tools": list(tools)}}


def plugin(version: str) -> dict[str, Any]:
    """Skills of the plugin that `repository.write` vendors."""
    return {"source": {"bucket": {"s3": plugin_object(version)}}, "skills": ["code-review"]}


def plugin_object(version: str) -> dict[str, str]:
    """The S3 object of the vendored plugin; v1alpha3 has to name an endpoint."""
    found = {"bucket": "agent-content", "key": "plugins/practices.zip", "versionId": "one"}
    return found if version == "v1alpha2" else {**found, "endpoint": "https://s3.example.com"}


def supporting(namespace: str = "team") -> list[Manifest]:
    """The ConfigMap and the Secret that the objects above refer to."""
    texts = {
        "prompt": "Read this first.\n\nThen that: ${HOME} and $${HOME}.\n",
        "rules": "Mind {{ .AgentTemplateName }}'s äöü.",
        "foundry": "https://foundry.example.com\n",
        "agent": "tests/1.0",
    }
    keys = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": ""}
    return [
        manifest("v1", "ConfigMap", "texts", namespace, data=texts),
        manifest("v1", "Secret", "aws", namespace, data=keys),
    ]


HEADERS: Final = [
    {"name": "X-Plain", "value": "plain"},
    {"name": "User-Agent", "valueFrom": {"type": "ConfigMap", "name": "texts", "key": "agent"}},
    {"name": "Authorization", "valueFrom": {"type": "Secret", "name": "mcp", "key": "token"}},
]
"""A literal header, one from a ConfigMap and one from a Secret."""

ENV: Final = [
    {"name": "LOG_LEVEL", "value": "debug"},
    {"name": "EXTRA_TOKEN", "credentialRef": {"name": "extra", "key": "token"}},
    {"name": "MAYBE", "credentialRef": {"name": "maybe", "key": "a.b", "optional": True}},
]
"""A literal variable, a credential reference and an optional one."""
