"""The small parts of the engine that templates reach only together."""

from __future__ import annotations

import pytest

from kagent_render.prompt import recursion
from kagent_render.prompt.faults import Refusal
from kagent_render.prompt.lexer import Kind, tokenize
from kagent_render.prompt.limits import Budget, Limits
from kagent_render.prompt.recursion import Step, run
from kagent_render.prompt.scope import Scope
from kagent_render.prompt.stream import TokenStream
from kagent_render.prompt.template import parse
from kagent_render.prompt.values import Byte, Strings, Struct, is_true, type_name
from tests.prompt.rendering import CONTEXT, SOURCES


def depth(levels: int) -> Step[int]:
    inner: int = 0
    if levels:
        inner = yield depth(levels - 1)
    return inner + 1


def test_steps_go_deeper_than_pythons_stack() -> None:
    assert run(depth(50_000), RuntimeError) == 50_001


def test_steps_end_at_their_own_depth() -> None:
    with pytest.raises(Refusal, match="deep"):
        run(depth(recursion.DEEPEST), lambda: Refusal("too deep"))


def test_a_scope_shows_the_last_variable_of_a_name_until_it_is_released() -> None:
    scope: Scope[int] = Scope(0)
    mark = scope.mark()
    scope.declare("$x", 1)
    scope.declare("$x", 2)
    found = scope.find("$x")
    assert found is not None
    assert found.value == 2
    assert [cell.value for cell in scope.last(2)] == [1, 2]
    scope.release(mark)
    assert scope.find("$x") is None
    assert scope.find("$") is not None
    assert scope.last(0) == []


def test_a_budget_counts_steps_and_sizes() -> None:
    budget = Budget(Limits(steps=10, output=5))
    budget.spend(10)
    budget.admit(5)
    with pytest.raises(Refusal, match="10 steps"):
        budget.charge(8)
    with pytest.raises(Refusal, match="5 bytes"):
        budget.admit(6)


def test_tokens_tell_where_they_stand() -> None:
    assert [(token.kind, token.text, token.offset) for token in tokenize("é {{- $x :=(.A|b) -}} c")] == [
        (Kind.TEXT, "é", 0),
        (Kind.OPEN, "{{", 2),
        (Kind.VARIABLE, "$x", 6),
        (Kind.SPACE, " ", 8),
        (Kind.DECLARE, ":=", 9),
        (Kind.LEFT_PAREN, "(", 11),
        (Kind.FIELD, ".A", 12),
        (Kind.PIPE, "|", 14),
        (Kind.IDENTIFIER, "b", 15),
        (Kind.RIGHT_PAREN, ")", 16),
        (Kind.CLOSE, "}}", 17),
        (Kind.TEXT, "c", 22),
        (Kind.END_OF_TEXT, "", 23),
    ]


def test_a_stream_gives_tokens_back_in_order_and_ends_for_ever() -> None:
    stream = TokenStream("{{ a")
    opening, space, word = stream.next(), stream.next(), stream.peek()
    stream.back(space, opening)
    assert [stream.next(), stream.next_word()] == [opening, word]
    ended = TokenStream("")
    assert [ended.next().kind for _ in range(3)] == [Kind.END_OF_TEXT] * 3


@pytest.mark.parametrize(
    ("value", "truth"),
    [
        *(
            (None, False),
            (False, False),
            (0, False),
            (0.0, False),
            (0j, False),
            (b"", False),
            (Byte(0), False),
        ),
        *((Strings.of(()), False), (True, True), (-1, True), (0.5, True), (1j, True), (b"\0", True)),
        *((Byte(1), True), (Strings.of((b"",)), True), (Struct({}), True)),
    ],
    ids=str,
)
def test_what_is_empty_is_false(value: None, truth: bool) -> None:
    assert is_true(value) is truth


def test_the_type_of_the_data_has_no_name() -> None:
    assert type_name(Byte(1)) == b"uint8"
    with pytest.raises(Refusal, match="not supported"):
        type_name(Struct({}))


def test_only_keys_that_an_include_reached_are_told() -> None:
    template = parse('{{$x := include "q/b"}}{{if false}}{{include "p/a"}}{{end}}{{include "q/b"}}')
    rendering = template.render_with_uses(CONTEXT, SOURCES)
    assert (rendering.text, rendering.included) == ("é", ("q/b",))


def test_a_template_renders_again_with_other_values() -> None:
    template = parse("{{$n := 0}}{{range .ToolNames}}{{$n = len .}}{{end}}{{$n}}")
    assert [template.render(CONTEXT, SOURCES) for _ in range(2)] == ["5", "5"]
