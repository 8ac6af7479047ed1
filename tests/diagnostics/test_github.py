"""Workflow commands: escaped, counted, and never more of them than were meant."""

from __future__ import annotations

import pytest

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.finding import Finding
from kagent_render.diagnostics.github import SHOWN, without_commands, write_github
from tests.diagnostics.hostile import HOSTILE, finding, hostile, many


def test_a_finding_is_one_command_at_its_line() -> None:
    assert write_github([finding(hint="write `y`")]) == (
        "::error file=team/lead.yaml,line=7,col=3,title=UnknownField in AgentTemplate/lead"
        "::the field `x` is unknown%0Ahint: write `y`\n"
    )


@pytest.mark.parametrize(
    ("severity", "command"),
    [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "notice")],
)
def test_a_severity_has_its_command(severity: Severity, command: str) -> None:
    assert write_github([finding(severity=severity)]).startswith(f"::{command} ")


def test_what_a_command_gives_a_meaning_is_escaped() -> None:
    text = write_github([finding("100% `a:b,c`", path="a,b:c%/d.yaml", object=None)])
    assert text == "::error file=a%2Cb%3Ac%25/d.yaml,line=7,col=3,title=UnknownField::100%25 `a:b,c`\n"


@pytest.mark.parametrize("item", hostile(), ids=range(len(HOSTILE)))
def test_a_hostile_text_makes_no_other_command(item: Finding) -> None:
    """A runner reads commands at the start of a line, up to the next `::`, as this does."""
    text = write_github([item])
    assert text.count("\n") == 1
    assert "\r" not in text
    head, _, _ = text.removeprefix("::").partition("::")
    command, _, properties = head.partition(" ")
    assert command == "error"
    assert [pair.partition("=")[0] for pair in properties.split(",")] == ["file", "line", "col", "title"]


def test_ten_of_each_level_are_shown_and_the_others_counted() -> None:
    found = [*many(13, Severity.INFO), *many(12, Severity.WARNING), *many(SHOWN), *many(1)]
    lines = write_github(found).splitlines()
    assert [line.partition(" ")[0] for line in lines[:-1]] == (
        ["::error"] * SHOWN + ["::warning"] * SHOWN + ["::notice"] * SHOWN
    )
    assert lines[-1] == "1 error, 2 warnings, 3 notes left out: GitHub shows 10 of each level for a step"


def test_nothing_is_said_where_nothing_is_found_or_left_out() -> None:
    assert write_github([]) == ""
    assert len(write_github(many(SHOWN)).splitlines()) == SHOWN


@pytest.mark.parametrize("text", HOSTILE)
def test_a_summary_holds_no_command(text: str) -> None:
    inert = without_commands(f"✗ {text}: nothing was written")
    assert "##[" not in inert
    assert "::" not in inert
    assert inert.isprintable() or "\u200b" in inert
