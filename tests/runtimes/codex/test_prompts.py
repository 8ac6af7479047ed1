"""What the real Codex tells a model: the prompt of the template, and nothing of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtimes.codex.actor import model, render_actor, template
from tests.runtimes.codex.model_server import Text, by_turn, serving_model

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
