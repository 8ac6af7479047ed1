"""Faults in models, MCP servers and credentials: DESIGN 5, 9 and 10."""

from __future__ import annotations

from typing import Any

from tests.faults.repository import (
    ALONE,
    EXTRA,
    MODEL,
    TEMPLATES,
    Edit,
    Fault,
    config_map,
    manifest,
    template,
)

_NAME = "ModelConfig/default-model"
_PROVIDER = "  provider: OpenAI\n"
_SECRET = "  apiKeySecret: model-credentials\n  apiKeySecretKey: token\n"


def _model(
    field: str, at: str, old: str, new: str, reason: str = "InvalidSpec", *extra: Edit, **more: Any
) -> Fault:
    return Fault(reason, _NAME, field, at, (Edit(MODEL, old, new), *extra), **more)


def _unsupported(field: str, at: str, spec: str, reason: str = "ProviderUnsupported", **more: Any) -> Fault:
    """A fault of the one model of one template, whose provider and Secret are replaced by `spec`."""
    return Fault(
        reason, _NAME, field, at,
        (Edit(MODEL, f"{_PROVIDER}  model: gpt-5-mini\n{_SECRET}", f"  model: some-model\n{spec}"),), **more,
    )  # fmt: skip


def _server(reason: str, field: str, at: str, spec: str, extra: str = "", **more: Any) -> Fault:
    """A fault in an MCP server that one more template binds."""
    text = template(
        "asking",
        "  tools:\n  - mcp:\n      server: {kind: RemoteMCPServer, name: search}\n      tools: [find]\n",
    )
    return Fault(
        reason, "RemoteMCPServer/search", field, at,
        (Edit(EXTRA, "", text + manifest("RemoteMCPServer", "search", spec) + extra),),
        failing=("asking",), sound=TEMPLATES, **more,
    )  # fmt: skip


def _shared_child(model: str, at: str) -> Fault:
    """A parent whose Shared child has a model of its own."""
    text = (
        template("child").replace("default-model", "other-model")
        + template(
            "parent",
            "  tools:\n  - agent:\n      name: child\n      description: A part.\n"
            "      templateRef: {name: child}\n",
        )
        + manifest("ModelConfig", "other-model", model)
    )
    return Fault(
        "CredentialUnsupported", "AgentTemplate/child", "spec.modelConfig.name", at,
        (Edit(EXTRA, "", text),), failing=("parent",), sound=(*TEMPLATES, "child"),
        says="two values", hint="Dedicated",
    )  # fmt: skip


MODELS = {
    "the block of another provider": _model(
        "spec.anthropic", "anthropic:", _PROVIDER, f"{_PROVIDER}  anthropic: {{maxTokens: 100}}\n",
        hint="remove `anthropic`",
    ),
    "an unknown provider": _model("spec.provider", "provider:", "OpenAI", "OpenAi", hint="`OpenAI`"),
    "no model name": _model("spec.model", "spec:", "  model: gpt-5-mini\n", ""),
    "a Secret without its key": _model("spec.apiKeySecretKey", "spec:", "  apiKeySecretKey: token\n", ""),
    "a key without its Secret": _model(
        "spec.apiKeySecret", "spec:", "  apiKeySecret: model-credentials\n", ""
    ),
    "a Secret of another namespace": _model(
        "spec.apiKeySecret.namespace", "namespace: other", "apiKeySecret: model-credentials",
        "apiKeySecret: {name: model-credentials, namespace: other}", "CrossNamespaceReference",
    ),
    "a Secret and a key that is passed through": _model(
        "spec", "spec:", _PROVIDER, f"{_PROVIDER}  apiKeyPassthrough: true\n"
    ),
    "two bounds of one length": _model(
        "spec.openAI", "openAI:", _PROVIDER,
        f"{_PROVIDER}  openAI: {{maxTokens: 10, maxCompletionTokens: 10}}\n",
    ),
    "a length that is text": _model(
        "spec.openAI.maxTokens", "maxTokens:", _PROVIDER, f"{_PROVIDER}  openAI: {{maxTokens: '10'}}\n",
        hint="without quotes",
    ),
    "an address with a password": _model(
        "spec.openAI.baseUrl", "baseUrl:", _PROVIDER,
        f"{_PROVIDER}  openAI: {{baseUrl: 'https://user:hunter2@models.example.com'}}\n",
    ),
    "an effort of the other dialect": _model(
        "spec.openAI.reasoningEffort", "reasoningEffort:", _PROVIDER,
        f"{_PROVIDER}  openAI: {{reasoningEffort: max}}\n", "InvalidSpec",
        Edit(MODEL, "kagent.dev/v1alpha2", "kagent.dev/v1alpha3"),
    ),
    "a version that does not exist": _model(
        "apiVersion", "apiVersion:", "kagent.dev/v1alpha2", "kagent.dev/v1beta1", "UnsupportedVersion",
        hint="`kagent.dev/v1alpha2` or `kagent.dev/v1alpha3`",
    ),
}  # fmt: skip

PROVIDERS = {
    "a provider without its block": _unsupported(
        "spec.ollama", "spec:", "  provider: Ollama\n", hint="add `spec.ollama`"
    ),
    "a temperature that is no number": _unsupported(
        "spec.openAI.temperature", "temperature:", f"{_SECRET}  openAI: {{temperature: warm}}\n"
    ),
    "an address without a scheme": _unsupported(
        "spec.openAI.baseUrl", "baseUrl:", f"{_SECRET}  openAI: {{baseUrl: models.example.com}}\n"
    ),
    "a CA certificate": _unsupported(
        "spec.tls.caCertSecretRef", "caCertSecretRef:",
        f"{_SECRET}  tls: {{caCertSecretRef: ca, caCertSecretKey: ca.crt}}\n", "VolumeRequired",
    ),
    "a token exchange": _unsupported(
        "spec.openAI.tokenExchange", "tokenExchange:",
        f"{_SECRET}  openAI:\n    tokenExchange:\n      type: GDCHServiceAccount\n"
        "      gdchServiceAccount: {audience: a}\n", "VolumeRequired",
    ),
    "a Google service account": _unsupported(
        "spec.apiKeySecret", "apiKeySecret:",
        f"  provider: GeminiVertexAI\n  geminiVertexAI: {{projectID: p, location: l}}\n{_SECRET}",
        "VolumeRequired",
    ),
    "a token in clear text": _unsupported(
        "spec.azureOpenAI.azureAdToken", "azureAdToken:",
        "  provider: AzureOpenAI\n  azureOpenAI:\n    azureEndpoint: https://a.example.com\n"
        "    apiVersion: '1'\n    azureAdToken: abc\n", "CredentialUnsupported",
    ),
    "a provider that needs a key and has none": _unsupported(
        "spec.apiKeySecret", "spec:", "  provider: Gemini\n", "CredentialUnsupported"
    ),
    "an endpoint of another namespace": _unsupported(
        "spec.foundry.endpointFrom.namespace", "namespace: other",
        f"  provider: Foundry\n{_SECRET}  foundry:\n    deployment: d\n"
        "    endpointFrom: {name: endpoints, key: foundry, namespace: other}\n", "CrossNamespaceReference",
    ),
    "an endpoint in a ConfigMap that does not exist": _unsupported(
        "spec.foundry.endpointFrom.name", "name: endpoints",
        f"  provider: Foundry\n{_SECRET}  foundry:\n    deployment: d\n"
        "    endpointFrom: {name: endpoints, key: foundry}\n", "ConfigMapNotFound",
    ),
    "a key of a Secret whose keys have names of their own, under --strict": _unsupported(
        "spec.apiKeySecretKey", "apiKeySecretKey:",
        f"  provider: SAPAICore\n{_SECRET}  sapAICore: {{baseUrl: 'https://models.example.com'}}\n",
        "FieldIgnored", base=ALONE, args=("--strict",), hint="remove the field",
    ),
    "a Secret name that no Secret can have": _unsupported(
        "spec.apiKeySecret", "apiKeySecret:", "  apiKeySecret: Model_Credentials\n  apiKeySecretKey: token\n",
        "CredentialUnsupported", hint="correct the reference",
    ),
    "Bedrock keys that nobody lists, under --strict": _unsupported(
        "spec.apiKeySecret", "apiKeySecret:",
        "  provider: Bedrock\n  apiKeySecret: aws\n  bedrock: {region: eu-central-1}\n",
        "CredentialKeysUnknown", base=ALONE, args=("--strict",),
    ),
}  # fmt: skip

SERVERS = {
    "an MCP address without a scheme": _server(
        "InvalidSpec", "spec.url", "url:", "  description: Search.\n  url: mcp.example.com/mcp\n",
        hint="the whole URL",
    ),
    "an MCP address with a password": _server(
        "InvalidSpec", "spec.url", "url:", "  description: Search.\n  url: https://u:hunter2@mcp.example.com\n"
    ),
    "an MCP server with a CA certificate": _server(
        "VolumeRequired", "spec.tls.caCertSecretRef", "caCertSecretRef:",
        "  description: Search.\n  url: https://mcp.example.com/mcp\n"
        "  tls: {caCertSecretRef: ca, caCertSecretKey: ca.crt}\n",
    ),
    "an MCP header of another namespace": _server(
        "CrossNamespaceReference", "spec.headersFrom[0].valueFrom.namespace", "namespace: other",
        "  description: Search.\n  url: https://mcp.example.com/mcp\n  headersFrom:\n  - name: X-Key\n"
        "    valueFrom: {type: Secret, name: keys, key: mcp, namespace: other}\n",
    ),
    "an MCP header in a ConfigMap that does not exist": _server(
        "ConfigMapNotFound", "spec.headersFrom[0].valueFrom.name", "name: headers",
        "  description: Search.\n  url: https://mcp.example.com/mcp\n  headersFrom:\n  - name: X-Team\n"
        "    valueFrom: {type: ConfigMap, name: headers, key: team}\n",
    ),
    "an MCP header in a key that does not exist": _server(
        "ConfigMapKeyNotFound", "spec.headersFrom[0].valueFrom.key", "key: team",
        "  description: Search.\n  url: https://mcp.example.com/mcp\n  headersFrom:\n  - name: X-Team\n"
        "    valueFrom: {type: ConfigMap, name: headers, key: team}\n",
        config_map("headers", "  other: x\n"), hint="`data.team`",
    ),
    "an MCP server without a description": _server(
        "InvalidSpec", "spec.description", "spec:\n  url: https", "  url: https://mcp.example.com/mcp\n"
    ),
    "a timeout that is no duration": _server(
        "InvalidSpec", "spec.timeout", "timeout:",
        "  description: Search.\n  url: https://mcp.example.com/mcp\n  timeout: soon\n",
    ),
}  # fmt: skip

COLLISIONS = {
    "a Shared child with a credential of its own": _shared_child(
        "  model: gpt-5-nano\n  apiKeySecret: child-credentials\n  apiKeySecretKey: token\n",
        "name: other-model\n  harnesses",
    ),
    "a Shared child with another key of the Secret": _shared_child(
        "  model: gpt-5-nano\n  apiKeySecret: model-credentials\n  apiKeySecretKey: other\n",
        "name: other-model\n  harnesses",
    ),
}

CASES = MODELS | PROVIDERS | SERVERS | COLLISIONS
