"""The README's tour of kagent-apply is what happens, with a real server and each command at a terminal."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.docs.console import agrees, commands, execute
from tests.docs.markdown import page
from tests.docs.terminal import at_terminal
from tests.parts import REPOSITORY

pytestmark = pytest.mark.server

_README = page("README.md")
_PROGRAM = (sys.executable, "-m", "kagent_apply.cli.main")
_ID = r"[0-9a-f]{8}-[0-9a-f-]{27}"
_OF_THIS_RUN = (
    (_ID, "(id)"),
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, \d+s ago", "(time)"),
    (r"(?m)^\d\d:\d\d:\d\d  ", "(time)  "),
    (r"127\.0\.0\.1:\d+", "(address)"),
    (r"(?m)(commit=|  )[0-9a-f]{12}( pairs=1|$)", r"\1(commit)\2"),
    (r"(?m)^  store    /.*/kagent-apply/.*-[0-9a-f]{12}/", "  store    (folder)/"),
)
"""What is another each time: ids, times, ports, commits and folders."""


def alike(text: str) -> str:
    """A text without what is of one run alone."""
    for pattern, name in _OF_THIS_RUN:
        text = re.sub(pattern, name, text)
    return text


def test_the_tour_of_kagent_apply_runs_as_the_readme_shows(tmp_path: Path) -> None:
    repository = tmp_path / "team"
    repository.mkdir()
    env = {"PYTHONPATH": str(REPOSITORY), "XDG_STATE_HOME": str(tmp_path / "state")}
    for command, _ in commands(_README, "tour"):
        execute(command, repository)
    *before, (serve, said) = commands(_README, "serve")
    for command, _ in before:
        assert execute(command, repository)[0] == 0
    arguments = (*_PROGRAM, *shlex.split(serve)[1:])
    with at_terminal(arguments, repository, {**env, "KAGENT_APPLY_LISTEN": "127.0.0.1:0"}) as server:
        server.until_line("ready on ")
        assert agrees(alike(said), alike(server.shown)), server.shown
        asking = {**env, "KAGENT_APPLY_SERVER": server.shown.split()[-1]}
        made = ""
        for command, shown in commands(_README, "apply"):
            if not command.startswith("kagent-apply "):
                assert execute(command, repository)[0] == 0
                continue
            real = re.sub(_ID, made, command)
            with at_terminal((*_PROGRAM, *shlex.split(real)[1:]), repository, asking) as asked:
                answer = asked.rest()
            assert agrees(alike(shown), alike(answer)), f"{command}\n{answer}"
            if found := re.search(rf"^id +({_ID})$", answer, re.MULTILINE):
                made = found[1]
