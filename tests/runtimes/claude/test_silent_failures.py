"""What the real Claude Code loses, widens or changes and goes on, next to what is said of it at compile time.

Each boundary is started although its pair would be refused, so that a Claude Code that does better is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kagent_render.api.hub import SecretKeyRef
from tests.compile.boundaries import agent, template
from tests.compile.claude import claude
from tests.manifests import model, server
from tests.runtimes.claude.actor import Actor
from tests.runtimes.claude.dialogues import delegate
from tests.runtimes.claude.launcher import Turn
from tests.runtimes.claude.model_server import Asked, Reply, serving_model
from tests.runtimes.mcp_server import McpServer, serving_mcp
from tests.runtimes.repository import selects

pytestmark = pytest.mark.server

LONG = "t" * 120
SERVED = ["find", "a.b", "a_b", LONG]
UNSUPPORTED, INVALID, PROVIDER = "CapabilityUnsupported", "NameInvalid", "ProviderUnsupported"
TEMPLATE, CONFIG, REMOTE = "AgentTemplate/lead", "ModelConfig/claude", "RemoteMCPServer/server"


@dataclass(frozen=True)
class Seen:
    """One turn: how it ended, what the model was asked and what the MCP server was."""

    turn: Turn
    asked: list[Asked]
    server: McpServer

    @property
    def root(self) -> Asked:
        """What the root's model was asked first."""
        return self.asked[0]

    @property
    def child(self) -> Asked:
        """What the Shared agent's model was asked first."""
        return next(asked for asked in self.asked if "Help." in asked.prompt)

    @property
    def connected(self) -> list[str]:
        """The MCP servers that the CLI knows."""
        return [found["name"] for found in self.turn.init["mcp_servers"]]


@dataclass(frozen=True)
class Loss:
    """What is written, what is said of it as (reason, object, field), and how Claude Code shows the loss.

    `tools` and `prompt` are the root's; `name`, `query` and `headers` the MCP server's; `llm` and `more` the
    root's ModelConfig and its block's entries; `child` the Shared agent's ModelConfig, without its end, and
    `child_llm` its model.
    """

    told: tuple[str, str, str]
    shows: Callable[[Seen], bool]
    tools: tuple[str, ...] = ("find",)
    name: str = "server"
    query: str = ""
    headers: str = ""
    prompt: str = "Act."
    llm: str = "m"
    more: str = ""
    block: str = ""
    child: str | None = None
    child_llm: str = "m"

    def manifests(self, model_url: str, mcp_url: str) -> tuple[str, ...]:
        tools = [selects(self.name, *self.tools)]
        if self.child is not None:
            tools.append(agent("near", of="aide"))
        endpoint = f"anthropic: {{baseUrl: '{model_url}'}}"
        return (
            template("lead", f"tools: [{', '.join(tools)}]", f"systemPrompt: '{self.prompt}'"),
            template("aide", prompt="systemPrompt: Help.").replace("{name: model}", "{name: other}"),
            server(
                f"{{description: d, url: '{mcp_url}{self.query}', headersFrom: [{self.headers}]}}", self.name
            ),
            model(f"{{provider: Anthropic, model: {self.child_llm}, {self.child or ''}{endpoint}}}", "other"),
        )

    def model(self, url: str) -> str:
        return (
            f"{{provider: Anthropic, model: '{self.llm}', apiKeySecret: llm, apiKeySecretKey: token,"
            f" anthropic: {{baseUrl: '{url}'{self.block}}}{self.more}}}"
        )


LOSSES = {
    "a server of a name that is kept": Loss(
        (INVALID, TEMPLATE, "spec.tools[0].mcp"), lambda seen: seen.connected == [], name="workspace"
    ),
    "the tools of a server of a name that is kept": Loss(
        (INVALID, TEMPLATE, "spec.tools[0].mcp"),
        lambda seen: (seen.connected, seen.root.tools) == (["ide"], []),
        name="ide",
    ),
    "the name of a tool": Loss(
        (INVALID, TEMPLATE, "spec.tools[0].mcp.tools[0]"),
        lambda seen: "mcp__server__a.b" not in seen.root.tools,
        tools=("a.b",),
    ),
    "a tool with a long name": Loss(
        (INVALID, TEMPLATE, "spec.tools[0].mcp.tools[0]"),
        lambda seen: (seen.connected, seen.root.tools) == (["server"], []),
        tools=(LONG,),
    ),
    "the text of a header": Loss(
        (UNSUPPORTED, REMOTE, "spec.headersFrom[0]"),
        lambda seen: seen.server.headers[0]["x"].startswith("/"),
        headers="{name: X, value: '${HOME}'}",
    ),
    "white space around a header": Loss(
        (UNSUPPORTED, REMOTE, "spec.headersFrom[0]"),
        lambda seen: seen.server.headers[0]["x"] == "a",
        headers="{name: X, value: ' a '}",
    ),
    "a server by the name of a header": Loss(
        (UNSUPPORTED, REMOTE, "spec.headersFrom[0]"),
        lambda seen: seen.root.tools == [],
        headers="{name: 'X Y', value: a}",
    ),
    "a header that is its own": Loss(
        (UNSUPPORTED, REMOTE, "spec.headersFrom[0]"),
        lambda seen: seen.server.headers[0]["content-type"] == "application/json",
        headers="{name: Content-Type, value: text/plain}",
    ),
    "a child's model by an alias": Loss(
        (PROVIDER, "ModelConfig/other", "spec.model"),
        lambda seen: seen.child.body["model"] == "m",
        child="apiKeySecret: llm, apiKeySecretKey: token, ",
        child_llm="haiku",
    ),
    "the end of a model's name": Loss(
        (PROVIDER, CONFIG, "spec.model"), lambda seen: seen.root.body["model"] == "m", llm="m[1m]"
    ),
    "a part of a model's name": Loss(
        (PROVIDER, CONFIG, "spec.model"), lambda seen: seen.root.body["model"] == "mx", llm="m[2m]x"
    ),
    "white space at the end of an alias": Loss(
        (PROVIDER, CONFIG, "spec.model"),
        lambda seen: seen.root.body["model"] == "haiku",
        llm="haiku\ufeff",
    ),
    "a header of a model that is its own": Loss(
        (UNSUPPORTED, CONFIG, "spec.defaultHeaders.Anthropic-Beta"),
        lambda seen: "mine" not in seen.root.headers["anthropic-beta"],
        more=", defaultHeaders: {Anthropic-Beta: mine}",
    ),
    "the key by a header of a model": Loss(
        (UNSUPPORTED, CONFIG, "spec.defaultHeaders.X-Api-Key"),
        lambda seen: seen.root.headers["x-api-key"] == "mine",
        more=", defaultHeaders: {X-Api-Key: mine}",
    ),
    "a header of a model that is there twice": Loss(
        (UNSUPPORTED, CONFIG, "spec.defaultHeaders.x-a"),
        lambda seen: seen.root.headers["x-a"] == "b",
        more=", defaultHeaders: {X-A: a, x-a: b}",
    ),
    "one header of a model for two": Loss(
        (UNSUPPORTED, CONFIG, "spec.defaultHeaders.X"),
        lambda seen: seen.root.headers["y"] == "b",
        more=', defaultHeaders: {X: "a\\nY: b"}',
    ),
    "an option of a model": Loss(
        (UNSUPPORTED, CONFIG, "spec.anthropic.temperature"),
        lambda seen: "temperature" not in seen.root.body,
        block=", temperature: '0.5'",
    ),
    "an empty prompt": Loss(
        (UNSUPPORTED, TEMPLATE, "spec.systemPrompt"),
        lambda seen: "Assist with authorized security testing" in seen.root.prompt,
        prompt="",
    ),
    "that a child has no key": Loss(
        (PROVIDER, "AgentTemplate/aide", "spec.modelConfig.name"),
        lambda seen: seen.child.headers["x-api-key"] == "key",
        child="",
    ),
    "a child's own key": Loss(
        ("CredentialUnsupported", "AgentTemplate/aide", "spec.modelConfig.name"),
        lambda seen: seen.child.headers["x-api-key"] == seen.root.headers["x-api-key"],
        child="apiKeySecret: own, apiKeySecretKey: token, ",
    ),
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_what_claude_code_loses_in_silence_is_told(loss: Loss, tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        return delegate("near") if "Agent" in asked.tools and not asked.results else "Done."

    with serving_mcp(SERVED) as mcp, serving_model(script) as scripted:
        manifests = loss.manifests(scripted.url, mcp.url)
        boundary, faults = claude(*manifests, llm=loss.model(scripted.url), proven=False)
        env = {
            variable.name: "key" if isinstance(variable.value, SecretKeyRef) else variable.value
            for variable in boundary.env
        }
        turn = Actor(env).start(tmp_path)
    assert [(fault.reason.value, str(fault.object), fault.field) for fault in faults] == [loss.told]
    assert turn.status == 0
    assert loss.shows(Seen(turn, scripted.asked, mcp))
