"""Shared agents in the real Codex: which there are, what they are told, and what they may do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.runtimes.codex.actor import model, render_actor
from tests.runtimes.codex.dialogues import RESOURCE_READERS, TASK, delegation, is_shared
from tests.runtimes.codex.model_server import Call, ModelServer, Step, Text, serving_model
from tests.runtimes.mcp_server import serving_mcp
from tests.runtimes.repository import binds, mcp_server, selects, template

pytestmark = pytest.mark.server


def team(scripted: ModelServer, *more: str, tools: str = "") -> list[str]:
    """A lead with one Shared agent on another model."""
    bound = ", ".join(filter(None, (tools, binds("near-by", "aide", "Finds out."))))
    return [
        model(scripted.url, block="reasoningEffort: low"),
        model(scripted.url, "small", block="reasoningEffort: high", llm="llm-2"),
        template("lead", "You lead.", bound),
        template("aide", "You help.", tools, "small"),
        *more,
    ]


def test_a_shared_agent_is_spawned_by_its_name_and_answers_its_parent(tmp_path: Path) -> None:
    with serving_model(delegation("near-by", [Text("Found it.")])) as scripted:
        turn = render_actor(tmp_path, *team(scripted)).start(tmp_path)
    assert (turn.status, turn.complaints) == (0, [])
    (answer,) = json.loads(turn.text)["status"].values()
    assert answer == {"completed": "Found it."}


def test_a_shared_agent_has_its_own_model_effort_and_prompt(tmp_path: Path) -> None:
    with serving_model(delegation("near-by", [Text("Found it.")])) as scripted:
        actor = render_actor(tmp_path, *team(scripted))
        actor.start(tmp_path)
    root = scripted.requests[0]
    (shared,) = filter(is_shared, scripted.requests)
    assert (root.model, root.body["reasoning"]) == ("llm-1", {"effort": "low"})
    assert (shared.model, shared.body["reasoning"]) == ("llm-2", {"effort": "high"})
    assert (root.said("developer"), shared.said("developer")) == ("You lead.", "You help.")
    assert actor.files["AGENTS.md"].strip() in root.said("user")
    assert shared.messages[-1] == ("user", TASK)
    assert len(shared.messages) == 3


def test_a_shared_agent_cannot_spawn_agents_itself(tmp_path: Path) -> None:
    steps: list[Step] = [
        Call("spawn_agent", {"agent_type": "near-by", "message": "m"}, "multi_agent_v1"),
        Text("No."),
    ]
    with serving_model(delegation("near-by", steps)) as scripted:
        render_actor(tmp_path, *team(scripted)).start(tmp_path)
    first, second = filter(is_shared, scripted.requests)
    assert first.tools == []
    assert second.outputs[0].startswith("unsupported call")


def test_every_bound_agent_is_offered_with_its_description_and_codex_s_own_as_unavailable(
    tmp_path: Path,
) -> None:
    with serving_model(delegation("near-by", [Text("Found it.")])) as scripted:
        render_actor(tmp_path, *team(scripted)).start(tmp_path)
    offered = scripted.requests[0].offered("spawn_agent")
    text = offered["parameters"]["properties"]["agent_type"]["description"]
    agents = dict(re.findall(r"^([\w-]+): \{\n(.*)$", text, re.MULTILINE))
    unavailable = dict.fromkeys(("default", "explorer", "worker"), "Not available: spawning it fails.")
    assert agents == {"near-by": "Finds out.", **unavailable}
    assert "`llm-2`" in text


@pytest.mark.parametrize("name", [None, "default", "explorer", "worker", "awaiter"])
def test_an_agent_that_is_not_bound_cannot_be_spawned(tmp_path: Path, name: str | None) -> None:
    with serving_model(delegation(name, [Text("Found it.")])) as scripted:
        turn = render_actor(tmp_path, *team(scripted)).start(tmp_path)
    assert "is not supported for model" in turn.text or "unknown agent_type" in turn.text
    assert not [request for request in scripted.requests if is_shared(request)]


@pytest.mark.parametrize("name", ["default", "worker", "max_depth", "enabled", "user1", "A-b_C"])
def test_a_shared_agent_may_have_any_name_that_a_binding_may_have(tmp_path: Path, name: str) -> None:
    with serving_model(delegation(name, [Text("Found it.")])) as scripted:
        manifests = [text.replace("near-by", name) for text in team(scripted)]
        turn = render_actor(tmp_path, *manifests).start(tmp_path)
    assert turn.complaints == []
    assert [request.said("developer") for request in scripted.requests if is_shared(request)] == ["You help."]


def test_a_server_is_told_whether_a_shared_agent_calls_it(tmp_path: Path) -> None:
    steps: list[Step] = [Call("search", {}, "mcp__server"), Text("Found it.")]
    with serving_mcp(["search"]) as server, serving_model(delegation("near-by", steps)) as scripted:
        manifests = team(scripted, mcp_server(server.url, "server"), tools=selects("server", "search"))
        render_actor(tmp_path, *manifests).start(tmp_path)
    (call,) = server.calls
    assert call.meta["threadId"] != call.meta["sessionId"]
    assert call.meta["x-codex-turn-metadata"]["subagent_kind"] == "thread_spawn"


def test_a_shared_agent_calls_the_tool_that_it_and_its_parent_selected(tmp_path: Path) -> None:
    steps: list[Step] = [
        Call("search", {"task": "t"}, "mcp__server"),
        Call("fetch", {}, "mcp__server"),
        Text("Found it."),
    ]
    with (
        serving_mcp(["search", "fetch"]) as server,
        serving_model(delegation("near-by", steps)) as scripted,
    ):
        manifests = team(scripted, mcp_server(server.url, "server"), tools=selects("server", "search"))
        render_actor(tmp_path, *manifests).start(tmp_path)
    shared = list(filter(is_shared, scripted.requests))
    assert set(shared[0].tools) == {"mcp__server.search"} | RESOURCE_READERS
    assert server.called == ["search"]
    assert shared[-1].outputs[1].startswith("unsupported call")
