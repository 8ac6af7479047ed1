"""What the Claude runtime reads, and what Claude Code itself does."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.api.hub import ArtifactSource, OciSource, SecretKeyRef
from kagent_render.compile.adapters.claude import configuration as adapter
from tests.compile.boundaries import Packages, agent, bundle, documents_of, env_of, skill, template
from tests.compile.claude import ANTHROPIC, claude, config_of, file_of, sound
from tests.manifests import model, server

SERVER = server("{description: d, url: 'https://mcp.example.com/mcp'}")
HEADERS = "[{name: X-B, value: text}, {name: Authorization, valueFrom: {type: Secret, name: s, key: k}}]"
CREDENTIAL = "KAGENT_CLAUDE_MCP_CREDENTIAL_999298F4463E2BD9"
SOURCE = ArtifactSource(OciSource("r.example/a@sha256:" + "0" * 64))
OTHER = ArtifactSource(OciSource("r.example/b@sha256:" + "0" * 64))
PACKAGES: Packages = {SOURCE: skill("one"), OTHER: skill("two")}


def mcp(*tools: str, name: str = "server") -> str:
    return f"{{mcp: {{server: {{kind: RemoteMCPServer, name: {name}}}, tools: [{', '.join(tools)}]}}}}"


def uses(name: str, source: ArtifactSource) -> str:
    assert isinstance(source.origin, OciSource)
    return f"skills: [{{name: {name}, source: {{oci: '{source.origin.reference}'}}}}]"


def test_the_runtime_is_told_the_boundary_in_order() -> None:
    lead = template("lead", f"tools: [{mcp('find')}, {agent('near', of='aide', description='Bound.')}]")
    aide = template("aide", prompt="systemPrompt: Obey.")
    headed = SERVER.replace("url:", f"headersFrom: {HEADERS}, url:")
    assert list(config_of(sound(lead, aide, headed)).items()) == [
        ("version", 4),
        ("claude_executable", "claude"),
        ("expected_claude_version", "1"),
        ("strict_version", True),
        ("model", "m"),
        ("append_system_prompt", "Act."),
        ("agents", {"near": {"description": "Bound.", "prompt": "Obey.", "model": "m"}}),
        (
            "mcp_servers",
            {
                "server": {
                    "type": "http",
                    "url": "https://mcp.example.com/mcp",
                    "headers": {"Authorization": f"${{{CREDENTIAL}}}", "X-B": "text"},
                }
            },
        ),
        ("max_event_bytes", 1048576),
        ("max_stderr_bytes", 65536),
        ("interrupt_grace_millis", 2000),
    ]


def test_what_a_boundary_lacks_is_left_out() -> None:
    assert not {"agents", "skill_resources", "mcp_servers"} & config_of(sound(template("lead"))).keys()


def test_the_documents_are_the_configuration_the_card_and_three_files() -> None:
    found = documents_of(sound(template("lead")))
    assert list(found) == ["KAGENT_CONFIG_JSON", "KAGENT_AGENT_CARD_JSON", "KAGENT_FILES_JSON"]
    assert list(found["KAGENT_FILES_JSON"]) == ["agents.json", "mcp.json", "settings.json"]


def test_the_root_is_an_agent_of_its_own_and_every_agent_lists_its_tools() -> None:
    lead = template("lead", f"tools: [{mcp('b', 'a')}, {agent('near', of='aide')}, {agent('by', of='x')}]")
    aide, other = template("aide", f"tools: [{mcp('c')}]"), template("x")
    assert list(file_of(sound(lead, aide, other, SERVER), "agents.json").items()) == [
        (
            "kagent.root",
            {
                "description": "lead",
                "prompt": "Act.",
                "tools": ["mcp__server__b", "mcp__server__a", "Agent(near, by)"],
                "model": "m",
            },
        ),
        ("near", {"description": "Helps.", "prompt": "Act.", "tools": ["mcp__server__c"], "model": "m"}),
        ("by", {"description": "Helps.", "prompt": "Act.", "tools": [], "model": "m"}),
    ]


def test_settings_allow_what_is_selected_and_shut_everything_else() -> None:
    lead = template("lead", f"tools: [{mcp('b', 'a')}, {agent('near', of='aide')}]")
    aide = template("aide", f"tools: [{mcp('a', 'c')}]")
    assert file_of(sound(lead, aide, SERVER), "settings.json") == {
        "agent": "kagent.root",
        "env": {
            "ANTHROPIC_DEFAULT_FABLE_MODEL": "m",
            "ANTHROPIC_DEFAULT_HAIKU_MODEL": "m",
            "ANTHROPIC_DEFAULT_OPUS_MODEL": "m",
            "ANTHROPIC_DEFAULT_SONNET_MODEL": "m",
            "CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
            "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
            "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
            "CLAUDE_CODE_DISABLE_LEGACY_MODEL_REMAP": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "ENABLE_TOOL_SEARCH": "false",
        },
        "permissions": {
            "defaultMode": "dontAsk",
            "allow": ["mcp__server__b", "mcp__server__a", "mcp__server__c"],
        },
        "availableModels": ["m"],
        "disableAllHooks": True,
        "disableBundledSkills": True,
        "disableSkillShellExecution": True,
        "skillOverrides": {"doctor": "off", "plugin-authoring": "off"},
    }


def test_the_root_loads_its_skills_and_a_child_s_come_with_its_definition() -> None:
    lead = template("lead", f"tools: [{agent('near', of='aide')}]\n{uses('one', SOURCE)}")
    boundary = sound(lead, template("aide", uses("two", OTHER)), packages=PACKAGES)
    agents = file_of(boundary, "agents.json")
    assert agents["kagent.root"]["tools"] == ["Agent(near)", "Skill"]
    assert "skills" not in agents["kagent.root"]
    assert (agents["near"]["tools"], agents["near"]["skills"]) == ([], ["two"])
    permissions = file_of(boundary, "settings.json")["permissions"]
    assert (permissions["allow"], permissions["deny"]) == (["Skill(one)"], ["Skill(two)"])
    assert [resource["name"] for resource in config_of(boundary)["skill_resources"]] == ["one", "two"]


@pytest.mark.parametrize(
    ("spec", "entry"),
    [
        pytest.param("", {"type": "http", "url": "https://h"}, id="defaults"),
        pytest.param(", protocol: SSE", {"type": "sse", "url": "https://h"}, id="SSE"),
        pytest.param(", timeout: 90s", {"type": "http", "url": "https://h", "timeout": 90000}, id="time-out"),
        pytest.param(", timeout: 1500ms", {"type": "http", "url": "https://h", "timeout": 1500}, id="ms"),
    ],
)
def test_a_server_has_its_settings(spec: str, entry: dict[str, Any]) -> None:
    lead = template("lead", f"tools: [{mcp('find')}]")
    boundary = sound(lead, server(f"{{description: d, url: 'https://h'{spec}}}"))
    assert file_of(boundary, "mcp.json") == {"mcpServers": {"server": entry}}


def test_a_dedicated_agent_is_one_loopback_server_with_an_hour() -> None:
    boundary = sound(template("lead", f"tools: [{agent('far', 'Dedicated', of='x')}]"), template("x"))
    assert file_of(boundary, "mcp.json")["mcpServers"] == {
        "far": {"type": "http", "url": "http://127.0.0.1:8082/mcp/far", "timeout": 3600000}
    }
    assert file_of(boundary, "agents.json")["kagent.root"]["tools"] == ["mcp__far__invoke"]


BEDROCK = "provider: Bedrock, model: anthropic.claude-x, bedrock: {region: eu-central-1}"
VERTEX = "{provider: AnthropicVertexAI, model: m, anthropicVertexAI: {projectID: p, location: europe-west1}}"


@pytest.mark.parametrize(
    ("llm", "env"),
    [
        pytest.param(
            ANTHROPIC,
            {
                "ANTHROPIC_API_KEY": SecretKeyRef("llm", "token"),
                "ANTHROPIC_BASE_URL": "https://api.anthropic.com",
            },
            id="Anthropic",
        ),
        pytest.param(
            "{provider: Anthropic, model: m, apiKeySecret: llm, apiKeySecretKey: token,"
            " anthropic: {baseUrl: 'http://h/v', maxTokens: 9}, defaultHeaders: {X-B: b, X-A: a}}",
            {
                "ANTHROPIC_API_KEY": SecretKeyRef("llm", "token"),
                "ANTHROPIC_BASE_URL": "http://h/v",
                "ANTHROPIC_CUSTOM_HEADERS": "X-A: a\nX-B: b",
                "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "9",
            },
            id="options",
        ),
        pytest.param(
            f"{{{BEDROCK}}}",
            {"CLAUDE_CODE_USE_BEDROCK": "1", "AWS_REGION": "eu-central-1"},
            id="Bedrock",
        ),
        pytest.param(
            VERTEX,
            {
                "CLAUDE_CODE_USE_VERTEX": "1",
                "ANTHROPIC_VERTEX_PROJECT_ID": "p",
                "CLOUD_ML_REGION": "europe-west1",
            },
            id="Vertex",
        ),
    ],
)
def test_a_provider_brings_its_variables(llm: str, env: dict[str, Any]) -> None:
    found = env_of(sound(template("lead"), llm=llm))
    assert [(name, found[name]) for name in list(found)[: len(env)]] == list(env.items())


def test_the_credentials_of_headers_are_references_under_the_cli_s_own_prefix() -> None:
    lead = template("lead", f"tools: [{mcp('find')}]")
    boundary = sound(lead, SERVER.replace("url:", f"headersFrom: {HEADERS}, url:"))
    assert env_of(boundary)[CREDENTIAL] == SecretKeyRef("s", "k")


@pytest.mark.parametrize(
    "name",
    [
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_SUBAGENT_MODEL",
        "CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS",
        "ANTHROPIC_MODEL",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_DEFAULT_HAIKU_MODEL",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
        "CLOUD_ML_REGION",
        "DISABLE_COMPACT",
        "ENABLE_TOOL_SEARCH",
        "HOME",
        "LD_PRELOAD",
        "PATH",
        "MAX_THINKING_TOKENS",
        "MCP_TOOL_TIMEOUT",
        "NODE_OPTIONS",
        "NODE_TLS_REJECT_UNAUTHORIZED",
        "VERTEX_REGION_CLAUDE_4_0_OPUS",
    ],
)
def test_a_variable_that_configures_the_cli_is_reserved(name: str) -> None:
    assert adapter.reserves(name)


@pytest.mark.parametrize(
    "name", ["ANTHROPIC_API_KEY", "AWS_REGION", "LOG_LEVEL", "HTTPS_PROXY", "HOMEPAGE", "PATHS"]
)
def test_other_variables_are_a_harness_s_own(name: str) -> None:
    assert not adapter.reserves(name)


def test_every_value_has_a_place() -> None:
    lead = template("lead", f"tools: [{mcp('find')}, {agent('near', of='aide')}]\n{uses('one', SOURCE)}")
    texts = [lead.replace("{name: model}", "{name: claude}"), template("aide", uses("two", OTHER)), SERVER]
    found = adapter.places(bundle(*texts, model(ANTHROPIC, "claude"), packages=PACKAGES, variant="claude"))
    root, near = found[""], found["near"]
    assert root.name == "env[KAGENT_AGENT_CARD_JSON].name"
    assert root.instruction == "env[KAGENT_CONFIG_JSON].append_system_prompt"
    assert root.tools == ("env[KAGENT_FILES_JSON][mcp.json].mcpServers.server",)
    assert root.skills == ("env[KAGENT_CONFIG_JSON].skill_resources[0]",)
    assert near.name == "env[KAGENT_FILES_JSON][agents.json].near"
    assert near.instruction == "env[KAGENT_FILES_JSON][agents.json].near.prompt"
    assert near.skills == ("env[KAGENT_CONFIG_JSON].skill_resources[1]",)


def test_the_shipped_record_takes_what_the_adapter_writes() -> None:
    lead = template("lead", f"tools: [{mcp('find')}, {agent('near', of='aide')}]")
    _, faults = claude(lead, template("aide", f"tools: [{mcp('other')}]"), SERVER, proven=False)
    assert faults == []
