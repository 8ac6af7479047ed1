"""The tools of the real Claude Code: every agent has those that its template selects, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtimes.claude.actor import model, render_actor
from tests.runtimes.claude.dialogues import call, delegate
from tests.runtimes.claude.model_server import Lines, ToolUse, by_agent, refused, serving_model
from tests.runtimes.loopback import held_port
from tests.runtimes.mcp_server import serving_mcp
from tests.runtimes.repository import binds, mcp_server, selects, template

pytestmark = pytest.mark.server

BUILT_IN = ["Bash", "Read", "Write", "Edit", "WebFetch", "WebSearch", "Skill", "TaskStop", "CronCreate"]
WALLS = [("--tools", "Agent,Skill"), ()]
"""As the runtime starts the CLI, and without the wall that no file can say."""


@pytest.mark.parametrize("walls", WALLS, ids=["as started", "without --tools"])
def test_every_agent_has_exactly_its_selected_tools(walls: tuple[str, ...], tmp_path: Path) -> None:
    unselected = [call("tickets", "close"), call("search", "find"), *map(ToolUse, BUILT_IN)]
    script: Lines = {
        "You lead.": [call("search", "find"), delegate("near"), *unselected[:1], *unselected[2:], "Done."],
        "You help.": [call("tickets", "open"), *unselected, "Found it."],
    }
    with (
        serving_mcp(["find", "crawl"]) as search,
        serving_mcp(["open", "close"]) as tickets,
        serving_model(by_agent(script)) as scripted,
    ):
        manifests = [
            model(scripted.url),
            mcp_server(search.url, "search"),
            mcp_server(tickets.url, "tickets"),
            template("lead", "You lead.", f"{selects('search', 'find')}, {binds('near', 'aide')}"),
            template("aide", "You help.", selects("tickets", "open")),
        ]
        turn = render_actor(tmp_path, *manifests).start(tmp_path, walls=walls)
    assert (turn.complaints, turn.text) == ([], "Done.")
    root, child = scripted.of("You lead."), scripted.of("You help.")
    assert all(sorted(asked.tools) == ["Agent", "mcp__search__find"] for asked in root)
    assert all(asked.tools == ["mcp__tickets__open"] for asked in child)
    assert [refused(root[-1], index) for index in range(len(root[-1].results))] == [
        False,
        False,
        *([True] * (len(unselected) - 1)),
    ]
    assert [refused(child[-1], index) for index in range(len(child[-1].results))] == [
        False,
        *([True] * len(unselected)),
    ]
    assert (search.called, tickets.called) == (["find"], ["open"])


def test_an_agent_without_tools_has_none(tmp_path: Path) -> None:
    with serving_model(by_agent({"You lead.": ["Done."]})) as scripted:
        manifests = [model(scripted.url), template("lead", "You lead.")]
        turn = render_actor(tmp_path, *manifests).start(tmp_path, walls=())
    assert scripted.asked[0].tools == []
    assert turn.init["tools"] == []


def test_a_dedicated_agent_is_called_at_the_runtime_s_own_address(tmp_path: Path) -> None:
    script: Lines = {"You lead.": [call("expert", "invoke"), "Done."]}
    with (
        held_port(8082) as port,
        serving_mcp(["invoke"], path="/mcp/expert", port=port) as endpoint,
        serving_model(by_agent(script)) as scripted,
    ):
        manifests = [
            model(scripted.url),
            template("lead", "You lead.", binds("expert", "aide", isolation="Dedicated")),
            template("aide", "You help."),
        ]
        render_actor(tmp_path, *manifests).start(tmp_path)
    assert endpoint.called == ["invoke"]
    assert not refused(scripted.asked[-1], 0)


def test_a_parent_s_dedicated_agent_is_out_of_reach_of_its_shared_child(tmp_path: Path) -> None:
    script: Lines = {
        "You lead.": [delegate("near"), "Done."],
        "You help.": [call("expert", "invoke"), "No."],
    }
    with (
        held_port(8082) as port,
        serving_mcp(["invoke"], path="/mcp/expert", port=port) as endpoint,
        serving_model(by_agent(script)) as scripted,
    ):
        bound = f"{binds('expert', 'aide', isolation='Dedicated')}, {binds('near', 'aide')}"
        manifests = [
            model(scripted.url),
            template("lead", "You lead.", bound),
            template("aide", "You help."),
        ]
        render_actor(tmp_path, *manifests).start(tmp_path)
    assert sorted(scripted.of("You lead.")[0].tools) == ["Agent", "mcp__expert__invoke"]
    assert scripted.of("You help.")[0].tools == []
    assert refused(scripted.of("You help.")[-1], 0)
    assert endpoint.called == []
