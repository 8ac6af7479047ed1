"""The model of the real Claude Code: where it is called, as whom, and with which options."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtimes.claude.actor import binds, model, render_actor, template
from tests.runtimes.claude.dialogues import delegate
from tests.runtimes.claude.model_server import Lines, by_agent, serving_model

pytestmark = pytest.mark.server

SCRIPT: Lines = {"You lead.": [delegate("near"), "Done."], "You help.": ["Found it."]}


def test_the_options_of_a_model_reach_every_request(tmp_path: Path) -> None:
    headers = "defaultHeaders: {X-Team: 'platform, \"eu\"', X-Cost: '7'}"
    with serving_model(by_agent(SCRIPT)) as scripted:
        manifests = [
            model(f"{scripted.url}/anthropic", spec=headers, block="maxTokens: 1234"),
            template("lead", "You lead.", binds("near", "aide")),
            template("aide", "You help."),
        ]
        turn = render_actor(tmp_path, *manifests).start(tmp_path)
    assert turn.complaints == []
    assert len(scripted.asked) == 3
    for asked in scripted.asked:
        assert asked.path.startswith("/anthropic/v1/messages")
        assert asked.headers["x-api-key"] == "model-key"
        assert asked.body["max_tokens"] == 1234
        assert (asked.headers["x-team"], asked.headers["x-cost"]) == ('platform, "eu"', "7")


@pytest.mark.parametrize("name", ["claude-opus-4-1", "claude-sonnet-4-20250514", "default", "vendor/x@1:2"])
def test_a_model_is_asked_for_by_the_name_that_is_written(name: str, tmp_path: Path) -> None:
    with serving_model(by_agent({"You lead.": ["Done."]})) as scripted:
        manifests = [model(scripted.url, llm=f"'{name}'"), template("lead", "You lead.")]
        render_actor(tmp_path, *manifests).start(tmp_path)
    assert [asked.body["model"] for asked in scripted.asked] == [name]
