"""Markdown of bounded size in which no text of a finding is anything but text."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.finding import Finding
from kagent_render.diagnostics.markdown import COMMENT_SIZE, SMALLEST_SIZE, code, prose, write_markdown
from tests.diagnostics.hostile import HOSTILE, finding, hostile, many
from tests.parts import go_program

_WRITTEN_BY_US = {"<br>"}
_BLOCKS = {"heading", "paragraph", "bullet_list", "list_item", "table", "thead", "tbody", "tr", "th", "td"}


def cells(text: str) -> list[list[str]]:
    """The cells of each row of the table, read by a parser of Markdown, their HTML and code as told."""
    rows: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline":
            for child in token.children or ():
                assert child.type in ("text", "code_inline", "html_inline"), (child.type, token.content)
                assert child.type != "html_inline" or child.content in _WRITTEN_BY_US
            if rows:
                rows[-1].append(token.content)
        else:
            assert token.type.removesuffix("_open").removesuffix("_close") in _BLOCKS, token.type
    return rows


def test_a_finding_is_a_row_below_the_summary() -> None:
    text = write_markdown([finding(hint="write `y`")], ["✗ 1 of 2 pairs not current (1 error)"])
    assert text == (
        "### kagent-render\n\n"
        "- ✗ 1 of 2 pairs not current (1 error)\n\n"
        "| file | reason | finding |\n|---|---|---|\n"
        "| `team/lead.yaml:7` | error `UnknownField` | the field `x` is unknown<br>hint: write `y` |\n"
    )


def test_rows_are_in_the_order_of_files() -> None:
    found = [finding(path="b", line=2), finding(path="b", line=1), finding(path="a", severity=Severity.INFO)]
    assert [row[0] for row in cells(write_markdown(found, []))[1:]] == ["`a:7`", "`b:1`", "`b:2`"]


def test_without_findings_there_is_no_table() -> None:
    assert write_markdown([], ["✓ 3 pairs current"]) == "### kagent-render\n\n- ✓ 3 pairs current\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the lock of `a/b/c` is stale", "the lock of `a/b/c` is stale"),
        ("a word, (another one); and a third: done.", "a word, (another one); and a third: done."),
        ("pin v1alpha2", "pin `v1alpha2`"),
        ("`a``b`", "`a` `b`"),
        ("`a|b`", "`a│b`"),
        ("no `closing", "no closing"),
        ("in lead.yaml", "in `lead.yaml`"),
        ("32 of 64", "32 of 64"),
        ("", ""),
        ("``", ""),
    ],
)
def test_literals_and_what_is_no_plain_word_are_code(text: str, shown: str) -> None:
    assert prose(text) == shown


@pytest.mark.parametrize("text", HOSTILE)
def test_no_word_outside_of_code_can_be_a_reference_or_an_address(text: str) -> None:
    outside = re.sub(r"(`+) ?.*?[^`] ?\1(?!`)", "", prose(text))
    assert not re.search(r"[@#!<>\[\]&|*_~\\$%`]|://|www\.|\w\d|\d\w*[a-z]", outside), outside


def test_hostile_texts_break_neither_the_table_nor_out_of_it() -> None:
    rows = cells(write_markdown(hostile(), list(HOSTILE)))
    assert len(rows) == 1 + len(HOSTILE)
    assert {len(row) for row in rows} == {3}


@settings(max_examples=40)
@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_any_text_is_three_cells_and_inert(text: str) -> None:
    rows = cells(write_markdown([finding(text, path=text or "a", hint=text)], [text or "a"]))
    assert [len(row) for row in rows] == [3, 3]


@given(st.text(st.sampled_from("`a |\\"), max_size=20))
def test_code_is_one_span_whatever_is_quoted(text: str) -> None:
    span = code(text)
    [token] = MarkdownIt("commonmark").parseInline(f"x {span} y")
    assert token.children is not None
    kinds = [child.type for child in token.children]
    assert kinds == (["text", "code_inline", "text"] if span else ["text"])


@pytest.mark.parametrize("size", [SMALLEST_SIZE, 10_000, COMMENT_SIZE])
def test_the_size_is_kept_and_what_is_left_out_is_told(size: int) -> None:
    found = [*many(300, Severity.WARNING), *many(700), finding("ü" * 9_000, path="é" * 9_000)]
    text = write_markdown(found, ["ü" * 5_000] * 300, size)
    assert len(text.encode()) <= size
    assert len(text.encode()) > size - 3_000
    shown = len(cells(text)) - 1
    told = re.search(r"^(?:(\d+) errors, )?300 warnings left out", text, re.MULTILINE)
    assert told
    assert shown + int(told[1] or 0) == 701
    assert "more roots left out" in text


def test_the_most_severe_are_shown_where_not_all_have_a_place() -> None:
    text = write_markdown([*many(500, Severity.WARNING), *many(20)], [], 10_000)
    assert text.count("| error ") == 20
    assert "| warning " in text


@pytest.mark.oracle
def test_a_renderer_of_github_s_markdown_agrees() -> None:
    """It knows autolinks and strikethrough, too; the tags of its HTML are ours alone."""
    found: list[Finding] = hostile()
    done = subprocess.run(
        [go_program("reports"), "markdown"],
        input=write_markdown(found, list(HOSTILE)),
        capture_output=True,
        text=True,
        check=True,
    )
    tags = set(re.findall(r"<(\w+)", done.stdout))
    assert tags == {"h3", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "code", "br"}
    assert done.stdout.count("<td>") == 3 * len(HOSTILE)
