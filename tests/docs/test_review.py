"""What `docs/review.md` says is what `diff` does: its tour, its rules, its states, its keys and its job."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from kagent_render.review.document import review_document
from kagent_render.review.side import MEANINGS, State
from tests.docs.console import agrees, commands, execute
from tests.docs.markdown import blocks, page, sections
from tests.docs.rule_table import placed, table
from tests.review.reviews import hostile_review
from tests.running import run
from tests.source.git_repositories import git

_PAGE = page("docs/review.md")
_FAILING = {"kagent-render diff --fail-on widening": 1}


def test_the_tour_runs_as_the_page_shows(tmp_path: Path) -> None:
    for command, output in commands(_PAGE, "tour"):
        status, real = execute(command, tmp_path)
        assert status == _FAILING.get(command, 0), real
        assert agrees(output, real), f"{command}\n{real}"


def test_the_rules_are_those_of_the_page() -> None:
    assert placed() == table()


def test_every_state_of_a_lock_is_on_the_page() -> None:
    rows = dict(re.findall(r"^\| `([a-z ]+)` \| (.+) \|$", _section("The committed lock is what runs"), re.M))
    assert rows == {state: text for state, text in MEANINGS.items() if state is not State.CURRENT}


def test_every_key_of_the_json_is_on_the_page() -> None:
    told = set(re.findall(r"`(\w+)`", _section("Formats")))
    document = review_document(hostile_review("a/b/c"))
    (subject,) = document["pairs"]
    assert {*document, *subject, *subject["changes"][0]} <= told


def test_the_job_reviews_a_branch(tmp_path: Path) -> None:
    for command, _ in list(commands(_PAGE, "tour"))[:5]:
        execute(command, tmp_path)
    git(tmp_path, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(tmp_path, "switch", "--quiet", "--create", "branch")
    steps = _job()["steps"]
    assert steps[0]["with"]["fetch-depth"] == 0
    (command,) = [step["run"] for step in steps if "kagent-render diff" in step.get("run", "")]
    arguments = command.replace('"origin/$BASE..."', "origin/main...").partition(" > ")[0].split()[1:]
    done = run(*arguments, cwd=tmp_path)
    assert (done.status, done.out.startswith("**No agent changed")) == (0, True)


def _section(title: str) -> str:
    return sections(_PAGE, 2)[title]


def _job() -> Any:
    (text,) = (block.text for block in blocks(_PAGE, "yaml"))
    return yaml.safe_load(text)["jobs"]["review"]
