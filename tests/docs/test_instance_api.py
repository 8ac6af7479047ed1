"""The page about instances says what the code says."""

from __future__ import annotations

import re

from kagent_apply.instances.lifecycle import BEGINS, FAILURES
from kagent_apply.instances.states import Operation
from tests.docs.markdown import page

PAGE = "docs/instance-api.md"


def _row(first: str) -> list[str]:
    (line,) = re.findall(rf"^\| {first} \| (.*) \|$", page(PAGE), re.MULTILINE)
    return str(line).split(" | ")


def test_the_page_says_from_where_each_operation_begins() -> None:
    for operation, states in BEGINS.items():
        assert _row(operation.name)[0].split(", ") == [state.name for state in sorted(states)]


def test_the_page_says_what_each_operation_fails_for() -> None:
    for reason in frozenset().union(*FAILURES.values()):
        failing = [operation.name for operation in Operation if reason in FAILURES[operation]]
        told = _row(f"`{reason}`")[1]
        assert told == ("every operation" if len(failing) == len(Operation) else ", ".join(failing))
