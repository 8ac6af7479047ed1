"""From a tree's boundary to its bundle: who runs in it, with which names, tools and egress."""

from __future__ import annotations

import dataclasses

import pytest

from kagent_render.api.hub import ArtifactSource, GitSource, OciSource, S3Source
from kagent_render.compile.bundle import DedicatedTool, McpTool
from tests.compile.boundaries import POLICY, agent, bundle, skill, template
from tests.manifests import server

SERVER = server("{description: d, url: 'https://mcp.example.com'}")
MCP = "{mcp: {server: {kind: RemoteMCPServer, name: server}, tools: [a, b]}}"
CONTROLLER = ("http://kagent-controller.kagent:8083", "http://kagent-controller.kagent:8084")
OLLAMA = "http://ollama:11434"
TOOLS = "https://kagent-apply.kagent:8085"


def test_the_root_has_its_template_s_name_and_description() -> None:
    found = bundle(template("lead", "description: Leads."))
    assert (found.path, found.agent.name, found.agent.description) == ("", "lead", "Leads.")
    assert (found.namespace, found.root_template, found.image) == ("team", "lead", found.harness.image)


def test_a_bound_agent_has_its_binding_s_name_and_description() -> None:
    lead = template("lead", f"tools: [{agent('one', of='helper', description='Bound.')}]")
    (child,) = bundle(lead, template("helper", "description: Own.")).agent.children
    assert (child.path, child.name, child.description, child.template.name) == (
        "one",
        "one",
        "Bound.",
        "helper",
    )


def test_a_dedicated_boundary_begins_with_its_binding_s_name_and_description() -> None:
    lead = template("lead", f"tools: [{agent('one', 'Dedicated', of='helper', description='Bound.')}]")
    found = bundle(lead, template("helper", "description: Own."), path="one")
    assert (found.path, found.agent.name, found.agent.description) == ("one", "one", "Bound.")
    assert found.root_template == "lead"


def test_tools_keep_their_order_and_shared_agents_are_children() -> None:
    tools = f"{agent('far', 'Dedicated', of='x')}, {MCP}, {agent('near', of='x')}, {MCP.replace('a, b', 'c')}"
    found = bundle(template("lead", f"tools: [{tools}]"), template("x"), SERVER).agent
    assert [type(tool) for tool in found.tools] == [DedicatedTool, McpTool, McpTool]
    assert [tool.tools for tool in found.tools if isinstance(tool, McpTool)] == [("a", "b"), ("c",)]
    assert [child.name for child in found.children] == ["near"]
    assert [tool.provenance.field for tool in found.tools] == [
        ("spec", "tools", 0, "agent"),
        ("spec", "tools", 1, "mcp"),
        ("spec", "tools", 3, "mcp"),
    ]


def test_one_template_bound_twice_is_two_agents() -> None:
    lead = template("lead", f"tools: [{agent('one', of='x')}, {agent('two', of='x')}]")
    members = bundle(lead, template("x")).agent.members()
    assert [(member.path, member.template.name) for member in members] == [
        ("", "lead"),
        ("one", "x"),
        ("two", "x"),
    ]


def test_a_shared_child_s_dedicated_agent_is_the_boundary_s_tool() -> None:
    lead = template("lead", f"tools: [{agent('near', of='x')}]")
    near = template("x", f"tools: [{agent('far', 'Dedicated', of='aide')}]")
    found = bundle(lead, near, template("aide"))
    assert [tool.path for tool in found.dedicated] == ["near/far"]
    assert bundle(lead, near, template("aide"), path="near/far").dedicated == ()


def test_egress_is_what_the_boundary_contacts_once_and_sorted() -> None:
    lead = template("lead", f"tools: [{MCP}, {agent('near', of='x')}, {agent('far', 'Dedicated', of='x')}]")
    assert bundle(lead, template("x"), SERVER).egress == (
        *CONTROLLER,
        OLLAMA,
        "https://kagent-apply.kagent:8085",
        "https://mcp.example.com:443",
    )
    assert bundle(lead, template("x"), SERVER, path="far").egress == (*CONTROLLER, OLLAMA)


ZEROS = "0" * 64


@pytest.mark.parametrize(
    ("source", "origin", "expected"),
    [
        pytest.param(
            "oci: 'r.example/a@sha256:" + ZEROS + "'",
            OciSource(f"r.example/a@sha256:{ZEROS}"),
            "https://r.example:443",
            id="OCI",
        ),
        pytest.param(
            "oci: 'plain:5000/a@sha256:" + ZEROS + "'",
            OciSource(f"plain:5000/a@sha256:{ZEROS}"),
            "http://plain:5000",
            id="OCI without TLS",
        ),
        pytest.param(
            "git: {url: 'https://git.example/a.git', commit: " + "c" * 40 + "}",
            GitSource("https://git.example/a.git", "c" * 40),
            "https://git.example:443",
            id="Git",
        ),
        pytest.param(
            "bucket: {s3: {bucket: b, key: k.zip, versionId: v}}",
            S3Source("b", "k.zip", "v"),
            "https://s3.eu-1.amazonaws.com:443",
            id="S3",
        ),
    ],
)
def test_egress_holds_what_skills_are_read_from(
    source: str, origin: OciSource | GitSource | S3Source, expected: str
) -> None:
    policy = dataclasses.replace(POLICY, s3_region="eu-1", insecure_registries=("plain:5000",))
    lead = template("lead", f"skills: [{{name: one, source: {{{source}}}}}]")
    found = bundle(lead, policy=policy, packages={ArtifactSource(origin): skill("one")})
    assert set(found.egress) == {*CONTROLLER, OLLAMA, expected}


def test_the_controller_and_the_tools_address_are_the_configuration_s() -> None:
    policy = dataclasses.replace(
        POLICY, controller_name="c", controller_namespace="n", tools_url="http://tools.example/x"
    )
    lead = template("lead", f"tools: [{agent('far', 'Dedicated', of='x')}]")
    assert bundle(lead, template("x"), policy=policy).egress == (
        "http://c.n:8083",
        "http://c.n:8084",
        OLLAMA,
        "http://tools.example:80",
    )
