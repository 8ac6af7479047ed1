"""Reviews built by hand, as hostile as a repository can make them."""

from __future__ import annotations

import functools
from dataclasses import replace

from kagent_render.review import topics
from kagent_render.review.change import Change, Kind, Patch
from kagent_render.review.comparison import compare_facts
from kagent_render.review.fact import Fact
from kagent_render.review.review import Review, ReviewedSide
from kagent_render.review.side import State, SubjectSide
from kagent_render.review.subject import Subject, SubjectKind, review_subject

BASE, HEAD = ReviewedSide("main", "1" * 40), ReviewedSide("the work tree")
PAIR = "team/runtime/lead"

HOSTILE = (
    "a|b",
    "a\\|@octocat",
    "`code`",
    "``",
    "<script>alert(1)</script>",
    "</details>",
    "@octocat",
    "#123",
    "![x](https://evil.example/x.png)",
    "[x](https://evil.example)",
    "https://evil.example/",
    "line\nbreak",
    "\x1b[31mred",
    "\u202egnitrw",
    "::error::boo",
    "##[group]boo",
    "-->",
    "{{ 7 * 7 }}",
    "'\"><img src=x onerror=alert(1)>",
    "```\n@octocat\n```",
    "~~~",
    "  ```",
)
"""Texts that mean something to a terminal, to Markdown, to HTML, to a template, or to a runner of jobs."""


def side(*facts: Fact, state: State = State.CURRENT, messages: tuple[str, ...] = ()) -> SubjectSide:
    """A side that says these facts; its files are what they say."""
    return SubjectSide(
        state, messages, {"lock": repr(facts).encode()}, lambda: facts, lambda: facts, repr(len(facts))
    )


def subject(
    before: SubjectSide | None,
    after: SubjectSide | None,
    name: str = PAIR,
    what: SubjectKind = SubjectKind.PAIR,
) -> Subject:
    """The subject that two sides give, which differ."""
    found = review_subject(what, name, "", before, after)
    assert found is not None
    return found


def review(*subjects: Subject, same: int = 0) -> Review:
    """A review of subjects."""
    return Review(BASE, HEAD, subjects, {SubjectKind.PAIR: same})


def hostile_review(text: str) -> Review:
    """A review in which every name, value, text, message and path is the same `text`."""
    facts = [
        Fact(topics.AGENT, text, "", text),
        Fact(topics.TOOL, text, text, text),
        Fact(topics.PROMPT, text, "", f"{text}\n{text}"),
        Fact(topics.LABEL, text, text, text, detail=text),
    ]
    changes = compare_facts([], facts)
    patched = Change(
        topics.SKILL,
        text,
        text,
        Kind.CHANGED,
        topics.SKILL.rule.changed.effect("", ""),
        "1",
        "2",
        (Patch(text, Kind.CHANGED, (f" {text}", f"-{text}", f"+{text}"), ""),),
    )
    built = subject(None, side(*facts, state=State.STALE, messages=(text,)), text)
    hostile = replace(built, root=text, changes=(*changes, patched))
    return Review(ReviewedSide(text, "1" * 40), ReviewedSide(text), (hostile,))


@functools.lru_cache(maxsize=8)
def large_review(subjects: int, changes: int, lines: int = 5) -> Review:
    """A review of many subjects with many changes and texts each, every third of which widens."""
    return review(*(_large(number, changes, lines) for number in range(subjects)), same=7)


def _large(number: int, changes: int, lines: int) -> Subject:
    kinds = (topics.TOOL, topics.LABEL, topics.LABEL)
    stays = Fact(topics.MODEL, "", "", "m")
    facts = [Fact(kinds[number % 3], "", f"n{index:04}", "v") for index in range(changes)]
    prompt = Fact(topics.PROMPT, "", "", "\n".join(f"line {line} of {number}" for line in range(lines)))
    return subject(side(stays), side(stays, prompt, *facts), f"team/runtime/agent-{number:04}")
