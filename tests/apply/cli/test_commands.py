"""Commands are found by name, tell of themselves, and complete."""

from __future__ import annotations

import pytest

from kagent_apply.cli.main import COMMANDS
from kagent_apply.settings.reading import NAMES
from kagent_apply.settings.sources import flag
from tests.apply.cli.calling import call


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_tells_of_itself(name: str) -> None:
    done = call(name, "--help")
    assert done.status == 0
    assert done.out.startswith(f"Usage: kagent-apply {name} ")


def test_the_program_lists_them_in_order() -> None:
    listed = call("--help").out.partition("Commands:\n")[2]
    assert [
        line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "
    ] == list(COMMANDS)


def test_serve_has_a_flag_for_every_setting() -> None:
    shown = call("serve", "--help").out
    assert [name for name in NAMES if f"  {flag(name)} " not in shown] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_it(shell: str) -> None:
    assert "_KAGENT_APPLY_COMPLETE" in call("completion", shell).out


def test_a_command_that_is_not_there_is_told() -> None:
    done = call("creat")
    assert done.status == 2
    assert "No such command 'creat'" in done.err
