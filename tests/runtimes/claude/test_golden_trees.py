"""Every recorded tree for Claude, started with its addresses on loopback and nothing else changed."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from tests.golden.test_golden import REPOSITORIES
from tests.runtimes.claude.actor import Actor, rendered_actors
from tests.runtimes.claude.model_server import serving_model
from tests.runtimes.mcp_server import serving_mcp

pytestmark = pytest.mark.server

TREES = REPOSITORIES / "ten-trees-claude"


def on_loopback(actor: Actor, model: str, addresses: dict[str, str]) -> Actor:
    """The same files with all models at one address and the MCP servers of a type at another."""
    servers = json.loads(actor.files["mcp.json"])["mcpServers"]
    moved = {name: {**server, "url": addresses[server["type"]]} for name, server in servers.items()}
    files = json.dumps({**actor.files, "mcp.json": json.dumps({"mcpServers": moved})})
    return dataclasses.replace(
        actor, env={**actor.env, "KAGENT_FILES_JSON": files, "ANTHROPIC_BASE_URL": model}
    )


def test_claude_code_takes_every_tree_as_it_is_rendered(tmp_path: Path) -> None:
    actors = rendered_actors(tmp_path, TREES)
    assert len(actors) >= 10
    for name, actor in actors.items():
        config, agents = actor.config, json.loads(actor.files["agents.json"])
        allowed = json.loads(actor.files["settings.json"])["permissions"]["allow"]
        tools = sorted({tool.split("__")[2] for tool in allowed})
        with (
            serving_mcp(tools) as http,
            serving_mcp(tools, transport="sse") as events,
            serving_model(lambda _: "Done.") as scripted,
        ):
            addresses = {"http": http.url, "sse": events.url}
            turn = on_loopback(actor, scripted.url, addresses).start(tmp_path / name)
        assert (turn.status, turn.complaints) == (0, []), name
        (request,) = scripted.asked
        assert request.body["model"] == config["model"]
        assert request.prompt == config["append_system_prompt"]
        selected = [tool.partition("(")[0] for tool in agents["kagent.root"]["tools"]]
        assert sorted(request.tools) == sorted(selected), name
        assert sorted(turn.init["agents"]) == sorted(agents)
        for agent, told in config.get("agents", {}).items():
            assert f"- {agent}: {told['description']} (Tools: " in request.said, name
