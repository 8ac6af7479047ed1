"""What the Codex runtime reads, and what Codex itself does."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from kagent_render.api.hub import ArtifactSource, OciSource, SecretKeyRef
from kagent_render.compile.adapters.codex import configuration as adapter
from kagent_render.compile.adapters.codex.provider import endpoint_of, provider_table
from tests.compile.boundaries import Packages, agent, bundle, documents_of, env_of, skill, template
from tests.compile.codex import OPENAI, codex, config_of, file_of
from tests.manifests import model, server, told

SERVER = server("{description: d, url: 'https://mcp.example.com/mcp'}")
HEADERS = (
    "[{name: X-Literal, value: text}, {name: Authorization, valueFrom: {type: Secret, name: s, key: k}}]"
)
CREDENTIAL = "KAGENT_CODEX_MCP_CREDENTIAL_999298F4463E2BD9"


def mcp(*tools: str, name: str = "server") -> str:
    return f"{{mcp: {{server: {{kind: RemoteMCPServer, name: {name}}}, tools: [{', '.join(tools)}]}}}}"


def sound(*texts: str, **more: Any) -> Any:
    boundary, faults = codex(*texts, **more)
    assert faults == []
    return boundary


def test_the_runtime_is_told_the_boundary_in_order() -> None:
    tools = mcp("find")
    lead = template("lead", f"tools: [{tools}, {agent('near', of='aide', description='Bound.')}]")
    aide = template("aide", f"tools: [{tools}]", prompt="systemPrompt: Obey.")
    headed = SERVER.replace("url:", f"headersFrom: {HEADERS}, url:")
    assert list(config_of(sound(lead, aide, headed)).items()) == [
        ("version", 3),
        ("codex_executable", "codex"),
        ("expected_codex_version", "1"),
        ("strict_version", True),
        ("model", "m"),
        ("provider", {"name": "openai", "base_url": "https://api.openai.com/v1"}),
        ("developer_instruction", "Act."),
        ("agents", {"near": {"description": "Bound.", "instruction": "Obey.", "model": "m"}}),
        (
            "mcp_servers",
            {
                "server": {
                    "url": "https://mcp.example.com/mcp",
                    "headers": {"X-Literal": "text", "Authorization": f"${{{CREDENTIAL}}}"},
                    "enabled_tools": ["find"],
                }
            },
        ),
        ("max_frame_bytes", 16777216),
        ("max_stderr_bytes", 65536),
        ("interrupt_grace_millis", 2000),
    ]


def test_what_a_boundary_lacks_is_left_out() -> None:
    assert not {"agents", "skill_resources", "mcp_servers"} & config_of(sound(template("lead"))).keys()


def test_an_agent_alone_needs_two_files_and_has_no_agents() -> None:
    boundary = sound(template("lead"))
    assert list(documents_of(boundary)["KAGENT_FILES_JSON"]) == ["config.toml", "models.json"]
    assert file_of(boundary, "config.toml")["agents"] == {"enabled": False}


def test_a_shared_agent_is_a_file_and_codex_s_own_cannot_be_spawned() -> None:
    boundary = sound(template("lead", f"tools: [{agent('worker', of='aide')}]"), template("aide"))
    assert list(documents_of(boundary)["KAGENT_FILES_JSON"]) == [
        "AGENTS.md",
        "agents/worker.toml",
        "config.toml",
        "models.json",
        "unavailable.toml",
    ]
    assert file_of(boundary, "agents/worker.toml") == {
        "name": "worker",
        "description": "Helps.",
        "developer_instructions": "Act.",
        "model": "m",
    }
    blocked = {"description": "Not available: spawning it fails.", "config_file": "unavailable.toml"}
    agents = file_of(boundary, "config.toml")["agents"]
    assert agents == {"max_depth": 1, "default": blocked, "explorer": blocked}
    assert file_of(boundary, "unavailable.toml") == {"model": "m", "model_reasoning_effort": "unavailable"}


def test_a_server_has_exactly_the_selected_tools_and_needs_no_approval() -> None:
    spec = (
        f"{{description: d, url: 'https://h/mcp', timeout: 5s, sseReadTimeout: 90s, headersFrom: {HEADERS}}}"
    )
    boundary = sound(template("lead", f"tools: [{mcp('find', 'open')}]"), server(spec))
    assert file_of(boundary, "config.toml")["mcp_servers"] == {
        "server": {
            "url": "https://h/mcp",
            "enabled_tools": ["find", "open"],
            "default_tools_approval_mode": "approve",
            "required": True,
            "startup_timeout_sec": 5,
            "tool_timeout_sec": 90,
            "http_headers": {"X-Literal": "text"},
            "env_http_headers": {"Authorization": CREDENTIAL},
        }
    }
    assert env_of(boundary)[CREDENTIAL] == SecretKeyRef("s", "k")


def test_a_dedicated_agent_is_a_server_of_the_runtime_s_own_that_may_take_an_hour() -> None:
    boundary = sound(template("lead", f"tools: [{agent('far', 'Dedicated', of='aide')}]"), template("aide"))
    assert file_of(boundary, "config.toml")["mcp_servers"] == {
        "far": {
            "url": "http://127.0.0.1:8082/mcp/far",
            "enabled_tools": ["invoke"],
            "default_tools_approval_mode": "approve",
            "required": True,
            "tool_timeout_sec": 3600,
        }
    }


@pytest.mark.parametrize(
    ("llm", "name", "table"),
    [
        pytest.param(
            OPENAI,
            "kagent-openai",
            {
                "name": "kagent-openai",
                "base_url": "https://api.openai.com/v1",
                "wire_api": "responses",
                "env_key": "OPENAI_API_KEY",
            },
            id="OpenAI",
        ),
        pytest.param(
            "{model: m, defaultHeaders: {X-B: b, X-A: a},"
            " openAI: {apiFormat: responses, baseUrl: 'https://llm.example.com/api', organization: acme}}",
            "kagent-openai",
            {
                "name": "kagent-openai",
                "base_url": "https://llm.example.com/api",
                "wire_api": "responses",
                "http_headers": {"X-A": "a", "X-B": "b"},
                "env_http_headers": {"OpenAI-Organization": "OPENAI_ORGANIZATION"},
            },
            id="another endpoint without a key",
        ),
        pytest.param(
            "{provider: Bedrock, model: openai.gpt-5.5, bedrock: {region: eu-central-1},"
            " defaultHeaders: {X-A: a}}",
            "amazon-bedrock",
            {"http_headers": {"X-A": "a"}},
            id="Bedrock",
        ),
    ],
)
def test_a_model_is_called_where_and_as_its_modelconfig_says(
    llm: str, name: str, table: dict[str, Any]
) -> None:
    config = file_of(sound(template("lead"), llm=llm), "config.toml")
    assert config["model_provider"] == name
    assert config["model_providers"] == {name: table}


def test_a_key_that_only_the_harness_gives_is_used() -> None:
    endpoint = endpoint_of(bundle(template("lead"), variant="codex").agent.provider)
    unkeyed = dataclasses.replace(endpoint, base_url="https://h")
    assert "env_key" not in provider_table(unkeyed, [])
    assert provider_table(unkeyed, ["OPENAI_API_KEY"])["env_key"] == "OPENAI_API_KEY"


def test_a_boundary_on_bedrock_contacts_the_host_that_codex_does() -> None:
    llm = "{provider: Bedrock, model: openai.gpt-5.5, bedrock: {region: eu-central-1}}"
    egress = sound(template("lead"), llm=llm).bundle.egress
    assert "https://bedrock-mantle.eu-central-1.api.aws:443" in egress
    assert not [origin for origin in egress if "bedrock-runtime" in origin]


def test_every_model_is_listed_with_the_efforts_that_agents_ask_of_it() -> None:
    lead = template("lead", f"tools: [{agent('a', of='one')}, {agent('b', of='two')}]")
    others = [
        model(
            OPENAI.replace("model: m", f"model: {name}").replace("{api", f"{{reasoningEffort: {effort}, api"),
            to,
        )
        for to, name, effort in (("high", "m", "high"), ("other", "small", "low"))
    ]
    one = template("one").replace("{name: model}", "{name: high}")
    two = template("two").replace("{name: model}", "{name: other}")
    catalog = file_of(sound(lead, one, two, *others), "models.json")["models"]
    assert [
        (entry["slug"], [level["effort"] for level in entry["supported_reasoning_levels"]])
        for entry in catalog
    ] == [
        ("m", ["high"]),
        ("small", ["low"]),
    ]


def test_each_skill_of_a_boundary_is_a_resource_once() -> None:
    reference = f"r.example/a@sha256:{'a' * 64}"
    packages: Packages = {ArtifactSource(OciSource(reference)): skill("one")}
    skills = f"skills: [{{name: one, source: {{oci: '{reference}'}}}}]"
    lead = template("lead", f"tools: [{agent('near', of='aide')}]\n{skills}")
    boundary, faults = codex(lead, template("aide", skills), packages=packages)
    assert {fault.reason.value for fault in faults} == {"CapabilityUnsupported"}
    assert [resource["name"] for resource in config_of(boundary)["skill_resources"]] == ["one"]
    places = adapter.places(boundary.bundle)
    assert places[""].skills == places["near"].skills == ("env[KAGENT_CONFIG_JSON].skill_resources[0]",)


EVENTS = "{description: d, url: 'https://mcp.example.com/sse', protocol: SSE}"


@pytest.mark.parametrize(
    ("tools", "child", "llm", "need"),
    [
        (mcp("find", name="events"), "", "", "mcpTransports=sse"),
        (agent("near", of="aide"), mcp("find"), "", "childTools=own"),
        (f"{mcp('find')}, {agent('near', of='aide')}", "", "", "childTools=fewer"),
        ("", "", ", openAI: {apiFormat: responses, temperature: '1'}", "modelOptions=OpenAI.temperature"),
    ],
)
def test_what_no_file_can_say_is_refused_whatever_a_record_says(
    tools: str, child: str, llm: str, need: str
) -> None:
    texts = [template("lead", f"tools: [{tools}]"), template("aide", f"tools: [{child}]"), SERVER]
    if llm:
        texts[0] = texts[0].replace("{name: model}", "{name: other}")
        texts.append(model(f"{{model: m{llm}}}", "other"))
    _, faults = codex(*texts, server(EVENTS, "events"))
    (fault,) = (fault for fault in faults if fault.is_error)
    assert fault.reason.value == "CapabilityUnsupported"
    assert f"`{need}`, which no configuration of the `codex` runtime can say" in fault.message


def test_every_place_leads_to_its_value() -> None:
    tools = mcp("find")
    lead = template("lead", f"description: Leads.\ntools: [{tools}, {agent('near', of='aide')}]")
    found = bundle(lead, template("aide", f"tools: [{tools}]"), SERVER, variant="codex")
    places = adapter.places(found)
    assert (places[""].name, places[""].description) == (
        "env[KAGENT_AGENT_CARD_JSON].name",
        "env[KAGENT_AGENT_CARD_JSON].description",
    )
    assert places[""].instruction == "env[KAGENT_CONFIG_JSON].developer_instruction"
    assert places["near"].instruction == "env[KAGENT_CONFIG_JSON].agents.near.instruction"
    assert places["near"].tools == places[""].tools == ("env[KAGENT_CONFIG_JSON].mcp_servers.server",)


@pytest.mark.parametrize(
    ("name", "reserved"),
    [
        ("CODEX_HOME", True),
        ("CODEX_API_KEY", True),
        ("HOME", True),
        ("OPENAI_BASE_URL", True),
        ("OPENAI_IDENTITY_TOKEN_SOURCE", True),
        ("AWS_CONFIG_FILE", True),
        ("AWS_ENDPOINT_URL_BEDROCK", True),
        ("LD_PRELOAD", True),
        ("PATH", True),
        ("OPENAI_ORGANIZATION", False),
        ("AWS_REGION", False),
        ("OPENAI_API_KEY", False),
        ("HTTPS_PROXY", False),
        ("LEVEL", False),
    ],
)
def test_variables_that_decide_what_codex_does_are_reserved(name: str, reserved: bool) -> None:
    assert adapter.reserves(name) is reserved


def test_agents_with_two_keys_do_not_fit_into_one_process() -> None:
    lead = template("lead", f"tools: [{agent('near', of='aide')}]")
    aide = template("aide").replace("{name: model}", "{name: other}")
    other = model(OPENAI.replace("apiKeySecret: llm", "apiKeySecret: llm2"), "other")
    assert told(codex(lead, aide, other)[1]) == [("CredentialUnsupported", "spec.modelConfig.name")]
