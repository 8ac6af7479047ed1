"""From the text of a template to its nodes, by the grammar of Go's text/template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from kagent_render.prompt.faults import Refusal, TemplateSyntaxError, literal, place
from kagent_render.prompt.lexer import Kind, Token, tokenize
from kagent_render.prompt.nodes import (
    Action,
    Branch,
    Chain,
    Command,
    Constant,
    Dot,
    Field,
    Function,
    Invoke,
    Leave,
    Nil,
    Node,
    Operand,
    Pipeline,
    Text,
    Variable,
    is_blank,
)
from kagent_render.prompt.numbers import read_number
from kagent_render.prompt.quoting import unquote
from kagent_render.prompt.recursion import Step, run
from kagent_render.prompt.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

DEEPEST: Final = 10_000
"""How deep parentheses may nest, as in Go, and how deep actions may, which Go does not bound."""

_BRANCHES: Final = {Kind.IF: "if", Kind.WITH: "with", Kind.RANGE: "range"}
_LEAVES: Final = {Kind.BREAK: "break", Kind.CONTINUE: "continue"}
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


def parse_definitions(text: str, name: bytes, functions: Collection[str]) -> Mapping[bytes, tuple[Node, ...]]:
    """The templates that `text` defines; its own top level is called `name`.

    Raises TemplateSyntaxError, with line and column, where Go would not parse `text`.
    """
    parser = _Parser(text, functions)
    run(parser.top(name), lambda: TemplateSyntaxError("the template nests too deep", 1))
    return parser.definitions


@dataclass(frozen=True, slots=True)
class _Closer:
    """The `end` or `else` that ends a list of nodes; `token` is the word itself."""

    token: Token


class _Parser:
    def __init__(self, text: str, functions: Collection[str]) -> None:
        self.definitions: dict[bytes, tuple[Node, ...]] = {}
        self._text = text
        self._functions = functions
        self._tokens = tokenize(text)
        self._ahead: list[Token] = []
        self._last = Token(Kind.END_OF_TEXT, "", 0)
        self._scope = Scope(None)
        self._ranges = 0
        self._parens = 0
        self._depth = 0

    def top(self, name: bytes) -> Step[None]:
        """Parse the whole text, the only place for `define`."""
        nodes: list[Node] = []
        while (token := self._next()).kind is not Kind.END_OF_TEXT:
            if token.kind is Kind.OPEN and self._peek_word().kind is Kind.DEFINE:
                yield self._definition(self._next())
                continue
            self._back(token)
            node: Node | _Closer = yield self._statement()
            if isinstance(node, _Closer):
                self._unexpected(node.token, "at the top level")
            nodes.append(node)
        self._define(name, tuple(nodes), self._last)

    def _definition(self, token: Token) -> Step[None]:
        name = self._template_name("`define`")
        self._expect(Kind.CLOSE, "`define`")
        yield self._separate(name, token)

    def _separate(self, name: bytes, token: Token) -> Step[None]:
        """The body of a template of its own, which sees no variable and no range of the one around it."""
        outer = self._scope, self._ranges
        self._scope, self._ranges = Scope(None), 0
        nodes, closer = yield self._body(token)
        self._scope, self._ranges = outer
        if closer.token.kind is not Kind.END:
            self._unexpected(closer.token, f"in {token}")
        self._define(name, nodes, token)

    def _define(self, name: bytes, nodes: tuple[Node, ...], token: Token) -> None:
        known = self.definitions.get(name)
        if known is None or is_blank(known):
            self.definitions[name] = nodes
        elif not is_blank(nodes):
            self._fail(f"the template {literal(name)} is defined twice", token)

    def _body(self, token: Token) -> Step[tuple[tuple[Node, ...], _Closer]]:
        """The nodes up to the next `end` or `else` of the same level."""
        self._depth += 1
        if self._depth > DEEPEST:
            self._fail(f"actions nested more than {DEEPEST} deep are not supported", token)
        nodes: list[Node] = []
        while self._peek_word().kind is not Kind.END_OF_TEXT:
            node: Node | _Closer = yield self._statement()
            if isinstance(node, _Closer):
                self._depth -= 1
                return tuple(nodes), node
            nodes.append(node)
        self._fail(f"{token} has no `end`", token)

    def _statement(self) -> Step[Node | _Closer]:
        token = self._next_word()
        if token.kind is Kind.TEXT:
            return Text(token.text.encode(), token.offset)
        if token.kind is not Kind.OPEN:
            self._unexpected(token, "in the text")
        word = self._next_word()
        node: Node | _Closer
        if word.kind in _BRANCHES:
            node = yield self._branch(word)
        elif word.kind is Kind.BLOCK:
            node = yield self._block(word)
        elif word.kind is Kind.TEMPLATE:
            node = yield self._invoke(word)
        elif word.kind in _LEAVES or word.kind in (Kind.ELSE, Kind.END):
            node = self._flow(word)
        else:
            self._back(word)
            pipeline = yield self._pipeline("an action", Kind.CLOSE)
            node = Action(pipeline, word.offset)
        return node

    def _flow(self, word: Token) -> Node | _Closer:
        if word.kind is Kind.ELSE and self._peek_word().kind in (Kind.IF, Kind.WITH):
            # The branch that this `else` belongs to decides whether it may go on like that.
            return _Closer(word)
        self._expect(Kind.CLOSE, str(word))
        if word.kind in _LEAVES:
            if not self._ranges:
                self._fail(f"{word} is outside of a `range`", word)
            return Leave(_LEAVES[word.kind], word.offset)
        return _Closer(word)

    def _branch(self, word: Token) -> Step[Branch]:
        mark = self._scope.mark()
        keyword = _BRANCHES[word.kind]
        pipeline: Pipeline = yield self._pipeline(str(word), Kind.CLOSE)
        self._ranges += keyword == "range"
        body, closer = yield self._body(word)
        self._ranges -= keyword == "range"
        otherwise: tuple[Node, ...] = ()
        if closer.token.kind is Kind.ELSE:
            otherwise = yield self._otherwise(word, closer.token)
        self._scope.release(mark)
        return Branch(keyword, pipeline, body, otherwise, word.offset)

    def _otherwise(self, word: Token, token: Token) -> Step[tuple[Node, ...]]:
        if word.kind is not Kind.RANGE and self._peek().kind is word.kind:
            # `else if` is an `else` with an `if` inside, which takes the only `end`.
            self._depth += 1
            if self._depth > DEEPEST:
                self._fail(f"actions nested more than {DEEPEST} deep are not supported", token)
            nested: Branch = yield self._branch(self._next())
            self._depth -= 1
            return (nested,)
        nodes, closer = yield self._body(token)
        if closer.token.kind is not Kind.END:
            self._unexpected(closer.token, f"after the `else` of {word}")
        found: tuple[Node, ...] = nodes
        return found

    def _block(self, word: Token) -> Step[Invoke]:
        name = self._template_name("`block`")
        pipeline: Pipeline = yield self._pipeline("`block`", Kind.CLOSE)
        yield self._separate(name, word)
        return Invoke(name, pipeline, word.offset)

    def _invoke(self, word: Token) -> Step[Invoke]:
        name = self._template_name("`template`")
        pipeline: Pipeline | None = None
        if self._peek_word().kind is Kind.CLOSE:
            self._next()
        else:
            pipeline = yield self._pipeline("`template`", Kind.CLOSE)
        return Invoke(name, pipeline, word.offset)

    def _template_name(self, context: str) -> bytes:
        token = self._next_word()
        if token.kind is not Kind.STRING:
            self._unexpected(token, f"where {context} needs a name in quotes")
        return self._string(token)

    def _pipeline(self, context: str, end: Kind) -> Step[Pipeline]:
        first = self._peek_word()
        variables, assigns = self._variables(context)
        commands: list[Command] = []
        while (token := self._next_word()).kind is not end:
            if token.kind not in _OPERANDS:
                self._unexpected(token, f"in {context}")
            self._back(token)
            command: Command = yield self._command()
            commands.append(command)
        if not commands:
            self._fail(f"{context} has no value", token)
        for command in commands[1:]:
            if isinstance(command.operands[0], Constant | Dot | Nil):
                self._fail("a pipeline can only go on with a function, a field or a variable", token)
        return Pipeline(variables, assigns, tuple(commands), first.offset)

    def _variables(self, context: str) -> tuple[tuple[str, ...], bool]:
        """The variables that a pipeline begins with, and whether it assigns them."""
        names: list[str] = []
        while (variable := self._peek_word()).kind is Kind.VARIABLE:
            self._next()
            after = self._next()
            token = self._next_word() if after.kind is Kind.SPACE else after
            if token.kind not in (Kind.ASSIGN, Kind.DECLARE, Kind.COMMA):
                self._back(token, *([after] if after.kind is Kind.SPACE else []), variable)
                break
            names.append(variable.text)
            self._scope.declare(variable.text, None)
            if token.kind is not Kind.COMMA:
                return tuple(names), token.kind is Kind.ASSIGN
            if context != Kind.RANGE.value or len(names) > 1:
                self._fail(f"{context} cannot declare so many variables", token)
            if self._peek_word().kind not in (Kind.VARIABLE, Kind.CLOSE, Kind.RIGHT_PAREN):
                self._fail("a `range` can only declare variables", token)
        return tuple(names), False

    def _command(self) -> Step[Command]:
        first = self._peek_word()
        operands: list[Operand] = []
        while True:
            self._peek_word()
            operand: Operand | None = yield self._operand()
            if operand is not None:
                operands.append(operand)
            token = self._next()
            if token.kind is Kind.SPACE:
                continue
            if token.kind in (Kind.CLOSE, Kind.RIGHT_PAREN):
                self._back(token)
            elif token.kind is not Kind.PIPE:
                self._unexpected(token, "in a command")
            break
        if not operands:
            self._fail("a command is empty", first)
        return Command(tuple(operands), first.offset)

    def _operand(self) -> Step[Operand | None]:
        token = self._next_word()
        node: Operand | None
        if token.kind is Kind.LEFT_PAREN:
            self._parens += 1
            if self._parens > DEEPEST:
                self._fail(f"parentheses nest more than {DEEPEST} deep", token)
            node = yield self._pipeline("a pipeline in parentheses", Kind.RIGHT_PAREN)
            self._parens -= 1
        else:
            node = self._word(token)
        if node is None:
            self._back(token)
            return None
        fields = self._peek()
        names: list[str] = []
        while self._peek().kind is Kind.FIELD:
            names.append(self._next().text[1:])
        return self._chained(node, tuple(names), fields) if names else node

    def _chained(self, node: Operand, names: tuple[str, ...], fields: Token) -> Operand:
        if isinstance(node, Field):
            return Field(node.names + names, node.offset)
        if isinstance(node, Variable):
            return Variable(node.name, names, node.offset)
        if isinstance(node, Pipeline | Function):
            return Chain(node, names, node.offset)
        self._fail("a field cannot follow a literal or `.`", fields)

    def _word(self, token: Token) -> Operand | None:
        """The operand that is one token, or None when it is not an operand."""
        if token.kind is Kind.IDENTIFIER:
            if token.text not in self._functions:
                self._fail(f"there is no function {literal(token.text)}", token)
            return Function(token.text, token.offset)
        if token.kind is Kind.VARIABLE:
            if self._scope.find(token.text) is None:
                self._fail(f"the variable {literal(token.text)} is not declared", token)
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
            return Constant(self._string(token), token.offset)
        if token.kind is Kind.NUMBER:
            try:
                return Constant(read_number(token.text), token.offset)
            except Refusal as refusal:
                self._fail(str(refusal), token)
        return None

    def _string(self, token: Token) -> bytes:
        try:
            return unquote(token.text)
        except Refusal as refusal:
            self._fail(str(refusal), token)

    def _expect(self, kind: Kind, context: str) -> Token:
        token = self._next_word()
        if token.kind is not kind:
            self._unexpected(token, f"in {context}")
        return token

    def _next(self) -> Token:
        self._last = self._ahead.pop() if self._ahead else next(self._tokens, self._last)
        return self._last

    def _next_word(self) -> Token:
        while (token := self._next()).kind is Kind.SPACE:
            pass
        return token

    def _peek(self) -> Token:
        token = self._next()
        self._back(token)
        return token

    def _peek_word(self) -> Token:
        token = self._next_word()
        self._back(token)
        return token

    def _back(self, *tokens: Token) -> None:
        """Give tokens back; the last one comes first again."""
        self._ahead.extend(tokens)

    def _unexpected(self, token: Token, where: str) -> NoReturn:
        self._fail(f"{token} is not expected {where}", token)

    def _fail(self, message: str, token: Token) -> NoReturn:
        raise TemplateSyntaxError(message, *place(self._text, token.offset))
