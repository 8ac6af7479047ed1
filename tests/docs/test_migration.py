"""The page about `migrate` shows what happens."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copytree

from tests.docs.console import agrees, commands, execute
from tests.docs.markdown import page
from tests.parts import REPOSITORY
from tests.running import run

_PAGE = page("docs/migration.md")


def test_the_page_shows_what_its_commands_print(tmp_path: Path) -> None:
    copytree(REPOSITORY / "examples/incident", tmp_path / "examples/incident")
    steps = list(commands(_PAGE, "migrate"))
    assert len(steps) == 2
    for command, output in steps:
        status, real = execute(command, tmp_path)
        assert status == 0
        assert agrees(output, real), real


def test_every_flag_of_its_own_has_a_row_and_every_flag_that_is_named_is_there() -> None:
    shown = run("migrate", "--help", cwd=REPOSITORY).out
    named = set(re.findall(r"`(--[a-z-]+)", _PAGE))
    assert {"--dry-run", "--exit-code", "--allow-new-pairs"} <= named
    assert {flag for flag in named if flag not in shown} == {"--staged", "--rev"}
