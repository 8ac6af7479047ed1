"""What kagent-adk 0.10.4 loses in silence, and that its record tells each loss at the field that asks for it.

That it loses them is seen in `tests/runtimes/adk`.
"""

from __future__ import annotations

import pytest

from kagent_render.api.hub import ArtifactSource, OciSource
from kagent_render.compile.boundary import compile_boundary
from kagent_render.compile.capabilities.catalog import load_catalog
from tests.compile.boundaries import POLICY, agent, bundle, skill, template
from tests.manifests import ZEROS, model, server, told

(RECORD,) = (record for record in load_catalog() if record.runtime_name == "kagent-adk")
MCP = "{mcp: {server: {kind: RemoteMCPServer, name: server}, tools: [t]}}"
IMAGE = f"r.example/skills@sha256:{ZEROS}"
SKILL = f"{{name: one, source: {{oci: '{IMAGE}'}}}}"
PACKAGES = {ArtifactSource(OciSource(IMAGE)): skill("one")}
SECRET = "headersFrom: [{name: Authorization, valueFrom: {type: Secret, name: s, key: k}}]"
SERVER = server(f"{{description: d, url: 'https://mcp.example.com', {SECRET}}}")
KEY = "apiKeySecret: llm, apiKeySecretKey: token"
GUARDRAIL = "guardrail: {identifier: g, version: '1'}"

LOSSES = {
    "sub_agents": (f"tools: [{agent('one')}]", "", {("CapabilityUnsupported", "spec.tools[0].agent")}),
    "agent_plugins": (f"skills: [{SKILL}]", "", {("CapabilityUnsupported", "spec.skills[0].name")}),
    "an endpoint for Dedicated agents": (
        f"tools: [{agent('one', 'Dedicated')}]",
        "",
        {("CapabilityUnsupported", "spec.tools[0].agent")},
    ),
    "a header out of a Secret": (f"tools: [{MCP}]", "", {("CapabilityUnsupported", "spec.tools[0].mcp")}),
    "options of Anthropic": (
        "",
        f"{{provider: Anthropic, model: m, {KEY}, anthropic: {{maxTokens: 9, temperature: '0.5'}}}}",
        {
            ("CapabilityUnsupported", "spec.anthropic.maxTokens"),
            ("CapabilityUnsupported", "spec.anthropic.temperature"),
        },
    ),
    "a guardrail of Bedrock": (
        "",
        f"{{provider: Bedrock, model: m, bedrock: {{region: eu-central-1, {GUARDRAIL}}}}}",
        {("CapabilityUnsupported", "spec.bedrock.guardrail")},
    ),
    "headers of Vertex": (
        "",
        "{provider: GeminiVertexAI, model: m, defaultHeaders: {A: b},"
        " geminiVertexAI: {projectID: p, location: l}}",
        {("CapabilityUnsupported", "spec.defaultHeaders")},
    ),
    "the whole of Foundry": (
        "",
        f"{{provider: Foundry, model: m, {KEY}, foundry: {{endpoint: 'https://f.example', deployment: d}}}}",
        {("CapabilityUnsupported", "spec.modelConfig.name")},
    ),
}


@pytest.mark.parametrize(("spec", "llm", "expected"), LOSSES.values(), ids=LOSSES)
def test_what_kagent_adk_loses_is_refused_where_its_record_holds(
    spec: str, llm: str, expected: set[tuple[str, str | None]]
) -> None:
    lead = template("lead", spec)
    if llm:
        lead = lead.replace("{name: model}", "{name: other}")
    found = bundle(lead, template("one"), SERVER, *([model(llm, "other")] if llm else []), packages=PACKAGES)
    _, faults = compile_boundary(found, RECORD, POLICY)
    assert {place for place, fault in zip(told(faults), faults, strict=True) if fault.is_error} == expected
    assert all(RECORD.name in fault.message for fault in faults if fault.is_error)
