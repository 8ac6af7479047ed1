"""`docs/reasons.md` and the reason codes stay in step; its examples are run, its messages are real.

After a message was changed on purpose: `python -m tests.docs.messages`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kagent_render.diagnostics.reasons import Reason
from tests.docs.markdown import blocks
from tests.docs.messages import entries, real, shown

_ENTRIES = entries()


def test_every_reason_has_an_entry_in_the_order_of_the_conditions_and_no_entry_is_without_a_reason() -> None:
    assert list(_ENTRIES) == [reason.value for reason in Reason]


@pytest.mark.parametrize("reason", Reason, ids=str)
def test_an_entry_names_the_condition_of_its_reason(reason: Reason) -> None:
    condition = reason.condition.value if reason.condition else "none"
    expected = "any" if reason is Reason.BLOCKED else condition
    assert _ENTRIES[reason].strip().startswith(f"*Condition: {expected}.* ")


@pytest.mark.parametrize("reason", Reason, ids=str)
def test_an_entry_has_an_example_and_a_fix(reason: Reason) -> None:
    entry = _ENTRIES[reason]
    assert len(blocks(entry)) >= 2
    assert re.search(r"^\*\*Fix\.\*\* [^\s].*\.$", entry, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("reason", Reason, ids=str)
def test_an_example_gives_the_message_that_its_entry_shows(reason: Reason, tmp_path: Path) -> None:
    message = real(reason, _ENTRIES[reason], tmp_path)
    assert message
    assert shown(_ENTRIES[reason]) == message
