"""What the `python` runtime is not told of a ModelConfig or an MCP server, as a diagnostic at each field."""

from __future__ import annotations

import pytest

from tests.compile.boundaries import compiled, template
from tests.manifests import model, server, told

_VERTEX = "projectID: p, location: l"
_KEY = "apiKeySecret: s, apiKeySecretKey: k"


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        pytest.param(
            f"{{provider: GeminiVertexAI, model: m, geminiVertexAI: {{{_VERTEX}, temperature: '1', topP: '1',"
            " topK: '1', stopSequences: [a], maxOutputTokens: 9, candidateCount: 0, responseMimeType: a/b}}",
            [
                "spec.geminiVertexAI.temperature",
                "spec.geminiVertexAI.topP",
                "spec.geminiVertexAI.topK",
                "spec.geminiVertexAI.stopSequences",
                "spec.geminiVertexAI.candidateCount",
                "spec.geminiVertexAI.responseMimeType",
            ],
            id="Gemini on Vertex AI has a maximum of tokens alone",
        ),
        pytest.param(
            f"{{provider: AnthropicVertexAI, model: m, anthropicVertexAI: {{{_VERTEX}, maxTokens: 9}}}}",
            ["spec.anthropicVertexAI.maxTokens"],
            id="Anthropic on Vertex AI has no settings",
        ),
        pytest.param(
            f"{{model: m, {_KEY}, openAI: {{'n': 0, seed: 0, timeout: 1, temperature: '0'}}}}",
            ["spec.openAI.n", "spec.openAI.seed"],
            id="a number of 0 is written as none",
        ),
        pytest.param(
            f"{{provider: Ollama, model: m, {_KEY}, ollama: {{host: 'http://o'}}}}",
            ["spec.apiKeySecret", "spec.apiKeySecretKey"],
            id="Ollama has no key",
        ),
        pytest.param(
            f"{{provider: SAPAICore, model: m, {_KEY}, sapAICore: {{baseUrl: 'https://h'}}}}",
            ["spec.apiKeySecretKey"],
            id="the keys of SAP AI Core have names of their own",
        ),
        pytest.param(
            f"{{provider: Foundry, model: m, {_KEY}, defaultHeaders: {{}}, tls: {{disableVerify: false}},"
            " apiKeyPassthrough: false, foundry: {endpoint: 'https://h', deployment: d}}",
            [],
            id="what is empty or false says nothing",
        ),
        pytest.param(
            f"{{provider: Anthropic, model: m, {_KEY}, anthropic: {{temperature: '', topP: ''}}}}",
            [],
            id="an empty number says nothing",
        ),
    ],
)
def test_a_setting_of_a_model_that_the_runtime_is_not_told_is_said(spec: str, fields: list[str]) -> None:
    _, faults = compiled(template("lead").replace("{name: model}", "{name: own}"), model(spec, "own"))
    assert told(faults) == [("FieldIgnored", field) for field in fields]
    assert not any(fault.is_error for fault in faults)


_SERVED = """\
apiVersion: kagent.dev/v1alpha1
kind: MCPServer
metadata: {{namespace: team, name: server}}
spec: {{deployment: {{port: 80}}, transportType: http, httpTransport: {{targetPort: 80, path: {path}}}}}
"""


@pytest.mark.parametrize(
    ("manifest", "fields"),
    [
        pytest.param(
            server("{description: d, url: 'https://h', protocol: SSE, terminateOnClose: false}"),
            ["spec.terminateOnClose"],
            id="SSE has nothing to terminate",
        ),
        pytest.param(
            server("{description: d, url: 'https://h', protocol: SSE, sseReadTimeout: 1s, timeout: 1s}"),
            [],
            id="SSE has both time-outs",
        ),
        pytest.param(
            server("{description: d, url: 'https://h', sseReadTimeout: 1s, terminateOnClose: false}"),
            [],
            id="HTTP has every setting",
        ),
        pytest.param(
            server(
                "{description: d, url: 'https://h',"
                " headersFrom: [{name: A, value: x}, {name: B, value: x}, {name: A, value: z}]}"
            ),
            ["spec.headersFrom[0]"],
            id="a header that is set again",
        ),
        pytest.param(_SERVED.format(path="/tools"), ["spec.httpTransport.path"], id="a path of its own"),
        pytest.param(_SERVED.format(path="/mcp"), [], id="the path that is called"),
    ],
)
def test_a_setting_of_a_server_that_the_runtime_is_not_told_is_said(manifest: str, fields: list[str]) -> None:
    kind = "MCPServer" if "kind: MCPServer" in manifest else "RemoteMCPServer"
    binding = f"{{mcp: {{server: {{kind: {kind}, name: server}}, tools: [a]}}}}"
    _, faults = compiled(template("lead", f"tools: [{binding}]"), manifest)
    assert told(faults) == [("FieldIgnored", field) for field in fields]
    assert not any(fault.is_error for fault in faults)
