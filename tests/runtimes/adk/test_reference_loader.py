"""What the `python` adapter writes, loaded by google-adk: each agent gets what its template selects only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from tests.runtimes.adk.chat_model import Call, ChatModel, serving_chat_model
from tests.runtimes.adk.environment import answer_of
from tests.runtimes.adk.repository import OPTIONS, SECRETS, agent, mcp, model, render, server, template
from tests.runtimes.environments import actor_environments
from tests.runtimes.mcp_server import McpServer, ToolCall, serving_mcp

pytestmark = pytest.mark.server

SCRIPT: dict[str, list[Call]] = {
    "I am lead": [
        ("find", {"task": "outage"}),
        ("watch", {"task": "metrics"}),
        ("one", {"request": "first part"}),
        ("two_part", {"request": "second part"}),
        ("far_invoke", {"task": "doubt it"}),
        ("off_site_invoke", {"task": "doubt that"}),
    ],
    "I am helper": [("fetch", {"task": "page"})],
    "I am reaching": [("drop", {"task": "everything"})],
    "I am doubling": [("find", {"task": "which"})],
}


@dataclass(frozen=True)
class World:
    """Everything that took part in the turns, and how each turn ended by the name of its root."""

    model: ChatModel
    search: McpServer
    events: McpServer
    archive: McpServer
    critic: McpServer
    ended: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One turn of each root; the loader needs ten seconds to start, so all of them are of one process."""
    root = tmp_path_factory.mktemp("root")
    with ExitStack() as stack:
        scripted = stack.enter_context(serving_chat_model(SCRIPT))
        search = stack.enter_context(serving_mcp(["find", "fetch", "drop"]))
        events = stack.enter_context(serving_mcp(["watch", "erase"], transport="sse"))
        archive = stack.enter_context(serving_mcp(["find"]))
        critic = stack.enter_context(serving_mcp(["invoke", "other"], path="/mcp/{binding}", port=8082))
        render(
            root,
            *(model(name, scripted.url) for name in ("gpt-lead", "gpt-helper")),
            server("search", search.url),
            server("events", events.url, "SSE"),
            template(
                "lead",
                mcp("search", "find"),
                mcp("events", "watch"),
                agent("one", "helper"),
                agent("two-part", "helper"),
                agent("far", "critic", "Dedicated"),
                agent("off-site", "critic", "Dedicated"),
            ),
            template("helper", mcp("search", "fetch"), model="gpt-helper"),
            template("critic"),
            template("reaching", mcp("search", "find")),
            server("archive", archive.url),
            template("archivist", mcp("archive", "find")),
            template("doubling", mcp("search", "find")),
        )
        actors = actor_environments(root, SECRETS)
        actors["doubling-runtime"] = with_tools_of(actors["doubling-runtime"], actors["archivist-runtime"])
        roots = ["lead", "reaching", "doubling"]
        turns = [{"env": actors[f"{name}-runtime"], "task": "Help."} for name in roots]
        ended = answer_of("loader.py", turns, tmp_path_factory.mktemp("home"))
        yield World(scripted, search, events, archive, critic, dict(zip(roots, ended, strict=True)))


def with_tools_of(actor: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    """An actor with another one's HTTP tools besides: two of one name, which the program refuses to write."""
    configs = [json.loads(env["KAGENT_CONFIG_JSON"]) for env in (actor, other)]
    tools = [tool for config in configs for tool in config["http_tools"]]
    return {**other, **actor, "KAGENT_CONFIG_JSON": json.dumps({**configs[0], "http_tools": tools})}


def test_the_root_is_asked_with_its_own_instruction_and_model_and_exactly_its_tools(world: World) -> None:
    first = world.model.of("I am lead")[0]
    assert sorted(first.tools) == ["far_invoke", "find", "off_site_invoke", "one", "two_part", "watch"]
    assert first.body["model"] == "gpt-lead"


def test_every_request_to_a_model_has_its_options_its_headers_and_its_key(world: World) -> None:
    for asked in world.model.asked:
        assert {name: asked.body.get(name) for name in OPTIONS} == OPTIONS
        assert asked.headers["x-model"] == asked.body["model"]
        assert asked.headers["authorization"] == "Bearer key-of-the-model"


def test_a_shared_child_runs_for_each_binding_with_its_own_instruction_model_and_tools(world: World) -> None:
    asked = world.model.of("I am helper")
    assert [one.user for one in asked if not one.heard] == ["first part", "second part"]
    assert {one.tools for one in asked} == {("fetch",)}
    assert {one.body["model"] for one in asked} == {"gpt-helper"}


def test_the_answer_of_each_child_reaches_the_root(world: World) -> None:
    heard = world.model.of("I am lead")[-1].heard
    for text, part in zip(heard[2:4], ("first part", "second part"), strict=True):
        assert text.startswith(f"I am helper <{part}> heard: ")
        assert '"tool": "fetch"' in text.replace('\\"', '"')
    assert world.ended["lead"]["error"] is None
    assert world.ended["lead"]["texts"][-1].startswith("I am lead <Help.> heard: ")


def test_a_child_is_described_by_its_binding(world: World) -> None:
    tools = world.model.of("I am lead")[0].body["tools"]
    described = {tool["function"]["name"]: tool["function"]["description"] for tool in tools}
    assert (described["one"], described["two_part"]) == ("helper as one", "helper as two-part")


def test_each_selected_tool_is_called_over_its_transport(world: World) -> None:
    assert world.search.calls == [
        ToolCall("find", {"task": "outage"}),
        ToolCall("fetch", {"task": "page"}),
        ToolCall("fetch", {"task": "page"}),
    ]
    assert world.events.calls == [ToolCall("watch", {"task": "metrics"})]


def test_each_dedicated_agent_is_called_as_invoke_at_the_endpoint_of_the_runtime(world: World) -> None:
    assert world.critic.calls == [
        ToolCall("invoke", {"task": "doubt it"}),
        ToolCall("invoke", {"task": "doubt that"}),
    ]


def test_of_two_tools_of_one_name_the_last_is_called_without_a_word(world: World) -> None:
    (asked, *_) = world.model.of("I am doubling")
    assert asked.tools == ("find", "find")
    assert world.ended["doubling"]["error"] is None
    assert world.archive.calls == [ToolCall("find", {"task": "which"})]


def test_a_tool_that_is_not_selected_is_neither_offered_nor_called(world: World) -> None:
    (asked, *_) = world.model.of("I am reaching")
    assert asked.tools == ("find",)
    assert "drop" not in world.search.called
    assert "Tool 'drop' not found" in world.ended["reaching"]["error"]


@pytest.mark.parametrize("name", ["search", "events"])
def test_every_request_to_a_server_has_its_headers_with_the_secret_expanded(world: World, name: str) -> None:
    requests = {"search": world.search, "events": world.events}[name].headers
    assert requests
    for headers in requests:
        assert headers["x-plain"] == f"plain-{name}"
        assert headers["authorization"] == "Bearer key-of-the-server"
