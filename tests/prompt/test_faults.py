"""What a fault of a template says, and where in the template it says it is."""

from __future__ import annotations

import pytest

from kagent_render.prompt.faults import TemplateExecutionError, TemplateSyntaxError, literal, place
from kagent_render.prompt.template import Context, parse
from tests.prompt.rendering import CONTEXT, SOURCES, judge

SYNTAX = (
    ("a\nb{{if 1}}", 2, 4, "`if` has no `end`"),
    ("\n\n{{upper .Description}}", 3, 3, "there is no function `upper`"),
    ("{{.Description | default `x`}}", 1, 18, "there is no function `default`"),
    ("{{$x}}", 1, 3, "the variable `$x` is not declared"),
    ("é{{end}}", 1, 4, "`end` is not expected at the top level"),
    ("{{if 1}}a{{else}}b{{else}}c{{end}}", 1, 21, "`else` is not expected after the `else` of `if`"),
    ("{{if}}x{{end}}", 1, 5, "`if` has no value"),
    ("{{with 1}}{{else if 2}}{{end}}", 1, 18, "`if` is not expected in the text"),
    ("a{{/* b", 1, 4, "a comment is not closed"),
    ("a{{\n1", 2, 2, "an action is not closed"),
    ("{{(1}}", 1, 5, "a `(` is not closed"),
    ("{{1)}}", 1, 5, "a `)` closes nothing"),
    ('{{"a\n"}}', 1, 4, "a string is not closed on its line"),
    ("{{`a", 1, 4, "a raw string is not closed"),
    ("{{1a}}", 1, 4, "`1a` is no number of Go"),
    ("{{18446744073709551616}}", 1, 3, "`18446744073709551616` overflows every integer type"),
    (r'{{"\q"}}', 1, 3, r"`\q` is no escape of Go"),
    (r'{{"\u12"}}', 1, 3, r"`\u` needs 4 hexadecimal digits of a valid code point"),
    ("{{''}}", 1, 3, "a character constant holds exactly one character"),
    ("{{break}}", 1, 3, "`break` is outside of a `range`"),
    ("{{1 | 2}}", 1, 8, "a pipeline can only go on with a function, a field or a variable"),
    ("{{$a, $b := 1}}", 1, 5, "an action cannot declare so many variables"),
    ('{{define "a"}}1{{end}}{{define "a"}}2{{end}}', 1, 25, "the template `a` is defined twice"),
    ("{{template .}}", 1, 12, "`.` is not expected where `template` needs a name in quotes"),
    ("{{\x01}}", 1, 4, "the character U+0001 has no meaning inside an action"),
    ("a{{$x=1}}", 1, 6, "`=` cannot follow a name"),
)
EXECUTION = (
    ("a\n{{.Name}}", 2, 3, "there is no field `.Name`; the fields are `.AgentTemplateName`"),
    ("{{.Description.Length}}", 1, 3, "`string` has no field `Length`"),
    ("{{.Description 1}}", 1, 3, "the field `.Description` takes no arguments"),
    ('\n {{include "p/b"}}', 2, 4, "`include` finds no `p/b`; available are `p/a`, `q/b`"),
    ('{{include "zzz"}}', 1, 3, "`include` finds no `zzz`; available are `p/a`, `q/b`"),
    ("{{include 1}}", 1, 3, "`include` needs a string and not `int`"),
    ("{{len 1 2}}", 1, 3, "`len` takes 1 argument and not 2"),
    ("{{eq}}", 1, 3, "`eq` takes at least 1 argument and not 0"),
    ("{{and}}", 1, 3, "`and` needs an argument"),
    ("{{len 3}}", 1, 3, "`int` has no length"),
    ("{{len nil}}", 1, 3, "`nil` has no length"),
    ("{{len .}}", 1, 3, "the template's data has no length"),
    ("{{index .ToolNames 7}}", 1, 3, "the index 7 is out of range"),
    ('{{slice "abc" 2 1}}', 1, 3, "the indexes of `slice` are not in order"),
    ("{{slice 1}}", 1, 3, "`int` cannot be sliced"),
    ("{{index 1 1}}", 1, 3, "`int` cannot be indexed"),
    ('{{eq 1 "a"}}', 1, 3, "`int` and `string` cannot be compared"),
    ("{{lt true false}}", 1, 3, "`bool` has no order"),
    ("{{call .Description}}", 1, 3, "`string` is no function that `call` could call"),
    ('{{range "a"}}{{end}}', 1, 9, "`range` cannot go through `string`"),
    ('{{template "x"}}', 1, 3, "the template `x` is not defined"),
    ("{{nil}}", 1, 3, "`nil` is no command"),
    ("{{1 2}}", 1, 3, "only a function takes arguments"),
    ("{{$x = 1}}", 1, 8, "the variable `$x` is not declared"),
    ("{{9223372036854775808}}", 1, 3, "`9223372036854775808` overflows int"),
    ('ok{{printf "%T" .}}', 1, 5, "the Go type name of the template's data is not supported"),
    ('ok{{slice "é" 1}}', 1, 5, "the output is not valid UTF-8, so it is no text"),
)


@pytest.mark.parametrize(("text", "line", "column", "message"), SYNTAX, ids=[row[0] for row in SYNTAX])
def test_a_syntax_error_names_construct_and_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(TemplateSyntaxError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.message == str(caught.value) == message


@pytest.mark.parametrize(("text", "line", "column", "message"), EXECUTION, ids=[row[0] for row in EXECUTION])
def test_an_execution_error_names_construct_and_place(
    text: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(TemplateExecutionError) as caught:
        parse(text).render(CONTEXT, SOURCES)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.message.startswith(message)


def test_an_include_without_any_source_says_so() -> None:
    with pytest.raises(TemplateExecutionError, match="there are no data sources"):
        parse('{{include "a/b"}}').render(CONTEXT, {})


def test_an_output_that_ends_inside_a_character_is_refused() -> None:
    assert judge('{{slice "é" 0 1}}').message == "the output is not valid UTF-8, so it is no text"


def test_halves_of_a_character_that_meet_in_the_output_are_text() -> None:
    assert judge('{{slice "é" 0 1}}{{slice "é" 1}}').output == "é"


@pytest.mark.parametrize("text", ["a\n\ud800", "{{`\udcff`}}"])
def test_half_of_a_surrogate_pair_in_the_template_is_a_syntax_error(text: str) -> None:
    with pytest.raises(TemplateSyntaxError, match="surrogate") as caught:
        parse(text)
    assert caught.value.line == text.count("\n") + 1


def test_half_of_a_surrogate_pair_in_a_value_is_an_execution_error() -> None:
    with pytest.raises(TemplateExecutionError, match="surrogate"):
        parse("x").render(Context("a", "b", "\ud800", ()), {})
    with pytest.raises(TemplateExecutionError, match="surrogate"):
        parse('{{include "a/b"}}').render(CONTEXT, {"a/b": "\ud800"})


def test_a_literal_of_a_message_is_one_short_line_of_printable_text() -> None:
    assert literal("a\nb`c\x1b[0m") == "`a\ufffdb\ufffdc\ufffd[0m`"
    assert literal(b"\xffa") == "`\ufffda`"
    assert literal("x" * 200) == "`" + "x" * 77 + "...`"


@pytest.mark.parametrize(
    ("offset", "expected"), [(0, (1, 1)), (1, (1, 2)), (2, (2, 1)), (3, (3, 1)), (4, (3, 2))]
)
def test_places_count_from_one(offset: int, expected: tuple[int, int]) -> None:
    assert place("a\n\nb", offset) == expected
