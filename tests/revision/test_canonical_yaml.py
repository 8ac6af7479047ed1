"""Canonical YAML: style rules, and every reader giving back what was written."""

from __future__ import annotations

import base64
import io
import json
import subprocess
from typing import Any

import pytest
import ruamel.yaml
import yaml
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from kagent_render.revision.canonical_json import CanonicalFormError
from kagent_render.revision.canonical_yaml import dump
from kagent_render.source.yaml import read_yaml
from tests.parts import go_program

AMBIGUOUS = [
    *("~", "null", "Null", "NULL", "nULL", "true", "True", "TRUE", "tRUE", "false", "yes", "Yes", "NO"),
    *("on", "Off", "OFF", "y", "Y", "n", "N", "=", "<<", ".inf", "-.INF", "+.inf", ".NaN", "nan", "Infinity"),
    *(
        "0",
        "1",
        "-1",
        "+1",
        "010",
        "08",
        "0777",
        "0o17",
        "0O7",
        "0x1F",
        "-0x1f",
        "0b11",
        "0b2",
        "1__0",
        "1_0",
    ),
    *(
        "1e3",
        "1E3",
        "1.0e3",
        "1e+3",
        "-1.5e-3",
        "1.",
        ".5",
        "+.5",
        "1.10",
        "1e400",
        "123e45678901",
        ".",
        "...",
    ),
    *("1,000", "1:30", "1:30:45", "190:20:30.15", "1.2.3", "10.0.0.1", "8080:80", "12345678901234567890"),
    *("2024-01-01", "2024-1-1", "2001-12-14t21:59:43.10-05:00", "2024-01-01 00:00:00", "0.0", "-0", "._1"),
]
INDICATORS = [
    *(
        "-",
        "- a",
        "---",
        "--- a",
        "... a",
        "?",
        "? a",
        ":",
        ": a",
        ",",
        "[a]",
        "{a}",
        "]",
        "}",
        "#a",
        "&a",
        "*a",
    ),
    *("!a", "!!int 7", "|", "|-", ">", "'a'", '"a"', "%a", "@a", "`a`", "a: b", "a:", "a #b", " a", "a "),
    *(
        "",
        " ",
        "\t",
        "a\tb",
        "\u00a0a",
        "\u3000a",
        "\u200ba",
        "-1a",
        "-.5",
        "--",
        "-- a",
        "- ",
        "a :",
        "a: #",
    ),
]
INVISIBLE = [
    "a\rb",
    "a\x00",
    "\x7f",
    "a\x85b",
    "a\u2028b",
    "a\u2029",
    "\ufeffa",
    "a\ufeff",
    "\uffff",
    "a\u202eb",
]
PLAIN = [
    *("a", "A", "_", "planner-py-0123456789ab", "0123456789ab", "1Gi", "1.2.3-rc1", "123abc", "a b", "a  b"),
    *(
        "http://x:80/y?a=b#c",
        "C:\\x",
        "a#b",
        "a:b",
        "a, b",
        "a[0]",
        "a's",
        'say "a"',
        "$(X)",
        "${X}",
        "/a/b",
    ),
    *(
        "~/a",
        "..a",
        "./a",
        "../a",
        "-a",
        "--flag=1",
        "=a",
        "<a>",
        "<<a",
        "naïve",
        "日本",
        "\U0001f600",
        "truely",
    ),
    *(
        "sha256:44136fa355b3678a",
        "r.example/a@sha256:44",
        "a\u00a0b",
        "e1",
        "nullable",
        "2024-01",
    ),
]


@pytest.mark.parametrize("text", [*AMBIGUOUS, *INDICATORS], ids=repr)
def test_text_that_a_reader_could_mistake_is_double_quoted(text: str) -> None:
    wanted = f"'{text}'" if '"' in text else json.dumps(text, ensure_ascii=False)
    assert dump({"v": text}) == f"v: {wanted}\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        pytest.param('{"a":"b"}', """'{"a":"b"}'""", id="JSON"),
        pytest.param("""{"a":"it's"}""", """'{"a":"it''s"}'""", id="single quotes are doubled"),
        pytest.param('"\\d"', """'"\\d"'""", id="a backslash stays one"),
        pytest.param('"a"\tb', '"\\"a\\"\\tb"', id="what needs an escape is double-quoted"),
        pytest.param('"a"\x85', '"\\"a\\"\\u0085"', id="so is a line break of YAML 1.1"),
    ],
)
def test_quotes_and_backslashes_are_kept_readable(text: str, written: str) -> None:
    assert dump({"v": text}) == f"v: {written}\n"


@pytest.mark.parametrize("text", INVISIBLE, ids=repr)
def test_text_that_a_reader_or_a_reviewer_could_lose_is_escaped(text: str) -> None:
    written = dump({"v": text})
    assert written.isascii()
    assert written.startswith('v: "')
    assert json.loads(written[3:]) == text


@pytest.mark.parametrize("text", PLAIN, ids=repr)
def test_text_that_no_reader_mistakes_is_plain(text: str) -> None:
    assert dump({"v": text}) == f"v: {text}\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\nb", "v: |-\n  a\n  b\n"),
        ("a\n", "v: |\n  a\n"),
        ("a\n\nb\n", "v: |\n  a\n\n  b\n"),
        ("a\n\n", "v: |+\n  a\n\n"),
        ("a\n  b\n", "v: |\n  a\n    b\n"),
        ("a \n\t\nb\n", "v: |\n  a \n  \t\n  b\n"),
        ("a\n  \n", "v: |\n  a\n    \n"),
        ("# a\n--- b\n... c", "v: |-\n  # a\n  --- b\n  ... c\n"),
        ("日本\n", "v: |\n  日本\n"),
        ("\n", 'v: "\\n"\n'),
        ("\na\n", 'v: "\\na\\n"\n'),
        (" a\nb\n", 'v: " a\\nb\\n"\n'),
        ("\ta\nb\n", 'v: "\\ta\\nb\\n"\n'),
        ("\u00a0a\nb", 'v: "\u00a0a\\nb"\n'),
        ("a\r\nb\n", 'v: "a\\r\\nb\\n"\n'),
        ("a\nb\u0085", 'v: "a\\nb\\u0085"\n'),
        ("a\nb\u2028", 'v: "a\\nb\\u2028"\n'),
        ("a\n\ufeffb", 'v: "a\\n\\ufeffb"\n'),
        ("a\n\x1bb", 'v: "a\\n\\u001bb"\n'),
    ],
)
def test_text_of_several_lines_is_a_literal_block_where_that_loses_nothing(text: str, written: str) -> None:
    assert dump({"v": text}) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({}, "{}\n"),
        ([], "[]\n"),
        ({"b": 1, "a": {"c": []}}, "b: 1\na:\n  c: []\n"),
        ({"a": [1, "x", {}]}, "a:\n- 1\n- x\n- {}\n"),
        ({"a": [{"b": 1, "c": [2]}, [3, [4]]]}, "a:\n- b: 1\n  c:\n  - 2\n- - 3\n  - - 4\n"),
        ({"a": ["x\ny\n", {"b": "x\ny"}]}, "a:\n- |\n  x\n  y\n- b: |-\n    x\n    y\n"),
        ("x\ny\n", "|\n  x\n  y\n"),
        ({"no": "no", "": "", "a\nb": 1}, '"no": "no"\n"": ""\n"a\\nb": 1\n'),
        ({"a": None, "b": True, "c": False, "d": -7}, "a: null\nb: true\nc: false\nd: -7\n"),
        ([1.0, -0.0, 1e15, 1e-7, 1.5e-7, 0.1], "- 1\n- 0\n- 1000000000000000\n- 1.0e-07\n- 1.5e-07\n- 0.1\n"),
        ({"k" * 129: {"a": [1]}}, f"? {'k' * 129}\n:\n  a:\n  - 1\n"),
        ({"a": {"k" * 129: "x\ny"}}, f"a:\n  ? {'k' * 129}\n  : |-\n    x\n    y\n"),
        ({"a": "word " * 400 + "end"}, f"a: {'word ' * 400}end\n"),
        ({"a": (1, 2)}, "a:\n- 1\n- 2\n"),
    ],
)
def test_structure_has_one_layout(value: Any, written: str) -> None:
    assert dump(value) == written


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (float("nan"), "is not a finite number"),
        (float("-inf"), "is not a finite number"),
        (1e16, "is a whole number beyond 2^53"),
        (2**64, "is an integer beyond 64 bits"),
        (-(2**63) - 1, "is an integer beyond 64 bits"),
        ("\ud800", "holds half a surrogate pair"),
        ("a\n\udfff", "holds half a surrogate pair"),
        ({1: 2}, "has a key that is not text"),
        (b"x", "is no plain data but `bytes`"),
    ],
)
def test_what_readers_disagree_on_is_refused(value: Any, problem: str) -> None:
    with pytest.raises(CanonicalFormError) as caught:
        dump({"v": [value]})
    assert caught.value.problem == problem


def test_a_value_that_holds_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["a"] = loop
    with pytest.raises(CanonicalFormError, match="nested too deeply"):
        dump(loop)


CHARACTERS = st.characters(exclude_categories=["Cs"])
TRICKY = st.sampled_from([*AMBIGUOUS, *INDICATORS, *INVISIBLE, *PLAIN])
PIECES = st.sampled_from(
    [*" \t\n\r:#-?,[]{}&*!|>'\"%@`~=<.0123456789eExobyn_+\\", "\n\n", "\n ", ": ", " #", "--- "]
)
TEXT = st.one_of(
    TRICKY,
    st.text(CHARACTERS),
    st.lists(PIECES | CHARACTERS, max_size=12).map("".join),
    st.lists(TRICKY, max_size=4).map("\n".join),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(-(2.0**53), 2.0**53) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(VALUES)
@example({"a": "x\n  "})
@example({"a": "x\n  ", "b": ["x\n\n \n", "y"]})
@example({"x" * 2000: {"\u00e9" * 700: ["\n" * 3]}})
def test_yaml_1_1_readers_read_back_the_value(value: Any) -> None:
    text = dump(value)
    assert yaml.load(text, yaml.SafeLoader) == value
    assert yaml.load(text.encode(), yaml.CSafeLoader) == value


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_a_yaml_1_2_reader_reads_back_the_value(value: Any) -> None:
    reader = ruamel.yaml.YAML(typ="safe", pure=True)
    assert reader.load(io.StringIO(dump(value))) == value


@settings(max_examples=200, deadline=None)
@given(VALUES)
@example({"x" * 2000: {"\u00e9" * 700: ["\n" * 3]}})
def test_our_reader_of_manifests_reads_back_the_value(value: Any) -> None:
    [document] = read_yaml(dump({"v": value}).encode())
    assert document.value == {"v": value}


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_writing_what_was_read_changes_no_byte(value: Any) -> None:
    text = dump({"v": value})
    assert dump(yaml.load(text, yaml.CSafeLoader)) == text
    assert dump(read_yaml(text.encode())[0].value) == text


@given(VALUES)
def test_no_line_holds_what_git_or_an_editor_would_change(value: Any) -> None:
    text = dump({"v": value})
    assert "\r" not in text
    assert text.endswith("\n")
    assert text.encode().decode().splitlines() == text.removesuffix("\n").split("\n")


@pytest.mark.oracle
@settings(max_examples=15, deadline=None, phases=[Phase.generate])
@given(st.lists(VALUES, min_size=60, max_size=80))
def test_kubernetes_own_reader_reads_back_the_value(values: list[Any]) -> None:
    documents = [dump({"v": value}).encode() for value in values]
    questions = "".join(json.dumps({"yaml": base64.b64encode(each).decode()}) for each in documents)
    done = subprocess.run([go_program("kubeyaml")], input=questions.encode(), capture_output=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for value, answer in zip(values, answers, strict=True):
        assert answer.get("json", answer) == {"v": value}
