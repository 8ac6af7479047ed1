"""The page about kagent-apply says what the program says."""

from __future__ import annotations

import re

import grpc  # type: ignore[import-untyped, unused-ignore]
import pytest

from kagent_apply.cli.main import COMMANDS
from kagent_apply.instances.outcome import Status
from kagent_apply.instances.reason import Reason
from kagent_apply.settings.reading import File, read_settings
from tests.docs.markdown import page, sections
from tests.docs.settings_table import written

PAGE = "docs/kagent-apply.md"


def test_the_table_of_settings_is_that_of_the_program() -> None:
    assert written(page(PAGE)) == page(PAGE), "run `python -m tests.docs.settings_table`"


def test_the_file_of_settings_is_valid() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", page(PAGE), re.DOTALL)
    settings, odd = read_settings({}, {}, File("serve.yaml", text))
    assert settings.authenticated
    assert odd == ()


def test_every_reason_is_in_the_table_of_errors_and_no_other() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.+?) \|", sections(page(PAGE), 2)["Errors"], re.MULTILINE)
    assert {status for status, _ in rows} <= {code.name for code in grpc.StatusCode}
    told = {reason for _, reasons in rows for reason in re.findall(r"`([A-Z_]+)`", reasons)}
    assert told == set(Reason)


def test_every_status_of_an_operation_is_in_the_table_of_errors() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \|", sections(page(PAGE), 2)["Errors"], re.MULTILINE)
    assert set(Status) <= set(rows)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_on_the_page(command: str) -> None:
    assert re.search(rf"`{command}[ `]|kagent-apply {command}\b|, `{command} ", page(PAGE))
