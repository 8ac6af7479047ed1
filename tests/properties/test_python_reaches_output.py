"""Whatever a ModelConfig or an MCP server sets shows in what the `python` runtime gets, or is said.

One field is set, changed or removed. Then the configuration, the environment or the egress of the boundary
changes, or a diagnostic stands at that field.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kagent_render.api.decoding import decode
from kagent_render.api.mcpserver import McpServerSpec
from kagent_render.api.modelconfig import ModelConfigSpecV1alpha2
from kagent_render.api.providers import PROVIDER_BLOCKS
from kagent_render.api.remotemcpserver import RemoteMCPServerSpec
from kagent_render.api.tls import TlsConfig
from tests.compile.boundaries import compiled, resolve, template
from tests.manifests import documents

pytestmark = pytest.mark.process

Fields = dict[str, st.SearchStrategy[Any]]
Values = dict[str, Any]

_few = settings(max_examples=3, derandomize=True, deadline=None, database=None)

WORD: Final = st.sampled_from(["a", "b", "c"])
NUMBER: Final = st.sampled_from(["0", "0.5", "1"])
COUNT: Final = st.integers(0, 3)
POSITIVE: Final = st.integers(1, 3)
URL: Final = st.sampled_from(["https://a.example", "http://b.example:81/v1"])
SET: Final = st.just(True)
WORDS: Final = st.dictionaries(st.sampled_from(["X-A", "X-B"]), WORD, min_size=1)
DURATION: Final = st.sampled_from(["0s", "7s", "1m30s"])

COMMON: Final[Fields] = {
    "model": WORD,
    "apiKeySecret": WORD,
    "apiKeySecretKey": WORD,
    "apiKeyPassthrough": SET,
    "defaultHeaders": WORDS,
    "tls.disableVerify": SET,
    "tls.disableSystemCAs": SET,
    "tls.caCertSecretRef": WORD,
    "tls.caCertSecretKey": WORD,
}
_PLACE: Final[Fields] = {"projectID": WORD, "location": WORD}
_SAMPLING: Final[Fields] = {"temperature": NUMBER, "topP": NUMBER, "topK": NUMBER}
_STOP: Final[Fields] = {"stopSequences": st.lists(WORD, min_size=1, max_size=2)}
BLOCKS: Final[dict[str, Fields]] = {
    "OpenAI": {
        "baseUrl": URL,
        "organization": WORD,
        "temperature": NUMBER,
        "maxTokens": POSITIVE,
        "maxCompletionTokens": POSITIVE,
        "topP": NUMBER,
        "frequencyPenalty": NUMBER,
        "presencePenalty": NUMBER,
        "seed": COUNT,
        "n": COUNT,
        "timeout": COUNT,
        "apiFormat": st.sampled_from(["chatCompletions", "responses"]),
        "tokenExchange": st.just({"type": "GDCHServiceAccount", "gdchServiceAccount": {"audience": "a"}}),
        "reasoningEffort": st.sampled_from(["none", "low", "max"]),
    },
    "Anthropic": {"baseUrl": URL, "maxTokens": COUNT, "temperature": NUMBER, "topP": NUMBER, "topK": COUNT},
    "AzureOpenAI": {
        "azureEndpoint": URL,
        "apiVersion": WORD,
        "azureDeployment": WORD,
        "azureAdToken": WORD,
        "temperature": NUMBER,
        "maxTokens": COUNT,
        "topP": NUMBER,
    },
    "Ollama": {"host": URL, "options": st.dictionaries(WORD, NUMBER, min_size=1)},
    "Gemini": {"maxOutputTokens": POSITIVE},
    "GeminiVertexAI": {
        **_PLACE,
        **_SAMPLING,
        **_STOP,
        "maxOutputTokens": POSITIVE,
        "candidateCount": COUNT,
        "responseMimeType": WORD,
    },
    "AnthropicVertexAI": {**_PLACE, **_SAMPLING, **_STOP, "maxTokens": COUNT},
    "Bedrock": {
        "region": WORD,
        "additionalModelRequestFields": st.dictionaries(WORD, COUNT, min_size=1),
        "promptCaching": SET,
        "cacheTTL": st.sampled_from(["5m", "1h"]),
        "guardrail": st.fixed_dictionaries(
            {"identifier": WORD, "version": WORD, "trace": st.sampled_from(["disabled", "enabled"])}
        ),
        "readTimeout": POSITIVE,
        "connectTimeout": POSITIVE,
    },
    "SAPAICore": {"baseUrl": URL, "resourceGroup": WORD, "authUrl": URL},
    "Foundry": {
        "endpoint": URL,
        "endpointFrom": st.fixed_dictionaries(
            {"name": st.just("texts"), "key": st.sampled_from(["one", "two"])}
        ),
        "deployment": WORD,
        "apiVersion": WORD,
    },
}
SERVER: Final[Fields] = {
    "url": URL.map(lambda url: url.replace("http:", "https:")),
    "protocol": st.sampled_from(["SSE", "STREAMABLE_HTTP"]),
    "headersFrom": st.lists(
        st.fixed_dictionaries({"name": st.sampled_from(["X-A", "X-B", "x-a"]), "value": WORD}),
        min_size=1,
        max_size=3,
    ),
    "timeout": DURATION,
    "sseReadTimeout": DURATION,
    "terminateOnClose": st.just(False),
    **{name: values for name, values in COMMON.items() if name.startswith("tls.")},
}
SERVED: Final[Fields] = {
    "deployment": st.fixed_dictionaries({"port": POSITIVE}),
    "timeout": DURATION,
    "httpTransport": st.fixed_dictionaries({"path": st.sampled_from(["/mcp", "/a", "/b"])}),
}

NOT_FOR_AGENTS: Final = {
    "description": "tells people what the server is",
    "allowedNamespaces": "admits agents of other namespaces, and here is one namespace only",
    "transportType": "how the server runs in its Pod",
    "stdioTransport": "how the server runs in its Pod",
    "authn": "what the server asks of its callers",
    "authz": "what the server asks of its callers",
    "routeFilter": "what the server asks of its callers",
}
"""Fields of an MCP server that no runtime could be told, with what they are for."""

ALONE: Final = {"azureAdToken", "tokenExchange", "caCertSecretRef", "caCertSecretKey", "disableSystemCAs"}
"""Set where they are tried only: most are errors, and beside an error there is no output to compare."""

APART: Final = (
    {"maxTokens", "maxCompletionTokens"},
    {"endpoint", "endpointFrom"},
    {"apiKeySecret", "apiKeyPassthrough"},
)
NEEDS: Final = {
    "apiKeySecret": "apiKeySecretKey",
    "apiKeySecretKey": "apiKeySecret",
    "caCertSecretRef": "caCertSecretKey",
    "caCertSecretKey": "caCertSecretRef",
    "disableSystemCAs": "disableVerify",
}

_TEXTS = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: team, name: texts}\n"
    "data: {one: 'https://one.example', two: 'https://two.example'}\n"
)


@dataclass(frozen=True)
class Seen:
    """What came of one manifest: its defaulted spec, its output and the fields of its diagnostics."""

    spec: object
    output: object
    fields: frozenset[str]

    def says(self, field: str) -> bool:
        """Whether a diagnostic stands at a field or in it."""
        return any(found == field or found.startswith((f"{field}.", f"{field}[")) for found in self.fields)


def last(field: str) -> str:
    return field.rpartition(".")[2]


def nested(values: Values) -> dict[str, Any]:
    """Dotted fields as the mappings that they stand for."""
    made: dict[str, Any] = {}
    for field, value in values.items():
        *above, name = field.split(".")
        holder = made
        for step in above:
            holder = holder.setdefault(step, {})
        holder[name] = value
    return made


def manifest(kind: str, name: str, values: Values) -> str:
    version = "v1alpha1" if kind == "MCPServer" else "v1alpha2"
    metadata = {"namespace": "team", "name": name}
    return json.dumps(
        {"apiVersion": f"kagent.dev/{version}", "kind": kind, "metadata": metadata, "spec": nested(values)}
    )


def look(kind: str, values: Values) -> Seen:
    """Compile a template that uses the object; what the API server refuses is no example."""
    text = manifest(kind, "own", values)
    decoded, faults = decode(documents(text))
    assume(not any(fault.is_error for fault in faults))
    model = 'name: "own"' if kind == "ModelConfig" else "name: model"
    binding = f"{{mcp: {{server: {{kind: {kind}, name: own}}, tools: [a]}}}}"
    tools = "" if kind == "ModelConfig" else f"tools: [{binding}]"
    lead = template("lead", tools).replace("name: model", model)
    sources = (*decoded.model_configs.values(), *decoded.mcp_servers.values())
    resolution = resolve(lead, text, _TEXTS, manifest("ModelConfig", "model", {"model": "m"}))
    found, output = list(resolution.faults), None
    if resolution.resolved is not None:
        boundary, more = compiled(lead, text, _TEXTS)
        found, output = [*found, *more], (boundary.env, boundary.bundle.egress)
    told = {fault.field or "" for fault in found if not fault.reason.startswith("Capability")}
    return Seen(json.dumps([source.spec for source in sources], sort_keys=True), output, frozenset(told))


@st.composite
def changes(draw: st.DrawFn, field: str, fields: Fields, required: frozenset[str]) -> tuple[Values, Values]:
    """Values that set a field among others, and the same with it changed or, where it may be, removed."""
    others = [name for name in fields if name in required or last(name) not in ALONE]
    chosen = {field, *required, *draw(st.sets(st.sampled_from(others)))}
    needed = {NEEDS.get(last(name)) for name in chosen}
    chosen |= {name for name in fields if last(name) in needed}
    for pair in APART:
        if {last(name) for name in chosen} >= pair:
            lost = pair - {last(field)} if last(field) in pair else {max(pair)}
            chosen = {name for name in chosen if last(name) not in lost}
    before = {name: draw(fields[name]) for name in sorted(chosen)}
    without = {name: value for name, value in before.items() if name != field}
    if field not in required and draw(st.booleans()):
        return before, without
    return before, {**without, field: draw(fields[field])}


def assert_shows(kind: str, field: str, before: Values, after: Values) -> None:
    one, other = look(kind, before), look(kind, after)
    assume(one.spec != other.spec)
    path = f"spec.{field}".replace("SecretKey", "SecretRef") if field.startswith("tls.") else f"spec.{field}"
    said = one.says(path) or other.says(path)
    assert said or one.output != other.output, (path, before, after)
    assert said or one.output is not None, (path, before)


def of_provider(provider: str) -> tuple[Fields, frozenset[str]]:
    block = PROVIDER_BLOCKS[provider]
    fields = {**COMMON, **{f"{block}.{name}": values for name, values in BLOCKS[provider].items()}}
    required = {"projectID", "location", "azureEndpoint", "apiVersion", "region", "deployment"}
    if provider in ("Ollama", "SAPAICore"):
        required |= {"host", "baseUrl"}
    if provider == "Gemini":
        required |= {"apiKeySecret", "apiKeySecretKey"}
        del fields["apiKeyPassthrough"]
    if provider == "Foundry":
        required |= {"endpoint"}
    if provider.endswith("VertexAI"):
        fields = {name: values for name, values in fields.items() if not name.startswith("apiKey")}
    return fields, frozenset({"model", *(name for name in fields if last(name) in required)})


@pytest.mark.parametrize(
    ("provider", "field"),
    [(provider, field) for provider in PROVIDER_BLOCKS for field in sorted(of_provider(provider)[0])],
)
@_few
@given(data=st.data())
def test_every_setting_of_a_model_shows_or_is_said(provider: str, field: str, data: st.DataObject) -> None:
    before, after = data.draw(changes(field, *of_provider(provider)))
    # Azure calls a deployment, whatever the model behind it is named
    assume(field != "model" or "azureOpenAI.azureDeployment" not in before)
    assert_shows("ModelConfig", field, {**before, "provider": provider}, {**after, "provider": provider})


@pytest.mark.parametrize(
    ("kind", "field"),
    [*(("RemoteMCPServer", field) for field in SERVER), *(("MCPServer", field) for field in SERVED)],
)
@_few
@given(data=st.data())
def test_every_setting_of_a_server_shows_or_is_said(kind: str, field: str, data: st.DataObject) -> None:
    fields, required = (SERVER, {"url"}) if kind == "RemoteMCPServer" else (SERVED, {"deployment"})
    before, after = data.draw(changes(field, fields, frozenset(required)))
    given_too = {"description": "d"} if kind == "RemoteMCPServer" else {}
    assert_shows(kind, field, {**before, **given_too}, {**after, **given_too})


def names(model: Any) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def test_no_field_of_a_model_is_left_out() -> None:
    spec = ModelConfigSpecV1alpha2
    by_alias = {field.alias: field.annotation for field in spec.model_fields.values()}
    assert names(spec) - set(PROVIDER_BLOCKS.values()) - {"provider", "tls"} == {
        name for name in COMMON if "." not in name
    }
    assert {f"tls.{name}" for name in names(TlsConfig)} == {name for name in COMMON if "." in name}
    for provider, block in PROVIDER_BLOCKS.items():
        (model,) = (part for part in by_alias[block].__args__ if part is not type(None))  # type: ignore[union-attr]
        assert names(model) == set(BLOCKS[provider])


def test_no_field_of_a_server_is_left_out() -> None:
    told = {name.split(".")[0] for name in (*SERVER, *SERVED)}
    known = names(RemoteMCPServerSpec) | names(McpServerSpec)
    assert known - set(NOT_FOR_AGENTS) == told
    assert set(NOT_FOR_AGENTS) <= known
