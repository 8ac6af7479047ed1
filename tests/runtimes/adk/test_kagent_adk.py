"""kagent-adk 0.10.4 started on what is rendered for it, and asked one thing over A2A."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.runtimes.adk.chat_model import ChatModel, serving_chat_model
from tests.runtimes.adk.repository import OPTIONS, SECRETS, agent, mcp, model, render, server, template
from tests.runtimes.adk.serving import send_message, serving_kagent_adk, stream_message
from tests.runtimes.environments import actor_environments
from tests.runtimes.mcp_server import McpServer, ToolCall, serving_mcp

pytestmark = pytest.mark.server

SCRIPT = {"I am lead": [("find", {"task": "outage"}), ("watch", {"task": "metrics"})]}


@dataclass(frozen=True)
class Turn:
    """Two messages, the second one streamed, and all that came of them."""

    model: ChatModel
    search: McpServer
    events: McpServer
    task: dict[str, Any]
    streamed: list[dict[str, Any]]
    folder: Path


@pytest.fixture(scope="module")
def turn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Turn]:
    """The turn of an agent with an HTTP and an SSE server, and with a Shared child."""
    root, folder = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("adk")
    with ExitStack() as stack:
        scripted = stack.enter_context(serving_chat_model(SCRIPT))
        search = stack.enter_context(serving_mcp(["find", "drop"]))
        events = stack.enter_context(serving_mcp(["watch", "erase"], transport="sse"))
        render(
            root,
            model("gpt-lead", scripted.url),
            server("search", search.url),
            server("events", events.url, "SSE"),
            template("lead", mcp("search", "find"), mcp("events", "watch"), agent("one", "helper")),
            template("helper"),
        )
        actor = actor_environments(root, SECRETS)["lead-runtime"]
        url = stack.enter_context(serving_kagent_adk(folder, actor))
        task, streamed = send_message(url, "Help."), stream_message(url, "Again.")
        yield Turn(scripted, search, events, task, streamed, folder)


def test_the_selected_tools_are_called_and_the_answer_comes_back(turn: Turn) -> None:
    assert turn.search.calls == [ToolCall("find", {"task": "outage"})] * 2
    assert turn.events.calls == [ToolCall("watch", {"task": "metrics"})] * 2
    assert turn.task["status"]["state"] == "completed"
    assert "I am lead <Help.> heard: " in str(turn.task["artifacts"])


def test_a_turn_is_streamed_as_it_comes(turn: Turn) -> None:
    updates = [event["status"] for event in turn.streamed if event["kind"] == "status-update"]
    texts = [
        [part.get("text") for part in (update.get("message") or {}).get("parts", ())] for update in updates
    ]
    assert ["I am lead <Again.> heard:"] in texts
    assert updates[-1]["state"] == "completed"


def test_no_tool_but_the_selected_ones_is_offered_and_one_of_its_own(turn: Turn) -> None:
    assert {asked.tools for asked in turn.model.asked} == {("find", "watch", "ask_user")}


def test_a_shared_child_is_dropped_without_a_word(turn: Turn) -> None:
    assert turn.model.of("I am helper") == []
    log = (turn.folder / "log").read_text()
    assert "sub_agents" not in log


def test_the_model_has_its_settings_and_streams(turn: Turn) -> None:
    for asked in turn.model.asked:
        assert {name: asked.body.get(name) for name in OPTIONS} == OPTIONS
        assert (asked.body["model"], asked.body["stream"]) == ("gpt-lead", True)
        assert asked.headers["x-model"] == "gpt-lead"
        assert asked.headers["authorization"] == "Bearer key-of-the-model"


@pytest.mark.parametrize("name", ["search", "events"])
def test_a_secret_header_is_sent_as_its_placeholder(turn: Turn, name: str) -> None:
    requests = {"search": turn.search, "events": turn.events}[name].headers
    assert requests
    for headers in requests:
        assert headers["x-plain"] == f"plain-{name}"
        assert headers["authorization"].startswith("__KAGENT_ENV[KAGENT_CREDENTIAL_")


def test_sessions_are_kept_in_the_database_that_is_configured(turn: Turn) -> None:
    assert (turn.folder / "sessions.db").stat().st_size
