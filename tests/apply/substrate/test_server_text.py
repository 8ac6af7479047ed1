"""What a server says is one bounded, printable line, without what is nobody's business."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from kagent_apply.substrate.port import ComputeRefusedError, ComputeUnavailableError
from kagent_apply.substrate.server_text import LONGEST_TEXT, is_name, shown
from kagent_apply.substrate.statuses import UNCLEAR, fault_of
from kagent_apply.substrate.transport import StatusError


@given(some.text(max_size=400))
def test_any_text_is_one_printable_line(text: str) -> None:
    line = shown(text)
    assert len(line) <= LONGEST_TEXT
    assert line.isprintable()
    assert "`" not in line
    assert not line.endswith((".", " "))


@given(some.text(min_size=4, max_size=50), some.text(max_size=50), some.text(max_size=50))
def test_what_is_hidden_is_not_in_it(hidden: str, before: str, after: str) -> None:
    assert hidden not in shown(f"{before} {hidden} {after}", [hidden]).replace("…", "")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Atespace team not found.", "Atespace team not found"),
        ("a\nb\r\n\tc", "a b c"),
        ("\x1b[31mred\x07", "[31mred"),
        ("see `rm -rf`", "see 'rm -rf'"),
        ("right\u202eleft", "right left"),
        ("x" * 500, "x" * 199 + "…"),
        ("key sk-" + "a1B2" * 8 + " is wrong", ""),
        ("https://user:hunter2@example.com", ""),
    ],
)
def test_how_a_text_is_shown(text: str, line: str) -> None:
    assert shown(text) == line


@pytest.mark.parametrize("quoted", ['line 1\\nsaid \\"yes\\"', 'line 1\nsaid "yes"'])
def test_a_value_is_hidden_as_it_is_and_as_it_is_quoted(quoted: str) -> None:
    assert shown(f'Invalid value: "{quoted}": no', ['line 1\nsaid "yes"']) == 'Invalid value: "…": no'


@pytest.mark.parametrize("text", ["", "a b", "<b>", "-a", "a-", "ü", "a" * 254, "a\n"])
def test_what_is_no_name(text: str) -> None:
    assert not is_name(text)


@pytest.mark.parametrize("text", ["a", "0d5f8cd2-6a1b-4a52-9c39-e7a0a1d0c1aa", "incident.v1_x", "a" * 253])
def test_what_is_a_name(text: str) -> None:
    assert is_name(text)


def test_a_fault_is_one_sentence_with_what_to_do() -> None:
    fault = fault_of(
        "CreateActor", "the Actor `team/ai-1`", StatusError("FAILED_PRECONDITION", "no template.")
    )
    assert isinstance(fault, ComputeRefusedError)
    assert (
        fault.message
        == "`CreateActor` of the Actor `team/ai-1` ended with `FAILED_PRECONDITION`: no template"
    )
    assert str(fault) == fault.message
    assert fault.hint


@pytest.mark.parametrize("code", ["", "`OK`", "A B", "\x1b"])
def test_a_code_that_is_none_is_unknown(code: str) -> None:
    fault = fault_of("GetActor", "it", StatusError(code))
    assert isinstance(fault, ComputeUnavailableError)
    assert fault.message == "`GetActor` of it ended with `UNKNOWN`"


def test_every_status_has_a_hint() -> None:
    for code in {*UNCLEAR, "INVALID_ARGUMENT", "UNIMPLEMENTED", "DATA_LOSS"}:
        assert not fault_of("GetActor", "it", StatusError(code)).hint.endswith(".")
