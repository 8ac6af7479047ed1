"""What a boundary needs of its runtime, and what a capability record says about that."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from kagent_render.compile.adapters.python import configuration as python
from kagent_render.compile.capabilities.record import UNPROVEN, Capability, CapabilityRecord, choose_record
from kagent_render.compile.compatibility import check_requirements
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason
from tests.compile.boundaries import agent, bundle, record, template
from tests.manifests import model, server, told

MCP = "{mcp: {server: {kind: RemoteMCPServer, name: server}, tools: [t]}}"
SERVER = server("{description: d, url: 'https://mcp.example.com'}")


def requirements(*texts: str, path: str = "") -> list[str]:
    return [str(requirement) for requirement in bundle(*texts, path=path).requirements]


ALWAYS = ["inputModalities=text", "modelProviders=Ollama", "outputModalities=text"]
SHARED = ["maxNativeAgentDepth>=1", "nativeAgentTools"]
HTTP = ["mcpInjection", "mcpTransports=streamable-http"]


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        pytest.param("", [], id="text of a model"),
        pytest.param(MCP, HTTP, id="an MCP server"),
        pytest.param(agent("one"), SHARED, id="a Shared agent"),
        pytest.param(agent("one", "Dedicated"), ["dedicatedAgentTools", *HTTP], id="a Dedicated agent"),
        pytest.param(
            f"{agent('one')}, {agent('two', of='one')}, {MCP}, {MCP.replace('[t]', '[u]')}",
            [*SHARED, *HTTP, "childTools=fewer"],
            id="each once",
        ),
    ],
)
def test_requirements_follow_from_the_tools(tools: str, expected: list[str]) -> None:
    found = requirements(template("lead", f"tools: [{tools}]"), template("one"), SERVER)
    assert list(dict.fromkeys(found)) == sorted([*ALWAYS, *expected])


def test_a_shared_child_s_tools_are_the_boundary_s_own_and_a_dedicated_one_s_are_not() -> None:
    child = template("one", f"tools: [{MCP}]")
    assert "mcpInjection" in requirements(template("lead", f"tools: [{agent('one')}]"), child, SERVER)
    dedicated = template("lead", f"tools: [{agent('one', 'Dedicated')}]")
    assert requirements(dedicated, child, SERVER, path="one") == sorted([*HTTP, *ALWAYS])


OTHER_MODEL = model("{provider: Ollama, model: other, ollama: {host: 'http://ollama:11434'}}", "other")
EVENTS = server("{description: d, url: 'https://mcp.example.com', protocol: SSE}")


@pytest.mark.parametrize(
    ("lead", "child", "expected"),
    [
        pytest.param(MCP, MCP, set(), id="the same tools as the parent"),
        pytest.param(MCP, "", {"childTools=fewer"}, id="none of the parent's tools"),
        pytest.param("", MCP, {"childTools=own"}, id="tools that the parent lacks"),
        pytest.param(
            MCP, MCP.replace("[t]", "[u]"), {"childTools=fewer", "childTools=own"}, id="another tool"
        ),
        pytest.param(
            agent("two", "Dedicated"), "", {"privateDedicatedTools"}, id="not the parent's Dedicated agent"
        ),
        pytest.param(
            "", agent("two", "Dedicated"), {"childTools=own"}, id="a Dedicated agent that the parent lacks"
        ),
    ],
)
def test_a_shared_child_needs_what_its_parent_does_not_have(
    lead: str, child: str, expected: set[str]
) -> None:
    tools = ", ".join(filter(None, (agent("one"), lead)))
    texts = (template("lead", f"tools: [{tools}]"), template("one", f"tools: [{child}]"), template("two"))
    found = {need for need in requirements(*texts, SERVER) if need.startswith(("child", "private"))}
    assert found == expected


def test_a_shared_child_with_another_model_needs_it_at_the_field_that_chooses_it() -> None:
    child = template("one").replace("{name: model}", "{name: other}")
    found = bundle(template("lead", f"tools: [{agent('one')}]"), child, OTHER_MODEL)
    fields = {str(need): need.provenance.field for need in found.requirements}
    assert fields["childModels"] == ("spec", "modelConfig", "name")


SECRET = server(
    "{description: d, url: 'https://mcp.example.com',"
    " headersFrom: [{name: A, valueFrom: {type: Secret, name: s, key: k}}]}"
)


def test_a_header_out_of_a_secret_is_needed_at_the_binding() -> None:
    lead = template("lead", f"tools: [{MCP}]")
    assert "mcpCredentials" not in requirements(lead, SERVER)
    fields = {str(need): need.provenance.field for need in bundle(lead, SECRET).requirements}
    assert fields["mcpCredentials"] == ("spec", "tools", 0, "mcp")


def test_a_provider_is_needed_at_the_field_that_chooses_the_model() -> None:
    fields = {str(need): need.provenance.field for need in bundle(template("lead")).requirements}
    assert fields["modelProviders=Ollama"] == ("spec", "modelConfig", "name")


def test_a_transport_is_needed_at_the_binding_that_uses_it() -> None:
    found = bundle(template("lead", f"tools: [{MCP}]"), EVENTS)
    fields = {str(need): need.provenance.field for need in found.requirements}
    assert fields["mcpTransports=sse"] == ("spec", "tools", 0, "mcp")


OPTIONS = {
    "{provider: OpenAI, model: m, openAI: {temperature: '0.5', 'n': 2}}": {
        "OpenAI.temperature": ("spec", "openAI", "temperature"),
        "OpenAI.n": ("spec", "openAI", "n"),
    },
    "{provider: OpenAI, model: m, openAI: {baseUrl: 'https://h', organization: o, apiFormat: responses}}": {},
    "{provider: Ollama, model: m, ollama: {host: 'http://h', options: {num_ctx: '1'}}}": {
        "Ollama.options": ("spec", "ollama", "options")
    },
    "{provider: Bedrock, model: m, bedrock: {region: eu-central-1}}": {},
    "{provider: Bedrock, model: m, bedrock: {region: eu-central-1, promptCaching: true, cacheTTL: 1h}}": {
        "Bedrock.promptCaching": ("spec", "bedrock", "promptCaching"),
        "Bedrock.cacheTTL": ("spec", "bedrock", "cacheTTL"),
    },
    "{provider: OpenAI, model: m, apiKeyPassthrough: true, defaultHeaders: {A: b}}": {
        "OpenAI.apiKeyPassthrough": ("spec", "apiKeyPassthrough"),
        "OpenAI.defaultHeaders": ("spec", "defaultHeaders"),
    },
    "{provider: OpenAI, model: m, tls: {disableVerify: true}}": {
        "OpenAI.tls.disableVerify": ("spec", "tls", "disableVerify")
    },
}


@pytest.mark.parametrize(("spec", "expected"), OPTIONS.items())
def test_each_option_of_a_model_is_needed_at_its_own_field(
    spec: str, expected: dict[str, tuple[str, ...]]
) -> None:
    lead = template("lead").replace("{name: model}", "{name: other}")
    found = bundle(lead, model(spec, "other")).requirements
    options = {need.member: need.provenance.field for need in found if need.capability == "modelOptions"}
    assert options == expected


LEAD = template("lead", f"tools: [{MCP}, {agent('one')}, {agent('two', 'Dedicated', of='one')}]")


def judged(**values: Any) -> list[tuple[str, str | None, Severity]]:
    found = bundle(LEAD, template("one", f"tools: [{MCP}]"), SERVER)
    faults = check_requirements(found.requirements, record(**values), python)
    return [(fault.reason.value, fault.field, fault.severity) for fault in faults]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({}, [], id="all is proven"),
        pytest.param(
            {"mcpInjection": False},
            [
                ("CapabilityUnsupported", "spec.tools[0].mcp", Severity.ERROR),
                ("CapabilityUnsupported", "spec.tools[2].agent", Severity.ERROR),
                ("CapabilityUnsupported", "spec.tools[0].mcp", Severity.ERROR),
            ],
            id="denied: at every field that needs it",
        ),
        pytest.param(
            {"mcpInjection": UNPROVEN},
            [("CapabilityUnproven", "spec.tools[0].mcp", Severity.WARNING)],
            id="unproven: at the first field that needs it",
        ),
        pytest.param(
            {"maxNativeAgentDepth": 0},
            [("CapabilityUnsupported", "spec.tools[1].agent", Severity.ERROR)],
            id="not deep enough",
        ),
        pytest.param(
            {"mcpTransports": ("streamable-http",), "inputModalities": ("text", "image")},
            [],
            id="members that are there",
        ),
        pytest.param(
            {"outputModalities": ("audio",)},
            [("CapabilityUnsupported", "spec", Severity.ERROR)],
            id="a member that is not there",
        ),
        pytest.param(
            {"maxNativeAgentDepth": 0, "nativeAgentTools": False},
            [("CapabilityUnsupported", "spec.tools[1].agent", Severity.ERROR)],
            id="two needs of one field are one fault",
        ),
        pytest.param(
            {"dedicatedAgentTools": UNPROVEN, "nativeAgentTools": False},
            [
                ("CapabilityUnsupported", "spec.tools[1].agent", Severity.ERROR),
                ("CapabilityUnproven", "spec.tools[2].agent", Severity.WARNING),
            ],
            id="one of each",
        ),
    ],
)
def test_a_record_decides_at_the_needing_field(
    values: dict[str, Any], expected: list[tuple[str, str, Severity]]
) -> None:
    assert judged(**values) == expected


@pytest.mark.parametrize(
    ("others_open", "expected"),
    [
        (False, [("CapabilityUnsupported", "spec.tools[0].mcp")]),
        (True, [("CapabilityUnproven", "spec.tools[0].mcp")]),
    ],
)
def test_a_member_that_a_record_does_not_list_is_denied_or_left_open(
    others_open: bool, expected: list[tuple[str, str]]
) -> None:
    listed = record()
    transports = Capability(("streamable-http",), "seen", others_open)
    listed = dataclasses.replace(listed, capabilities={**listed.capabilities, "mcpTransports": transports})
    found = bundle(template("lead", f"tools: [{MCP}]"), EVENTS)
    assert told(check_requirements(found.requirements, listed, python)) == expected


def test_a_message_names_capability_and_record() -> None:
    found = bundle(LEAD, template("one"), SERVER)
    for value in (False, UNPROVEN):
        fault = check_requirements(found.requirements, record(mcpInjection=value), python)[0]
        assert "`mcpInjection`" in fault.message
        assert "`some-record`" in fault.message


def test_what_a_record_does_not_name_is_denied() -> None:
    faults = check_requirements(bundle(LEAD, template("one"), SERVER).requirements, named("r"), python)
    assert {fault.reason for fault in faults} == {Reason.CAPABILITY_UNSUPPORTED}


def named(name: str, *images: str, default: bool = False, adapter: str = "python") -> CapabilityRecord:
    return CapabilityRecord(name, "1", adapter, "x", "1", frozenset(images), default, {}, "")


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        pytest.param("r.example/a@sha256:1", "one", id="the record that names the image's digest"),
        pytest.param("mirror.example/b@sha256:1", "one", id="wherever the image is kept"),
        pytest.param("r.example/a@sha256:9", "default", id="else the adapter's default"),
        pytest.param("", "default", id="without an image"),
    ],
)
def test_the_image_chooses_the_record(image: str, expected: str) -> None:
    records = [
        named("other", "sha256:1", adapter="codex"),
        named("default", default=True),
        named("one", "sha256:1"),
    ]
    chosen = choose_record(records, "python", image)
    assert chosen is not None
    assert chosen.name == expected


def test_an_adapter_without_any_record_has_none() -> None:
    assert choose_record([named("a", default=True)], "codex", "x@sha256:1") is None


@pytest.mark.parametrize(
    ("values", "spec", "child", "says", "hint"),
    [
        (
            {"childTools": ("own",)},
            f"tools: [{MCP.replace('[t]', '[t, u]')}, {agent('one')}]",
            f"tools: [{MCP}]",
            "it lacks `u` of RemoteMCPServer `server`, which its parent has",
            "select the same tools",
        ),
        (
            {"childTools": ("fewer",)},
            f"tools: [{agent('one')}]",
            f"tools: [{MCP}]",
            "its parent has no `t` of RemoteMCPServer `server`",
            "isolation: Dedicated",
        ),
        (
            {"privateDedicatedTools": False},
            f"tools: [{agent('one')}, {agent('two', 'Dedicated', of='one')}]",
            "",
            "it must not reach the Dedicated agent `two` of its parent",
            "isolation: Dedicated",
        ),
        (
            {"mcpTransports": ("sse",)},
            f"tools: [{MCP}]",
            "",
            "RemoteMCPServer `server` speaks STREAMABLE_HTTP",
            "another protocol",
        ),
    ],
)
def test_a_denial_says_what_it_is_about_and_what_to_do(
    values: dict[str, Any], spec: str, child: str, says: str, hint: str
) -> None:
    found = bundle(template("lead", spec), template("one", child), SERVER)
    faults = check_requirements(found.requirements, record(**values), python)
    fault = next(fault for fault in faults if says in fault.message)
    assert hint in (fault.hint or "")


def test_what_a_record_does_not_name_is_told_so() -> None:
    faults = check_requirements(bundle(template("lead")).requirements, named("r"), python)
    assert all("`r` of x 1 does not name" in fault.message for fault in faults)
