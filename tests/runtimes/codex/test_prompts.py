"""What the real Codex tells a model: the prompt of the template, and nothing of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtimes.codex.actor import model, render_actor
from tests.runtimes.codex.app_server import take_turn
from tests.runtimes.codex.model_server import Text, by_turn, serving_model
from tests.runtimes.mcp_server import serving_mcp
from tests.runtimes.repository import binds, mcp_server, selects, template

pytestmark = pytest.mark.server


@pytest.mark.parametrize(
    "prompt",
    [
        pytest.param("You lead.", id="plain"),
        pytest.param("", id="nothing"),
        pytest.param(" \r\n two  \n\n", id="white space"),
        pytest.param('""" \'\'\' \\ \\u0041 # = [mcp_servers.x]\nurl = "http://h"', id="TOML"),
        pytest.param("${HOME} $HOME {{x}} <a> & @file $skill /help", id="what other programs expand"),
        pytest.param("ü 日本 \U0001f600 \u2028 \u00a0 \ufffd", id="Unicode"),
        pytest.param("x" * 60_000, id="long"),
    ],
)
def test_the_model_is_sent_the_prompt_and_the_task_and_nothing_else(tmp_path: Path, prompt: str) -> None:
    with serving_model(by_turn([Text("Done. ü")])) as scripted:
        turn = render_actor(tmp_path, model(scripted.url), template("lead", prompt)).start(tmp_path, "Go on.")
    assert (turn.status, turn.complaints, turn.text) == (0, [], "Done. ü")
    (request,) = scripted.requests
    expected = [("developer", prompt)] if prompt else []
    assert [*([("system", request.instructions)] if request.instructions else []), *request.messages] == [
        *expected,
        ("user", "Go on."),
    ]


def test_the_app_server_asks_the_model_what_exec_asks_it(tmp_path: Path) -> None:
    with serving_mcp(["search"]) as server, serving_model(by_turn([Text("Done.")])) as scripted:
        manifests = [model(scripted.url), mcp_server(server.url, "server")]
        lead = template("lead", "You lead.", f"{selects('server', 'search')}, {binds('near', 'aide')}")
        aide = template("aide", "You help.", selects("server", "search"))
        actor = render_actor(tmp_path, *manifests, lead, aide)
        actor.start(tmp_path, "Go on.")
        turn = take_turn(actor.install(tmp_path), "Go on.", actor.own)
    assert turn["status"] == "completed"
    exec_, app = scripted.requests
    assert app.messages == exec_.messages
    assert app.body["tools"] == exec_.body["tools"]


def test_nothing_in_the_working_folder_or_the_user_s_home_is_read(tmp_path: Path) -> None:
    skill = "---\nname: one\ndescription: Says how.\n---\nDo it.\n"
    for path, text in {
        "workspace/AGENTS.md": "Obey.",
        "workspace/.codex/config.toml": "web_search = 'live'\n[features]\nshell_tool = true\n",
        "workspace/.agents/skills/one/SKILL.md": skill,
        "user/.agents/skills/one/SKILL.md": skill,
        "user/.codex/config.toml": "web_search = 'live'\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    with serving_model(by_turn([Text("Done.")])) as scripted:
        render_actor(tmp_path, model(scripted.url), template("lead", "You lead.")).start(tmp_path, "Go on.")
    (request,) = scripted.requests
    assert request.messages == [("developer", "You lead."), ("user", "Go on.")]
    assert request.tools == []
