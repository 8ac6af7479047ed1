"""Diagnostics as a person reads them: one block a fault, the source line, a caret in the right column."""

from __future__ import annotations

import pytest

from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef, PairRef, Severity, SourcePosition
from kagent_render.diagnostics.reasons import Reason
from kagent_render.diagnostics.style import Style
from kagent_render.diagnostics.text import printable, summarize, write_text

REF = ObjectRef("kagent.dev/v1alpha2", "AgentTemplate", "team", "lead")
PAIR = PairRef("team", "runtime", "lead")


def fault(
    message: str = "the field `x` is unknown",
    severity: Severity = Severity.ERROR,
    reason: Reason = Reason.UNKNOWN_FIELD,
    line: int = 7,
    column: int = 3,
    **fields: object,
) -> Diagnostic:
    place = SourcePosition("lead.yaml", line, column)
    known = {"object": REF, "field": "spec.x", "source": place, **fields}
    return Diagnostic(reason, message, severity, **known)  # type: ignore[arg-type]


def text(*diagnostics: Diagnostic, source: str | None = "  x: 1", colour: bool = False) -> str:
    return write_text(diagnostics, Style(colour), lambda *_: source, lambda path: path)


def test_a_block_has_message_place_excerpt_pair_and_hint() -> None:
    assert text(fault(hint="write `y`", pair=PAIR)) == (
        "error[UnknownField]: the field `x` is unknown\n"
        "  --> lead.yaml:7:3 in AgentTemplate/lead at spec.x\n"
        "   |\n"
        " 7 |   x: 1\n"
        "   |   ^\n"
        "  = while preparing team/runtime/lead\n"
        "  hint: write `y`"
    )


def test_what_is_unknown_is_left_out() -> None:
    assert (
        text(fault(object=None, field=None, source=None)) == "error[UnknownField]: the field `x` is unknown"
    )
    assert text(fault(object=None, field=None)).splitlines()[1] == "  --> lead.yaml:7:3"
    nameless = fault(object=ObjectRef("", "", None, None))
    assert text(nameless).splitlines()[1] == "  --> lead.yaml:7:3 at spec.x"


def test_a_line_that_may_not_be_shown_is_not() -> None:
    assert "|" not in text(fault(sensitive=True), source="password: s3cr3t")
    assert "|" not in text(fault(), source=None)


def test_the_hint_of_a_warning_stands_behind_it_and_behind_the_last_that_has_it() -> None:
    told = (("one", "do x"), ("two", "do y"), ("three", "do x"))
    lines = text(*(fault(message, Severity.WARNING, hint=hint) for message, hint in told)).splitlines()
    assert [line.rpartition(": ")[2] for line in lines if "-->" not in line] == [
        *("one", "two", "do y", "three", "do x")
    ]


@pytest.mark.parametrize(
    ("source", "column", "shown", "caret"),
    [
        pytest.param("key: value", 1, "key: value", "^^^", id="under a key"),
        pytest.param("a: b: c", 4, "a: b: c", "   ^", id="under the second key"),
        pytest.param("  - item one", 5, "  - item one", "    ^^^^^^^^", id="under an item"),
        pytest.param("\tkey: 1", 2, "    key: 1", "    ^^^", id="after a tab"),
        pytest.param("日本: x", 1, "日本: x", "^^^^", id="under wide characters"),
        pytest.param("{日: {k: 1}}", 5, "{日: {k: 1}}", "     ^^", id="after wide characters"),
        pytest.param("e\u0301: {k: 1}", 5, "e\u0301: {k: 1}", "   ^^", id="after a combining character"),
        pytest.param("key: 1   ", 1, "key: 1", "^^^", id="without white space at the end"),
        pytest.param("", 1, "", "^", id="an empty line"),
        pytest.param("k", 9, "k", " ^", id="beyond the end"),
    ],
)
def test_the_caret_stands_below_the_field(source: str, column: int, shown: str, caret: str) -> None:
    lines = text(fault(column=column), source=source).splitlines()
    assert lines[3] == f" 7 | {shown}"
    assert lines[4] == f"   | {caret}"


def test_a_long_line_is_cut_and_a_caret_beyond_the_cut_left_out() -> None:
    source = "k" * 150 + ": " + "v" * 5000
    lines = text(fault(column=1), source=source).splitlines()
    assert len(lines[3]) == len(" 7 | ") + 200
    assert lines[4].count("^") == 150
    assert "^" not in text(fault(column=1000), source=source)


@pytest.mark.parametrize("number", [1, 10, 12345])
def test_the_margin_is_as_wide_as_the_line_number(number: int) -> None:
    lines = text(fault(line=number)).splitlines()[2:5]
    assert {line.index("|") for line in lines} == {len(str(number)) + 2}


def test_no_control_character_reaches_the_terminal() -> None:
    wild = "a\x1b[2Jb\r\n\u202ec\x07"
    shown = text(
        fault(
            message=wild,
            hint=wild,
            object=ObjectRef("v1", "Kind", "ns", wild),
            field=wild,
            pair=PairRef("ns", wild, wild),
        ),
        source=wild,
    )
    assert not {"\x1b", "\r", "\u202e", "\x07"} & set(shown)


def test_warnings_of_one_reason_come_first_together_and_errors_stand_by_themselves() -> None:
    shown = text(
        fault(),
        fault(),
        *(fault("check it", Severity.WARNING, line=line) for line in range(1, 7)),
        fault("something else", Severity.WARNING),
    )
    blocks = shown.split("\n\n")
    assert [block.splitlines()[0].partition(":")[0] for block in blocks] == [
        "warning[UnknownField]",
        "error[UnknownField]",
        "error[UnknownField]",
    ]
    assert blocks[0].splitlines() == [
        "warning[UnknownField]: check it",
        "  --> lead.yaml:1:3 in AgentTemplate/lead at spec.x",
        "  --> lead.yaml:2:3 in AgentTemplate/lead at spec.x",
        "  --> lead.yaml:3:3 in AgentTemplate/lead at spec.x",
        "  = and at 3 more places",
        "warning[UnknownField]: something else",
        "  --> lead.yaml:7:3 in AgentTemplate/lead at spec.x",
    ]


def test_colour_changes_nothing_but_escape_sequences() -> None:
    import re

    found = fault(hint="write `y`", pair=PAIR)
    coloured = text(found, colour=True)
    assert "\033[1;31merror[UnknownField]\033[0m" in coloured
    assert re.sub(r"\033\[[0-9;]*m", "", coloured) == text(found)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param((0, 0, 0), "", id="nothing"),
        pytest.param((0, 0, 5), "5 notes", id="notes alone"),
        pytest.param((1, 0, 0), "1 error", id="one"),
        pytest.param((2, 1, 1), "2 errors, 1 warning, 1 note", id="some of each"),
        pytest.param((0, 3, 0), "3 warnings", id="warnings alone"),
    ],
)
def test_a_summary_counts_errors_warnings_and_notes(counts: tuple[int, int, int], expected: str) -> None:
    severities = (Severity.ERROR, Severity.WARNING, Severity.INFO)
    found = [
        fault(severity=severity)
        for severity, count in zip(severities, counts, strict=True)
        for _ in range(count)
    ]
    assert summarize(found) == expected
    assert summarize(found, notes_hidden=True) == expected + (" with -v" if counts[2] else "")


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("größer 日本", "größer 日本"),
        ("a\tb", "a\N{REPLACEMENT CHARACTER}b"),
        ("a\u200bb", "a\N{REPLACEMENT CHARACTER}b"),
        ("a\u00a0b", "a\N{REPLACEMENT CHARACTER}b"),
        ("a\U000e0173\ufe0fb", "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b"),
        ("a\u3164b\u2800", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"),
        ("\u26a0\ufe0f!", "\u26a0\ufe0f!"),
        ("\u26a0\ufe0f\ufe0f", "\u26a0\ufe0f\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_printable_keeps_letters_and_replaces_what_is_invisible(raw: str, shown: str) -> None:
    assert printable(raw) == shown
