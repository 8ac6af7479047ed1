"""From the text of a template to its nodes, by the grammar of Go's text/template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.prompt.faults import TemplateSyntaxError, literal
from kagent_render.prompt.lexer import Kind, Token
from kagent_render.prompt.nodes import Action, Branch, Invoke, Leave, Node, Pipeline, Text, is_blank
from kagent_render.prompt.pipelines import PipelineParser
from kagent_render.prompt.recursion import Step, run
from kagent_render.prompt.scope import Scope
from kagent_render.prompt.stream import TokenStream

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

DEEPEST_ACTIONS: Final = 10_000
"""How deep `if`, `with`, `range` and `block` may nest, which Go leaves to its stack."""

_BRANCHES: Final = {Kind.IF: "if", Kind.WITH: "with", Kind.RANGE: "range"}
_LEAVES: Final = {Kind.BREAK: "break", Kind.CONTINUE: "continue"}


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
        self._stream = TokenStream(text)
        self._pipelines = PipelineParser(self._stream, functions)
        self._ranges = 0
        self._depth = 0

    def top(self, name: bytes) -> Step[None]:
        """Parse the whole text, the only place for `define`."""
        nodes: list[Node] = []
        while (token := self._stream.next()).kind is not Kind.END_OF_TEXT:
            if token.kind is Kind.OPEN and self._stream.peek_word().kind is Kind.DEFINE:
                yield self._definition(self._stream.next())
                continue
            self._stream.back(token)
            node: Node | _Closer = yield self._statement()
            if isinstance(node, _Closer):
                self._stream.refuse(node.token, "at the top level")
            nodes.append(node)
        self._define(name, tuple(nodes), token)

    def _definition(self, token: Token) -> Step[None]:
        name = self._template_name("`define`")
        self._stream.expect(Kind.CLOSE, "`define`")
        yield self._separate(name, token)

    def _separate(self, name: bytes, token: Token) -> Step[None]:
        """The body of a template of its own, which sees no variable and no range of the one around it."""
        outer = self._pipelines.scope, self._ranges
        self._pipelines.scope, self._ranges = Scope(None), 0
        nodes, closer = yield self._body(token)
        self._pipelines.scope, self._ranges = outer
        if closer.token.kind is not Kind.END:
            self._stream.refuse(closer.token, f"in {token}")
        self._define(name, nodes, token)

    def _define(self, name: bytes, nodes: tuple[Node, ...], token: Token) -> None:
        known = self.definitions.get(name)
        if known is None or is_blank(known):
            self.definitions[name] = nodes
        elif not is_blank(nodes):
            self._stream.fail(f"the template {literal(name)} is defined twice", token)

    def _body(self, token: Token) -> Step[tuple[tuple[Node, ...], _Closer]]:
        """The nodes up to the next `end` or `else` of the same level."""
        self._enter(token)
        nodes: list[Node] = []
        while self._stream.peek_word().kind is not Kind.END_OF_TEXT:
            node: Node | _Closer = yield self._statement()
            if isinstance(node, _Closer):
                self._depth -= 1
                return tuple(nodes), node
            nodes.append(node)
        self._stream.fail(f"{token} has no `end`", token)

    def _enter(self, token: Token) -> None:
        self._depth += 1
        if self._depth > DEEPEST_ACTIONS:
            self._stream.fail(f"actions nested more than {DEEPEST_ACTIONS} deep are not supported", token)

    def _statement(self) -> Step[Node | _Closer]:
        token = self._stream.next_word()
        if token.kind is Kind.TEXT:
            return Text(token.text.encode(), token.offset)
        if token.kind is not Kind.OPEN:
            self._stream.refuse(token, "in the text")
        word = self._stream.next_word()
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
            self._stream.back(word)
            pipeline = yield self._pipelines.pipeline("an action")
            node = Action(pipeline, word.offset)
        return node

    def _flow(self, word: Token) -> Node | _Closer:
        if word.kind is Kind.ELSE and self._stream.peek_word().kind in (Kind.IF, Kind.WITH):
            # The branch that this `else` belongs to decides whether it may go on like that.
            return _Closer(word)
        self._stream.expect(Kind.CLOSE, str(word))
        if word.kind in _LEAVES:
            if not self._ranges:
                self._stream.fail(f"{word} is outside of a `range`", word)
            return Leave(_LEAVES[word.kind], word.offset)
        return _Closer(word)

    def _branch(self, word: Token) -> Step[Branch]:
        mark = self._pipelines.scope.mark()
        keyword = _BRANCHES[word.kind]
        pipeline: Pipeline = yield self._pipelines.pipeline(str(word))
        self._ranges += keyword == "range"
        body, closer = yield self._body(word)
        self._ranges -= keyword == "range"
        otherwise: tuple[Node, ...] = ()
        if closer.token.kind is Kind.ELSE:
            otherwise = yield self._otherwise(word, closer.token)
        self._pipelines.scope.release(mark)
        return Branch(keyword, pipeline, body, otherwise, word.offset)

    def _otherwise(self, word: Token, token: Token) -> Step[tuple[Node, ...]]:
        if word.kind is not Kind.RANGE and self._stream.peek().kind is word.kind:
            # `else if` is an `else` with an `if` inside, which takes the only `end`.
            self._enter(token)
            nested: Branch = yield self._branch(self._stream.next())
            self._depth -= 1
            return (nested,)
        nodes, closer = yield self._body(token)
        if closer.token.kind is not Kind.END:
            self._stream.refuse(closer.token, f"after the `else` of {word}")
        found: tuple[Node, ...] = nodes
        return found

    def _block(self, word: Token) -> Step[Invoke]:
        name = self._template_name("`block`")
        pipeline: Pipeline = yield self._pipelines.pipeline("`block`")
        yield self._separate(name, word)
        return Invoke(name, pipeline, word.offset)

    def _invoke(self, word: Token) -> Step[Invoke]:
        name = self._template_name("`template`")
        pipeline: Pipeline | None = None
        if self._stream.peek_word().kind is Kind.CLOSE:
            self._stream.next()
        else:
            pipeline = yield self._pipelines.pipeline("`template`")
        return Invoke(name, pipeline, word.offset)

    def _template_name(self, context: str) -> bytes:
        token = self._stream.next_word()
        if token.kind is not Kind.STRING:
            self._stream.refuse(token, f"where {context} needs a name in quotes")
        return self._pipelines.string(token)
