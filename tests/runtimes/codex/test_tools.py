"""Which tools the real Codex offers and runs, started on what is rendered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtimes.codex.actor import model, render_actor
from tests.runtimes.codex.dialogues import RESOURCE_READERS
from tests.runtimes.codex.model_server import Call, Step, Text, by_turn, serving_model
from tests.runtimes.loopback import held_port
from tests.runtimes.mcp_server import ToolCall, serving_mcp
from tests.runtimes.repository import binds, mcp_server, selects, template

pytestmark = pytest.mark.server

REFUSED: list[Step] = [
    Call("fetch", {"task": "t"}, "mcp__search_me"),
    Call("other", {"task": "t"}, "mcp__unbound"),
    Call("exec_command", {"cmd": "id"}),
    Call("shell", {"command": ["id"]}),
    Call("write_stdin", {"session_id": 1}),
    Call("apply_patch", {"input": "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch"}),
    Call("view_image", {"path": "/etc/hostname"}),
    Call("update_plan", {"plan": []}),
    Call("web_search", {"query": "q"}),
    Call("tool_search", {"query": "q"}),
    Call("request_user_input", {"questions": []}),
    Call("create_goal", {"objective": "o"}),
    Call("exec", {"code": "1"}),
    Call("spawn_agent", {"message": "m"}, "multi_agent_v1"),
    Call("spawn_agent", {"message": "m", "task_name": "t"}, "collaboration"),
]


@pytest.mark.parametrize("llm", ["some-model", "gpt-5.5", "gpt-6.2-sol"])
def test_an_agent_is_offered_the_selected_tools_and_no_others(tmp_path: Path, llm: str) -> None:
    with (
        serving_mcp(["search", "fetch"]) as server,
        serving_mcp(["other"]) as unbound,
        serving_model(by_turn([Text("Done.")])) as scripted,
    ):
        lead = template("lead", "Lead.", selects("search-me", "search"))
        manifests = [model(scripted.url, llm=llm), mcp_server(unbound.url, "unbound"), lead]
        turn = render_actor(tmp_path, mcp_server(server.url, "search-me"), *manifests).start(tmp_path)
    assert (turn.status, turn.text, turn.complaints) == (0, "Done.", [])
    assert set(scripted.requests[0].tools) == {"mcp__search_me.search"} | RESOURCE_READERS
    assert unbound.headers == []


def test_an_agent_without_tools_is_offered_none(tmp_path: Path) -> None:
    with serving_model(by_turn([Text("Done.")])) as scripted:
        render_actor(tmp_path, model(scripted.url), template("lead", "Lead.")).start(tmp_path)
    assert scripted.requests[0].tools == []


def test_a_selected_tool_is_called_and_everything_else_is_refused(tmp_path: Path) -> None:
    steps: list[Step] = [Call("search", {"task": "outage"}, "mcp__search_me"), *REFUSED, Text("Done.")]
    with (
        serving_mcp(["search", "fetch"]) as server,
        serving_mcp(["other"]) as unbound,
        serving_model(by_turn(steps)) as scripted,
    ):
        lead = template("lead", "Lead.", selects("search-me", "search"))
        manifests = [model(scripted.url), mcp_server(unbound.url, "unbound"), lead]
        turn = render_actor(tmp_path, mcp_server(server.url, "search-me"), *manifests).start(tmp_path)
    assert turn.status == 0
    assert server.calls == [ToolCall("search", {"task": "outage"})]
    assert unbound.calls == []
    found, *refused = scripted.requests[-1].outputs
    assert "outage" in found
    assert [output.partition(":")[0] for output in refused] == ["unsupported call"] * len(REFUSED)


def test_headers_arrive_and_a_secret_s_value_is_in_none_of_the_files(tmp_path: Path) -> None:
    headers = (
        "headersFrom:\n- {name: X-Literal, value: 'a ${HOME} b'}\n"
        "- {name: Authorization, valueFrom: {type: Secret, name: tools, key: token}}"
    ).replace("${", "$ {")
    steps: list[Step] = [Call("search", {}, "mcp__server"), Text("Done.")]
    with serving_mcp(["search"]) as server, serving_model(by_turn(steps)) as scripted:
        lead = template("lead", "Lead.", selects("server", "search"))
        actor = render_actor(tmp_path, model(scripted.url), mcp_server(server.url, "server", headers), lead)
        actor.start(tmp_path)
    assert "tools-key" not in "".join(actor.files.values())
    assert server.called == ["search"]
    for sent in server.headers:
        assert (sent["authorization"], sent["x-literal"]) == ("Bearer tools-key", "a $ {HOME} b")


def test_a_dedicated_agent_is_called_at_the_runtime_s_own_endpoint(tmp_path: Path) -> None:
    steps: list[Step] = [Call("invoke", {"task": "Doubt."}, "mcp__critic"), Text("Done.")]
    with (
        held_port(8082) as port,
        serving_mcp(["invoke"], path="/mcp/critic", port=port) as server,
        serving_model(by_turn(steps)) as scripted,
    ):
        lead = template("lead", "Lead.", binds("critic", "doubter", isolation="Dedicated"))
        actor = render_actor(tmp_path, model(scripted.url), lead, template("doubter", "Doubt."))
        turn = actor.start(tmp_path)
    assert turn.complaints == []
    assert server.calls == [ToolCall("invoke", {"task": "Doubt."})]


def test_a_server_that_cannot_be_reached_ends_the_turn(tmp_path: Path) -> None:
    with serving_mcp(["search"]) as gone:
        url = gone.url
    with serving_model(by_turn([Text("Done.")])) as scripted:
        lead = template("lead", "Lead.", selects("server", "search"))
        turn = render_actor(tmp_path, model(scripted.url), mcp_server(url, "server"), lead).start(tmp_path)
    assert turn.status == 1
    assert scripted.requests == []
