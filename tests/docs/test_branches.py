"""What `docs/branches.md` shows and lists is what `commit` does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from kagent_render.cli.main import program
from kagent_render.publication.message import SOURCE_TRAILER
from kagent_render.publication.record import record_place
from tests.cli.branches import own_identity
from tests.docs.console import agrees, commands, execute
from tests.docs.markdown import blocks, page, sections
from tests.running import run

_PAGE = page("docs/branches.md")


def _options(name: str) -> set[str]:
    """The long flags of a command."""
    command = program.get_command(click.Context(program), name)
    assert command is not None
    options = {option for parameter in command.params for option in parameter.opts}
    return {option for option in options if option.startswith("--")}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of the page's console block, whose commands all ran as shown."""
    folder = tmp_path_factory.mktemp("branches")
    with pytest.MonkeyPatch.context() as patch:
        own_identity(patch)
        for command, output in commands(_PAGE, "branches"):
            status, real = execute(command, folder)
            assert status == 0, real
            assert agrees(output, real), real
    return folder


def test_the_console_shows_what_happens(repository: Path) -> None:
    assert (repository / "kagent-render.yaml").exists()


def test_the_table_lists_the_flags_that_render_does_not_have() -> None:
    own, others = _options("commit"), _options("render")
    table = _PAGE.partition("| flag | does |")[2].partition("\n\n")[0]
    listed = set(re.findall(r"^\| .*?(--[a-z-]+)", table, re.MULTILINE)) | {"--message", "--dry-run"}
    assert own - others <= listed
    assert listed <= own


def test_a_record_is_as_the_page_shows_it(repository: Path) -> None:
    shown = next(block for block in blocks(_PAGE, "yaml") if block.path.startswith(".kagent/"))
    assert record_place(shown.path) is not None
    _, real = execute(f"git show deploy:{shown.path}", repository)
    # A commit's id that might be read as a number is quoted.
    written, expected = (re.sub(r'commit: "?[0-9a-f]{40}"?', "commit", text) for text in (real, shown.text))
    assert written == expected


def test_the_job_runs_a_command_that_there_is(tmp_path: Path) -> None:
    job: Any = next(
        yaml.safe_load(block.text) for block in blocks(_PAGE, "yaml") if block.path.endswith("deploy.yaml")
    )
    lines = job["jobs"]["commit"]["steps"][-1]["run"].splitlines()
    (command,) = [line.split() for line in lines if line.startswith("kagent-render")]
    done = run(*command[1:], "--help", cwd=tmp_path)
    assert done.status == 0
    assert {argument for argument in command if argument.startswith("--")} <= set(done.out.split())


def test_the_trailer_is_the_one_of_the_page() -> None:
    assert f"`{SOURCE_TRAILER}`" in sections(_PAGE, 2)["What is committed"]
