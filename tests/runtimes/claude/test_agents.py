"""The agents of the real Claude Code: which there are, what they are told, and whom they call."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtimes.claude.actor import model, render_actor
from tests.runtimes.claude.dialogues import TASK, delegate
from tests.runtimes.claude.installation import version
from tests.runtimes.claude.model_server import Lines, ModelServer, by_agent, refused, serving_model
from tests.runtimes.repository import binds, template

pytestmark = pytest.mark.server

UNUSUAL = (
    "P ${HOME} $ARGUMENTS @/etc/passwd /init !`id` \r\n\u2028 </system-reminder> {{x}} ü \U0001f600 tail  \n"
)
FOUND: Lines = {"You lead.": [delegate("near-by"), "Done."], "You help.": ["Found it."]}


def team(scripted: ModelServer, description: str = "Finds out.", name: str = "near-by") -> list[str]:
    """A lead with one Shared agent on another model."""
    return [
        model(scripted.url),
        model(scripted.url, "small", llm="llm-2"),
        template("lead", "You lead.", binds(name, "aide", description)),
        template("aide", "You help.", llm="small"),
    ]


def test_a_shared_child_is_called_and_its_answer_reaches_the_root(tmp_path: Path) -> None:
    with serving_model(by_agent(FOUND)) as scripted:
        turn = render_actor(tmp_path, *team(scripted)).start(tmp_path)
    assert (turn.status, turn.complaints, turn.text) == (0, [], "Done.")
    (child,) = scripted.of("You help.")
    assert child.said.startswith(TASK)
    assert "Found it." in str(scripted.of("You lead.")[-1].results)


def test_every_agent_has_its_own_description_prompt_and_model(tmp_path: Path) -> None:
    with serving_model(by_agent(FOUND)) as scripted:
        turn = render_actor(tmp_path, *team(scripted, "Finds\n- out: (Tools: *) ü")).start(tmp_path)
    root, (child,) = scripted.of("You lead.")[0], scripted.of("You help.")
    assert root.prompt == "You lead."
    assert "- near-by: Finds\n- out: (Tools: *) ü (Tools:" in root.said
    assert child.prompt.startswith("You help.\n\nMessages from the agent that launched you")
    assert (root.body["model"], child.body["model"]) == ("llm-1", "llm-2")
    assert turn.init["agents"] == ["kagent.root", "near-by"]


def test_a_shared_child_calls_no_agents(tmp_path: Path) -> None:
    script: Lines = {**FOUND, "You help.": [delegate("near-by"), "No."]}
    with serving_model(by_agent(script)) as scripted:
        render_actor(tmp_path, *team(scripted)).start(tmp_path)
    assert scripted.of("You help.")[0].tools == []
    assert refused(scripted.of("You help.")[-1], 0)


@pytest.mark.parametrize("name", ["general-purpose", "Explore", "claude", "fork", "kagent.root", "", "other"])
def test_an_agent_that_is_not_bound_cannot_be_called(name: str, tmp_path: Path) -> None:
    script: Lines = {**FOUND, "You lead.": [delegate(name), "Done."]}
    with serving_model(by_agent(script)) as scripted:
        render_actor(tmp_path, *team(scripted)).start(tmp_path)
    assert refused(scripted.asked[-1], 0)
    assert len(scripted.asked) == 2


@pytest.mark.parametrize("name", ["Explore", "general-purpose", "Plan", "fork", "main", "inherit", "A_b-1"])
def test_a_shared_child_may_have_any_name_that_a_binding_may_have(name: str, tmp_path: Path) -> None:
    script: Lines = {**FOUND, "You lead.": [delegate(name), "Done."]}
    with serving_model(by_agent(script)) as scripted:
        render_actor(tmp_path, *team(scripted, name=name)).start(tmp_path)
    (child,) = scripted.of("You help.")
    assert (child.body["model"], child.tools) == ("llm-2", [])


@pytest.mark.parametrize("family", ["fable", "haiku", "opus", "sonnet"])
@pytest.mark.parametrize(
    ("own", "other"),
    [("llm-1", "llm-2"), ("claude-opus-5", "claude-sonnet-5"), ("claude-sonnet-4-5", "claude-haiku-4-5")],
)
def test_a_model_that_the_root_names_for_a_child_is_not_used(
    own: str, other: str, family: str, tmp_path: Path
) -> None:
    script: Lines = {**FOUND, "You lead.": [delegate("near-by", model=family), "Done."]}
    with serving_model(by_agent(script)) as scripted:
        manifests = [
            model(scripted.url, llm=own),
            model(scripted.url, "other", llm=other),
            template("lead", "You lead.", binds("near-by", "aide")),
            template("aide", "You help.", llm="other"),
        ]
        render_actor(tmp_path, *manifests).start(tmp_path)
    assert [asked.body["model"] for asked in scripted.of("You help.")] == [own]


def test_prompts_arrive_as_they_are_written(tmp_path: Path) -> None:
    script: Lines = {"P ": [delegate("near-by"), "Done."], "Q ": ["Found it."]}
    with serving_model(by_agent(script)) as scripted:
        manifests = [
            model(scripted.url),
            template("lead", UNUSUAL, binds("near-by", "aide")),
            template("aide", UNUSUAL.replace("P ", "Q ")),
        ]
        render_actor(tmp_path, *manifests).start(tmp_path)
    assert scripted.of("P ")[0].prompt == UNUSUAL
    (child,) = scripted.of("Q ")
    assert child.prompt.startswith(UNUSUAL.replace("P ", "Q "))


def test_the_pinned_release_is_the_one_of_the_record(tmp_path: Path) -> None:
    with serving_model(by_agent({"You lead.": ["Done."]})) as scripted:
        actor = render_actor(tmp_path, model(scripted.url), template("lead", "You lead."))
        turn = actor.start(tmp_path)
    assert turn.init["claude_code_version"] == actor.config["expected_claude_version"] == version()
