"""What a caller writes is text for the real Claude Code, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtimes.claude.actor import model, render_actor
from tests.runtimes.claude.model_server import by_agent, serving_model
from tests.runtimes.repository import template

pytestmark = pytest.mark.server


@pytest.mark.parametrize("mention", ["@{}", "see @{} now", '@"{}"'])
def test_a_file_that_a_message_names_is_not_read(mention: str, tmp_path: Path) -> None:
    (tmp_path / "environ").write_text("model-key")
    with serving_model(by_agent({"You lead.": ["Done."]})) as scripted:
        actor = render_actor(tmp_path, model(scripted.url), template("lead", "You lead."))
        actor.start(tmp_path, mention.format(tmp_path / "environ"))
    (asked,) = scripted.asked
    assert str(tmp_path / "environ") in asked.said
    assert "model-key" not in asked.said


@pytest.mark.parametrize("text", ["/config theme=dark", "/init", "/clear", "!id", "#remember"])
def test_a_message_is_no_command(text: str, tmp_path: Path) -> None:
    with serving_model(by_agent({"You lead.": ["Done."]})) as scripted:
        actor = render_actor(tmp_path, model(scripted.url), template("lead", "You lead."))
        turn = actor.start(tmp_path, text)
    (asked,) = scripted.asked
    assert asked.said.strip().startswith(text)
    assert turn.text == "Done."
