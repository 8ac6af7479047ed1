"""What the README shows is what happens: its commands are run, its tables and its configuration compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import click
import pytest

from kagent_apply.settings.reading import File, read_settings
from kagent_render.cli.failure import Status
from kagent_render.cli.main import COMMANDS, program
from kagent_render.preparation.completeness import check_config
from kagent_render.source.config import RenderConfig
from kagent_render.source.config_reading import read_config
from kagent_render.source.reader import MemoryFiles
from tests.docs.console import agrees, commands, execute
from tests.docs.markdown import blocks, page, sections
from tests.parts import REPOSITORY
from tests.running import copy_example, run

_README = page("README.md")
_FAILING = {"kagent-render check": Status.FINDINGS}
"""The commands of the tour that find something."""


def test_the_demo_prints_what_the_readme_shows(tmp_path: Path) -> None:
    copy_example(tmp_path / "examples" / "incident")
    for command, output in commands(_README, "demo"):
        status, real = execute(command, tmp_path)
        assert status == 0
        assert agrees(output, real), real


def test_the_example_with_plugins_gives_what_the_readme_shows(tmp_path: Path) -> None:
    copytree(REPOSITORY / "examples" / "plugins", tmp_path / "examples" / "plugins")
    steps = list(commands(_README, "plugins"))
    assert len(steps) == 2
    for command, output in steps:
        status, real = execute(command, tmp_path)
        assert status == 0
        assert agrees(output, real), real


def test_the_tour_runs_as_the_readme_shows(tmp_path: Path) -> None:
    steps = list(commands(_README, "tour"))
    assert {command.split()[1] for command, _ in steps} >= {"init", "render", "check", "explain"}
    for command, output in steps:
        status, real = execute(command, tmp_path)
        assert status == _FAILING.get(command, Status.CLEAN), real
        assert agrees(output, real), f"{command}\n{real}"


@pytest.mark.parametrize("flags", re.findall(r"`kagent-render check (--[a-z -]+)`", _README))
def test_the_command_of_a_hook_passes_once_everything_is_committed(flags: str, tmp_path: Path) -> None:
    for command, _ in commands(_README, "tour"):
        execute(command, tmp_path)
    execute("git add .", tmp_path)
    assert run("check", *flags.split(), cwd=tmp_path).status == 0


def _rows(heading: str) -> list[str]:
    return re.findall(r"^\| (`.+?) \|", sections(_README, 2)[heading], re.MULTILINE)


def test_every_command_has_a_row_and_no_row_is_without_a_command() -> None:
    rows = [row.strip("`").split()[0] for row in _rows("Commands") if not row.startswith("`-")]
    assert rows == list(COMMANDS)


def test_no_command_that_exists_is_listed_as_missing() -> None:
    (missing,) = sections(_README, 3).values()
    assert not set(re.findall(r"`([a-z]+)`", missing.split(";")[0])) & set(COMMANDS)


def test_the_file_of_settings_is_valid() -> None:
    (text,) = (block.text for block in blocks(_README, "yaml") if block.path == "serve.yaml")
    settings, odd = read_settings({}, {}, File("serve.yaml", text))
    assert (settings.authenticated, settings.embedded, odd) == (True, False, ())


def _every_command(group: click.Group) -> Iterator[click.Command]:
    """The commands of a group, and those of the groups in it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from _every_command(command)


def test_every_flag_of_every_command_is_named() -> None:
    flags = {
        flag
        for command in _every_command(program)
        for parameter in command.params
        for flag in (*parameter.opts, *parameter.secondary_opts)
        if flag.startswith("-")
    }
    named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", sections(_README, 2)["Commands"]))
    assert flags - {"-h", "--help"} - named == set()
    assert {
        flag for row in _rows("Commands") if row.startswith("`-") for flag in re.findall(r"--[a-z-]+", row)
    } <= flags


def test_exit_statuses_are_those_of_the_program() -> None:
    rows = re.findall(r"^\| ([\d, ]+) \|", sections(_README, 2)["Commands"], re.MULTILINE)
    assert [int(status) for row in rows for status in row.split(",")] == list(Status)


def _config(text: str) -> RenderConfig:
    config, faults = read_config(MemoryFiles({"kagent-render.yaml": text.encode()}))
    assert faults == []
    assert config is not None
    return config


def _shown_config() -> str:
    return next(block.text for block in blocks(_README, "yaml") if block.path == "kagent-render.yaml")


def test_the_configuration_is_valid_and_a_harness_can_be_prepared_with_it() -> None:
    assert list(check_config(_config(_shown_config()))) == []


def test_the_configuration_shows_the_defaults() -> None:
    shown = _config(_shown_config())
    bare = _config("apiVersion: render.kagent.dev/v1alpha1\nkind: RenderConfig\nspec: {}\n")
    unset = {"document", "target", "substrate", "images", "s3", "kube_version"}
    for name in set(RenderConfig.__slots__) - unset:
        assert getattr(shown, name) == getattr(bare, name), name
    assert all(getattr(shown, name) for name in unset)
