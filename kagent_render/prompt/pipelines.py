"""The expressions of a template: pipelines of commands, by the grammar of Go's text/template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.prompt.faults import Refusal, literal
from kagent_render.prompt.lexer import Kind, Token
from kagent_render.prompt.nodes import (
    Chain,
    Command,
    Constant,
    Dot,
    Field,
    Function,
    Nil,
    Operand,
    Pipeline,
    Variable,
)
from kagent_render.prompt.numbers import read_number
from kagent_render.prompt.quoting import unquote
from kagent_render.prompt.recursion import Step
from kagent_render.prompt.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Collection

    from kagent_render.prompt.stream import TokenStream

DEEPEST_PARENTHESES: Final = 10_000
"""How deep parentheses may nest, as in Go."""

_OPERANDS: Final = frozenset(
    {
        Kind.BOOL,
        Kind.DOT,
        Kind.FIELD,
        Kind.IDENTIFIER,
        Kind.LEFT_PAREN,
        Kind.NIL,
        Kind.NUMBER,
        Kind.STRING,
        Kind.VARIABLE,
    }
)


class PipelineParser:
    """Reads pipelines out of `stream`; `scope` holds the variables that are declared where it stands."""

    def __init__(self, stream: TokenStream, functions: Collection[str]) -> None:
        self.scope = Scope(None)
        self._stream = stream
        self._functions = functions
        self._parens = 0

    def pipeline(self, context: str, end: Kind = Kind.CLOSE) -> Step[Pipeline]:
        """The pipeline up to `end`; `context` is what it is for, as a message names it."""
        first = self._stream.peek_word()
        variables, assigns = self._variables(context)
        commands: list[Command] = []
        while (token := self._stream.next_word()).kind is not end:
            if token.kind not in _OPERANDS:
                self._stream.refuse(token, f"in {context}")
            self._stream.back(token)
            command: Command = yield self._command()
            commands.append(command)
        if not commands:
            self._stream.fail(f"{context} has no value", token)
        for command in commands[1:]:
            if isinstance(command.operands[0], Constant | Dot | Nil):
                self._stream.fail("a pipeline can only go on with a function, a field or a variable", token)
        return Pipeline(variables, assigns, tuple(commands), first.offset)

    def _variables(self, context: str) -> tuple[tuple[str, ...], bool]:
        """The variables that a pipeline begins with, and whether it assigns them."""
        names: list[str] = []
        while (variable := self._stream.peek_word()).kind is Kind.VARIABLE:
            self._stream.next()
            after = self._stream.next()
            token = self._stream.next_word() if after.kind is Kind.SPACE else after
            if token.kind not in (Kind.ASSIGN, Kind.DECLARE, Kind.COMMA):
                self._stream.back(token, *([after] if after.kind is Kind.SPACE else []), variable)
                break
            names.append(variable.text)
            self.scope.declare(variable.text, None)
            if token.kind is not Kind.COMMA:
                return tuple(names), token.kind is Kind.ASSIGN
            if context != Kind.RANGE.value or len(names) > 1:
                self._stream.fail(f"{context} cannot declare so many variables", token)
            if self._stream.peek_word().kind not in (Kind.VARIABLE, Kind.CLOSE, Kind.RIGHT_PAREN):
                self._stream.fail("a `range` can only declare variables", token)
        return tuple(names), False

    def _command(self) -> Step[Command]:
        first = self._stream.peek_word()
        operands: list[Operand] = []
        while True:
            self._stream.peek_word()
            operand: Operand | None = yield self._operand()
            if operand is not None:
                operands.append(operand)
            token = self._stream.next()
            if token.kind is Kind.SPACE:
                continue
            if token.kind in (Kind.CLOSE, Kind.RIGHT_PAREN):
                self._stream.back(token)
            elif token.kind is not Kind.PIPE:
                self._stream.refuse(token, "in a command")
            break
        if not operands:
            self._stream.fail("a command is empty", first)
        return Command(tuple(operands), first.offset)

    def _operand(self) -> Step[Operand | None]:
        token = self._stream.next_word()
        node: Operand | None
        if token.kind is Kind.LEFT_PAREN:
            self._parens += 1
            if self._parens > DEEPEST_PARENTHESES:
                self._stream.fail(f"parentheses nest more than {DEEPEST_PARENTHESES} deep", token)
            node = yield self.pipeline("a pipeline in parentheses", Kind.RIGHT_PAREN)
            self._parens -= 1
        else:
            node = self._word(token)
        if node is None:
            self._stream.back(token)
            return None
        fields = self._stream.peek()
        names: list[str] = []
        while self._stream.peek().kind is Kind.FIELD:
            names.append(self._stream.next().text[1:])
        return self._chained(node, tuple(names), fields) if names else node

    def _chained(self, node: Operand, names: tuple[str, ...], fields: Token) -> Operand:
        if isinstance(node, Field):
            return Field(node.names + names, node.offset)
        if isinstance(node, Variable):
            return Variable(node.name, names, node.offset)
        if not isinstance(node, Pipeline | Function):
            self._stream.fail("a field cannot follow a literal or `.`", fields)
        return Chain(node, names, node.offset)

    def _word(self, token: Token) -> Operand | None:
        """The operand that is one token, or None when it is not an operand."""
        if token.kind is Kind.IDENTIFIER:
            if token.text not in self._functions:
                self._stream.fail(f"there is no function {literal(token.text)}", token)
            return Function(token.text, token.offset)
        if token.kind is Kind.VARIABLE:
            if self.scope.find(token.text) is None:
                self._stream.fail(f"the variable {literal(token.text)} is not declared", token)
            return Variable(token.text, (), token.offset)
        if token.kind is Kind.FIELD:
            return Field((token.text[1:],), token.offset)
        if token.kind is Kind.DOT:
            return Dot(token.offset)
        if token.kind is Kind.NIL:
            return Nil(token.offset)
        return self._constant(token)

    def _constant(self, token: Token) -> Constant | None:
        if token.kind is Kind.BOOL:
            return Constant(token.text == "true", token.offset)
        if token.kind is Kind.STRING:
            return Constant(self.string(token), token.offset)
        if token.kind is Kind.NUMBER:
            try:
                return Constant(read_number(token.text), token.offset)
            except Refusal as refusal:
                self._stream.fail(str(refusal), token)
        return None

    def string(self, token: Token) -> bytes:
        """The value of a string token."""
        try:
            return unquote(token.text)
        except Refusal as refusal:
            self._stream.fail(str(refusal), token)
