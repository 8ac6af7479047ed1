"""What the real Codex loses, widens or changes and goes on, next to what is said of it at compile time.

Each boundary is started although its pair would be refused, so that a Codex that does better is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from kagent_render.diagnostics.diagnostic import Diagnostic
from tests.compile.boundaries import agent, template
from tests.compile.codex import codex
from tests.manifests import model, server
from tests.runtimes.codex.actor import SECRETS, Actor
from tests.runtimes.codex.dialogues import RESOURCE_READERS, delegation, is_shared
from tests.runtimes.codex.launcher import Turn
from tests.runtimes.codex.model_server import ModelRequest, ModelServer, Text, serving_model
from tests.runtimes.mcp_server import McpServer, serving_mcp

pytestmark = pytest.mark.server

FIND = "{mcp: {server: {kind: RemoteMCPServer, name: server}, tools: [find]}}"
NEAR = agent("near", of="aide")
LONG = "t" * 116


@dataclass(frozen=True)
class Seen:
    """One turn: how it ended, what the model was asked and what the MCP server was."""

    turn: Turn
    requests: list[ModelRequest]
    server: McpServer

    @property
    def root(self) -> set[str]:
        """The root's tools but the agent tools and the readers of resources."""
        return {name for name in self.requests[0].tools if "multi_agent" not in name} - RESOURCE_READERS

    @property
    def shared(self) -> ModelRequest:
        """What the Shared agent's model was asked first."""
        return next(filter(is_shared, self.requests))

    @property
    def agents(self) -> str:
        """The root's description of the agents that it may spawn."""
        properties = self.requests[0].offered("spawn_agent")["parameters"]["properties"]
        return str(properties.get("agent_type", {}).get("description", ""))

    def sent(self, name: str) -> str | None:
        """The value of a header that the MCP server was sent."""
        return self.server.headers[0].get(name)


@dataclass(frozen=True)
class Loss:
    """Manifests, what is said of them as (reason, object, field), and how Codex shows the loss."""

    texts: tuple[str, ...]
    told: tuple[str, str, str]
    shows: Callable[[Seen], bool]
    spec: str = ""
    block: str = ""
    headers: str = ""


def asking(tools: str, *more: str) -> tuple[str, ...]:
    return template("lead", f"tools: [{tools}]"), *more


def aide(spec: str = "", prompt: str = "systemPrompt: Help.", llm: str = "model") -> str:
    return template("aide", spec, prompt).replace("{name: model}", f"{{name: {llm}}}")


UNSUPPORTED = "CapabilityUnsupported"
HEADER = (UNSUPPORTED, "RemoteMCPServer/server", "spec.headersFrom[0]")
CHOICE = "spec.modelConfig.name"
LOSSES: Mapping[str, Loss] = {
    "an agent whose prompt is blank is not there": Loss(
        asking(NEAR, aide(prompt='systemPrompt: " "')),
        (UNSUPPORTED, "AgentTemplate/aide", "spec.systemPrompt"),
        lambda seen: "near" not in seen.agents and seen.turn.status == 0,
    ),
    "an agent whose description is blank is not there": Loss(
        asking(NEAR.replace("description: Helps.", "description: ' '"), aide()),
        ("InvalidSpec", "AgentTemplate/lead", "spec.tools[0].agent.description"),
        lambda seen: "near" not in seen.agents and seen.turn.status == 0,
    ),
    "an agent has the tools of its parent": Loss(
        asking(f"{FIND}, {NEAR}", aide()),
        (UNSUPPORTED, "AgentTemplate/lead", "spec.tools[1].agent"),
        lambda seen: "mcp__server.find" in seen.shared.tools,
    ),
    "a parent has the tools of its agent": Loss(
        asking(NEAR, aide(f"tools: [{FIND}]")),
        (UNSUPPORTED, "AgentTemplate/aide", "spec.tools[0].mcp"),
        lambda seen: seen.root == {"mcp__server.find"},
    ),
    "an agent has the effort of its parent": Loss(
        asking(NEAR, aide(llm="other")),
        (UNSUPPORTED, "AgentTemplate/aide", CHOICE),
        lambda seen: seen.shared.body["reasoning"] == {"effort": "high"},
        block=", reasoningEffort: high",
    ),
    "an agent is at the endpoint of its parent": Loss(
        asking(NEAR, aide(llm="elsewhere")),
        ("ProviderUnsupported", "AgentTemplate/aide", CHOICE),
        lambda seen: seen.shared.path == "/v1/responses",
    ),
    "a server with the name of Codex's own is not there": Loss(
        asking(FIND.replace("name: server", "name: codex.apps")),
        ("NameInvalid", "AgentTemplate/lead", "spec.tools[0].mcp"),
        lambda seen: seen.root == set() and seen.turn.status == 0,
    ),
    "a tool has another name": Loss(
        asking(FIND.replace("[find]", "[get-it]")),
        ("NameInvalid", "AgentTemplate/lead", "spec.tools[0].mcp.tools[0]"),
        lambda seen: seen.root == {"mcp__server.get_it"},
    ),
    "two tools of one name get a hash": Loss(
        asking(FIND.replace("[find]", "[get_it, get-it]")),
        ("NameInvalid", "AgentTemplate/lead", "spec.tools[0].mcp.tools[1]"),
        lambda seen: len(seen.root) == 2 and "mcp__server.get_it" not in seen.root,
    ),
    "a tool with a long name gets a hash": Loss(
        asking(FIND.replace("[find]", f"[{LONG}]")),
        ("NameInvalid", "AgentTemplate/lead", "spec.tools[0].mcp.tools[0]"),
        lambda seen: len(seen.root) == 1 and f"mcp__server.{LONG}" not in seen.root,
    ),
    "white space around a header is not sent": Loss(
        asking(FIND), HEADER, lambda seen: seen.sent("x-a") == "v", headers="{name: X-A, value: ' v '}"
    ),
    "a model header twice is sent once": Loss(
        asking(""),
        (UNSUPPORTED, "ModelConfig/gpt", "spec.defaultHeaders.x-a"),
        lambda seen: seen.requests[0].headers["x-a"] in ("v", "w"),
        spec=", defaultHeaders: {X-A: v, x-a: w}",
    ),
    "a header whose name is none is not sent": Loss(
        asking(FIND), HEADER, lambda seen: seen.sent("x a") is None, headers="{name: 'X A', value: v}"
    ),
    "a header with a line break is not sent": Loss(
        asking(FIND), HEADER, lambda seen: seen.sent("x-a") is None, headers='{name: X-A, value: "a\\nb"}'
    ),
    "a header that Codex sets has its value": Loss(
        asking(FIND),
        HEADER,
        lambda seen: seen.sent("accept") == "text/event-stream, application/json",
        headers="{name: Accept, value: text/x}",
    ),
    "a header twice is sent once": Loss(
        asking(FIND),
        (UNSUPPORTED, "RemoteMCPServer/server", "spec.headersFrom[1]"),
        lambda seen: seen.sent("x-a") in ("v", "w"),
        headers="{name: X-A, value: v}, {name: x-a, value: w}",
    ),
    "a model header that Codex sets has its value": Loss(
        asking(""),
        (UNSUPPORTED, "ModelConfig/gpt", "spec.defaultHeaders.Authorization"),
        lambda seen: seen.requests[0].headers["authorization"] == "Bearer model-key",
        spec=", defaultHeaders: {Authorization: Basic}",
    ),
    "a model header with a line break is not sent": Loss(
        asking(""),
        (UNSUPPORTED, "ModelConfig/gpt", "spec.defaultHeaders.X-A"),
        lambda seen: "x-a" not in seen.requests[0].headers,
        spec=', defaultHeaders: {X-A: "a\\nb"}',
    ),
    "an option of the model does not reach it": Loss(
        asking(""),
        (UNSUPPORTED, "ModelConfig/gpt", "spec.openAI.temperature"),
        lambda seen: "temperature" not in seen.requests[0].body,
        block=', temperature: "0.5"',
    ),
}


def compiled(loss: Loss, scripted: ModelServer, mcp: McpServer) -> tuple[Actor, list[Diagnostic]]:
    """The boundary as it would be started, and what is said of it."""

    def openai(spec: str, block: str, url: str = scripted.url) -> str:
        key = "apiKeySecret: llm, apiKeySecretKey: token"
        return f"{{model: m, {key}{spec}, openAI: {{apiFormat: responses, baseUrl: '{url}'{block}}}}}"

    spec = f"{{description: d, url: '{mcp.url}', headersFrom: [{loss.headers}]}}"
    others = [
        model(openai("", ""), "other"),
        model(openai(loss.spec, loss.block, "http://127.0.0.1:9/v2"), "elsewhere"),
        server(spec),
        server(spec, "codex.apps"),
    ]
    boundary, faults = codex(*loss.texts, *others, llm=openai(loss.spec, loss.block), proven=False)
    env = {
        variable.name: variable.value
        if isinstance(variable.value, str)
        else SECRETS[variable.value.name, variable.value.key]
        for variable in boundary.env
    }
    return Actor(env), faults


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
def test_codex_goes_on_where_the_manifests_are_told(tmp_path: Path, loss: Loss) -> None:
    with (
        serving_mcp(["find", "get-it", "get_it", LONG]) as mcp,
        serving_model(delegation("near", [Text("Found it.")])) as scripted,
    ):
        actor, faults = compiled(loss, scripted, mcp)
        turn = actor.start(tmp_path)
    assert [(fault.reason.value, str(fault.object), fault.field) for fault in faults] == [loss.told]
    assert loss.shows(Seen(turn, scripted.requests, mcp))


def test_a_skill_is_there_and_the_model_has_no_way_to_it(tmp_path: Path) -> None:
    with serving_mcp([]) as mcp, serving_model(delegation(None, [])) as scripted:
        actor, _ = compiled(Loss(asking(""), ("", "", ""), lambda _: True), scripted, mcp)
        skill = tmp_path / "codex/skills/one/SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text("---\nname: one\ndescription: Says how.\n---\nDo it.\n")
        actor.start(tmp_path)
    assert scripted.requests[0].tools == []
    assert "Says how." not in str(scripted.requests[0].messages)
