"""What a template refers to is looked up, pinned by digest, and told when it is not there."""

from __future__ import annotations

import pytest

from kagent_render.api.decoding import decode
from kagent_render.compile.resolution import Resolution, resolve_template
from kagent_render.revision.spec_digest import digest_specs
from tests.compile.boundaries import MODEL, resolve, template
from tests.manifests import documents, model, server, told

TEXTS = """\
apiVersion: v1
kind: ConfigMap
metadata: {namespace: team, name: texts}
data: {rules: Be brief., other: Unused.}
binaryData: {bytes: AAAA}
"""
SERVER = server("{description: d, url: 'https://h'}")
MCP = "tools: [{mcp: {server: {kind: RemoteMCPServer, name: %s}, tools: [t]}}]"
INCLUDE = "systemPrompt: '{{include \"texts/%s\"}}'\n  promptTemplate: {dataSources: [{name: texts}]}"


def inputs(found: Resolution) -> list[tuple[str, str | None, str | None]]:
    assert found.resolved is not None, found.faults
    return [(used.ref.kind, used.ref.name, used.key) for used in found.resolved.inputs]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param([template("lead")], [("ModelConfig", "model", None)], id="the model"),
        pytest.param(
            [template("lead", MCP % "server"), SERVER],
            [("ModelConfig", "model", None), ("RemoteMCPServer", "server", None)],
            id="an MCP server",
        ),
        pytest.param(
            [template("lead", prompt=INCLUDE % "rules"), TEXTS],
            [("ModelConfig", "model", None), ("ConfigMap", "texts", "rules")],
            id="only the keys that are used",
        ),
        pytest.param(
            [template("lead", prompt="systemPromptFrom: {name: texts, key: rules}"), TEXTS],
            [("ModelConfig", "model", None), ("ConfigMap", "texts", "rules")],
            id="a prompt by reference",
        ),
    ],
)
def test_everything_that_is_used_is_an_input(
    texts: list[str], expected: list[tuple[str, str | None, str | None]]
) -> None:
    assert inputs(resolve(*texts, MODEL)) == expected


def test_a_server_s_headers_are_inputs_by_key() -> None:
    headers = "headersFrom: [{name: A, valueFrom: {type: ConfigMap, name: texts, key: rules}}]"
    found = resolve(
        template("lead", MCP % "server"),
        MODEL,
        TEXTS,
        server(f"{{description: d, url: 'https://h', {headers}}}"),
    )
    assert ("ConfigMap", "texts", "rules") in inputs(found)


def test_the_key_names_of_a_bedrock_secret_are_an_input_and_those_of_others_are_not() -> None:
    metadata = "metadata: {namespace: team, name: s}\ndata: {AWS_BEARER_TOKEN_BEDROCK: ''}\n"
    secret = f"apiVersion: v1\nkind: Secret\n{metadata}"
    bedrock = model("{provider: Bedrock, model: m, apiKeySecret: s, bedrock: {region: r}}")
    openai = model("{model: m, apiKeySecret: s, apiKeySecretKey: AWS_BEARER_TOKEN_BEDROCK}")
    assert ("Secret", "s", None) in inputs(resolve(template("lead"), bedrock, secret))
    assert inputs(resolve(template("lead"), openai, secret)) == [("ModelConfig", "model", None)]


MISSING = [
    pytest.param(
        [template("lead")],
        [("ModelConfigNotFound", "spec.modelConfig.name")],
        "commit the manifest of ModelConfig `model`",
        id="no model",
    ),
    pytest.param(
        [template("lead"), model("{model: m}", "modell")],
        [("ModelConfigNotFound", "spec.modelConfig.name")],
        "modell",
        id="a model with nearly that name",
    ),
    pytest.param(
        [template("lead", MCP % "serve"), MODEL, SERVER],
        [("MCPServerNotFound", "spec.tools[0].mcp.server.name")],
        "server",
        id="no MCP server",
    ),
    pytest.param(
        [template("lead", prompt="systemPromptFrom: {name: nowhere, key: k}"), MODEL],
        [("ConfigMapNotFound", "spec.systemPromptFrom.name")],
        "",
        id="no ConfigMap",
    ),
    pytest.param(
        [template("lead", prompt="systemPromptFrom: {name: texts, key: k}"), MODEL, TEXTS],
        [("ConfigMapKeyNotFound", "spec.systemPromptFrom.key")],
        "",
        id="no such key",
    ),
    pytest.param(
        [template("lead", MCP % "none"), TEXTS],
        [
            ("ModelConfigNotFound", "spec.modelConfig.name"),
            ("MCPServerNotFound", "spec.tools[0].mcp.server.name"),
        ],
        "",
        id="all that is missing at once",
    ),
]


@pytest.mark.parametrize(("texts", "expected", "hint"), MISSING)
def test_what_is_missing_is_told_at_the_reference(
    texts: list[str], expected: list[tuple[str, str]], hint: str
) -> None:
    found = resolve(*texts)
    assert found.resolved is None
    assert not found.blocked
    assert told(list(found.faults)) == expected
    assert hint in (found.faults[0].hint or "")


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        (
            "{type: ConfigMap, name: nowhere, key: k}",
            ("ConfigMapNotFound", "spec.headersFrom[0].valueFrom.name"),
        ),
        (
            "{type: ConfigMap, name: texts, key: k}",
            ("ConfigMapKeyNotFound", "spec.headersFrom[0].valueFrom.key"),
        ),
        (
            "{type: ConfigMap, name: texts, key: bytes}",
            ("ConfigMapKeyNotFound", "spec.headersFrom[0].valueFrom.key"),
        ),
    ],
)
def test_a_header_without_a_value_is_told_at_the_server(reference: str, expected: tuple[str, str]) -> None:
    headers = f"headersFrom: [{{name: A, valueFrom: {reference}}}]"
    remote = server(f"{{description: d, url: 'https://h', {headers}}}")
    found = resolve(template("lead", MCP % "server"), MODEL, TEXTS, remote)
    assert told(list(found.faults)) == [expected]
    assert str(found.faults[0].object) == "RemoteMCPServer/server"


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param([model("{provider: Nobody, model: m}"), SERVER, TEXTS], id="the model"),
        pytest.param([MODEL, server("{description: d}"), TEXTS], id="the MCP server"),
        pytest.param([MODEL, SERVER, TEXTS.replace("Be brief.", "[1]")], id="the ConfigMap"),
    ],
)
def test_an_invalid_object_blocks_and_is_not_told_missing(broken: list[str]) -> None:
    texts = [template("lead", MCP % "server", prompt=INCLUDE % "rules"), *broken]
    digested, _ = digest_specs(decode(documents(*texts))[0])
    found = digested.inventory
    resolution = resolve_template(found.templates["team", "lead"], found, digested.digests.of, {})
    assert resolution.blocked
    assert resolution.resolved is None
    assert not [fault for fault in resolution.faults if fault.reason.value.endswith("NotFound")]


def test_another_namespace_s_objects_do_not_count() -> None:
    found = resolve(template("lead"), MODEL.replace("namespace: team", "namespace: other"))
    assert told(list(found.faults)) == [("ModelConfigNotFound", "spec.modelConfig.name")]
    assert found.faults[0].hint == "commit the manifest of ModelConfig `model`"
