"""Every recorded tree for Codex, started with its addresses on loopback and nothing else changed."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

from tests.golden.test_golden import REPOSITORIES
from tests.parts import missing
from tests.runtimes.codex.actor import Actor, rendered_actors
from tests.runtimes.codex.dialogues import RESOURCE_READERS
from tests.runtimes.codex.model_server import Text, by_turn, serving_model
from tests.runtimes.mcp_server import serving_mcp

pytestmark = pytest.mark.server

TREES = REPOSITORIES / "ten-trees-codex"


def on_loopback(actor: Actor, model: str, mcp: str) -> Actor:
    """The same files with all models at one address and all MCP servers at another."""
    config = actor.files["config.toml"]
    for key, url in (("base_url", model), ("url", mcp)):
        config = re.sub(rf"^{key} = .*$", f'{key} = "{url}"', config, flags=re.MULTILINE)
    files = json.dumps({**actor.files, "config.toml": config})
    return dataclasses.replace(actor, env={**actor.env, "KAGENT_FILES_JSON": files})


def test_codex_takes_every_tree_as_it_is_rendered(tmp_path: Path) -> None:
    if not TREES.exists():
        missing("no trees for Codex are recorded")
    actors = rendered_actors(tmp_path, TREES)
    assert len(actors) >= 10
    for name, actor in actors.items():
        config = actor.config
        servers = config.get("mcp_servers", {})
        tools = sorted({tool for server in servers.values() for tool in server["enabled_tools"]})
        with serving_mcp(tools) as mcp, serving_model(by_turn([Text("Done.")])) as scripted:
            turn = on_loopback(actor, scripted.url, mcp.url).start(tmp_path / name)
        assert (turn.status, turn.complaints) == (0, []), name
        (request,) = scripted.requests
        assert request.model == config["model"]
        assert request.said("developer") == config["developer_instruction"]
        assert {tool for tool in request.tools if tool.startswith("mcp__")} == {
            f"mcp__{re.sub('[^A-Za-z0-9_]', '_', server)}.{re.sub('[^A-Za-z0-9_]', '_', tool)}"
            for server, found in servers.items()
            for tool in found["enabled_tools"]
        }
        others = {tool for tool in request.tools if not tool.startswith(("mcp__", "multi_agent_v1."))}
        assert others <= RESOURCE_READERS
        if agents := config.get("agents"):
            properties = request.offered("spawn_agent")["parameters"]["properties"]
            offered = properties["agent_type"]["description"]
            for agent, told in agents.items():
                assert f"{agent}: {{\n{told['description']}\n" in offered, name
        else:
            assert not [tool for tool in request.tools if tool.startswith("multi_agent_v1.")]
