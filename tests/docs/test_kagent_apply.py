"""The page about kagent-apply says what the program says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kagent_apply.cli.main import COMMANDS
from kagent_apply.settings.reading import File, read_settings
from tests.docs.markdown import page, sections
from tests.docs.settings_table import written
from tests.parts import REPOSITORY

PAGE = "docs/kagent-apply.md"


def test_the_table_of_settings_is_that_of_the_program() -> None:
    assert written(page(PAGE)) == page(PAGE), "run `python -m tests.docs.settings_table`"


def test_the_file_of_settings_is_valid() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", page(PAGE), re.DOTALL)
    settings, odd = read_settings({}, {}, File("serve.yaml", text))
    assert settings.authenticated
    assert odd == ()


def test_every_reason_is_in_the_table_of_errors() -> None:
    source = "".join(path.read_text() for path in _modules())
    reasons = set(re.findall(r'Refusal\(\s*"[A-Z_]+",\s*"([A-Z_]+)"', source))
    told = set(re.findall(r"`([A-Z_]+)`", sections(page(PAGE), 2)["Errors"]))
    assert len(reasons) > 10
    assert reasons - told == set()


def _modules() -> list[Path]:
    return [*(REPOSITORY / "kagent_apply/service").glob("*.py"), REPOSITORY / "kagent_apply/cli/assembly.py"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_on_the_page(command: str) -> None:
    assert re.search(rf"`{command}[ `]|kagent-apply {command}\b|, `{command} ", page(PAGE))
