"""The tokens of a template, by the rules of Go's text/template; no regular expression, linear time."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from kagent_render.prompt.faults import TemplateSyntaxError, literal, place
from kagent_render.prompt.runes import is_alphanumeric, is_printable

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACES: Final = " \t\r\n"
_TERMINATORS: Final = frozenset(" \t\r\n.,|:)(")
_OPEN: Final = "{{"
_CLOSE: Final = "}}"
_DECIMAL: Final = "0123456789_"
_BASE_DIGITS: Final = {"x": "0123456789abcdefABCDEF_", "o": "01234567_", "b": "01_"}


class Kind(Enum):
    """What a token is; the value is how a message names it."""

    TEXT = "text"
    OPEN = "`{{`"
    CLOSE = "`}}`"
    SPACE = "space"
    END_OF_TEXT = "the end of the template"
    ASSIGN = "`=`"
    DECLARE = "`:=`"
    PIPE = "`|`"
    LEFT_PAREN = "`(`"
    RIGHT_PAREN = "`)`"
    COMMA = "`,`"
    CHARACTER = "character"
    BOOL = "boolean"
    NUMBER = "number"
    STRING = "string"
    IDENTIFIER = "identifier"
    VARIABLE = "variable"
    FIELD = "field"
    DOT = "`.`"
    NIL = "`nil`"
    BLOCK = "`block`"
    BREAK = "`break`"
    CONTINUE = "`continue`"
    DEFINE = "`define`"
    ELSE = "`else`"
    END = "`end`"
    IF = "`if`"
    RANGE = "`range`"
    TEMPLATE = "`template`"
    WITH = "`with`"


_WORDS: Final = {
    "true": Kind.BOOL,
    "false": Kind.BOOL,
    "nil": Kind.NIL,
    "block": Kind.BLOCK,
    "break": Kind.BREAK,
    "continue": Kind.CONTINUE,
    "define": Kind.DEFINE,
    "else": Kind.ELSE,
    "end": Kind.END,
    "if": Kind.IF,
    "range": Kind.RANGE,
    "template": Kind.TEMPLATE,
    "with": Kind.WITH,
}
_SYMBOLS: Final = {
    "=": Kind.ASSIGN,
    "|": Kind.PIPE,
    "(": Kind.LEFT_PAREN,
    ")": Kind.RIGHT_PAREN,
    ",": Kind.COMMA,
}


class Token(NamedTuple):
    """A piece of a template and the offset of its first character."""

    kind: Kind
    text: str
    offset: int

    def __str__(self) -> str:
        if self.kind.value.startswith("`") or self.kind in (Kind.SPACE, Kind.END_OF_TEXT):
            return self.kind.value
        return f"the {self.kind.value} {literal(self.text)}"


def tokenize(text: str) -> Iterator[Token]:
    """The tokens of `text`, ending with END_OF_TEXT; raises TemplateSyntaxError where Go's lexer stops."""
    at = 0
    while True:
        opening = text.find(_OPEN, at)
        if opening < 0:
            break
        inside = opening + len(_OPEN)
        trims = text[inside : inside + 1] == "-" and text[inside + 1 : inside + 2] in tuple(_SPACES)
        shown = text[at:opening].rstrip(_SPACES) if trims else text[at:opening]
        if shown:
            yield Token(Kind.TEXT, shown, at)
        inside += 2 if trims else 0
        if text.startswith("/*", inside):
            at = _Action(text, inside).comment_end()
            continue
        yield Token(Kind.OPEN, _OPEN, opening)
        action = _Action(text, inside)
        yield from action.tokens()
        at = action.at
    if at < len(text):
        yield Token(Kind.TEXT, text[at:], at)
    yield Token(Kind.END_OF_TEXT, "", len(text))


class _Action:
    """The inside of one pair of braces; `at` is the next character to read."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.parens = 0

    def tokens(self) -> Iterator[Token]:
        """The tokens up to and with the closing braces, after which `at` is past the trimmed space."""
        while not self._at_close():
            if self.at >= len(self.text):
                raise self._fault("an action is not closed")
            yield self._next()
        if self.parens:
            raise self._fault("a `(` is not closed")
        start = self.at
        self._pass_close()
        yield Token(Kind.CLOSE, _CLOSE, start)

    def comment_end(self) -> int:
        """Where the text after the comment begins."""
        end = self.text.find("*/", self.at + 2)
        if end < 0:
            raise self._fault("a comment is not closed")
        self.at = end + 2
        if not self._at_close():
            raise self._fault("a comment has to fill its action, so that `}}` follows `*/`")
        self._pass_close()
        return self.at

    def _at_close(self) -> bool:
        return self.text.startswith(_CLOSE, self.at) or self._trims()

    def _trims(self) -> bool:
        return self._peek() in _SPACES and self.text.startswith("-" + _CLOSE, self.at + 1)

    def _pass_close(self) -> None:
        trims = self._trims()
        self.at += len(_CLOSE) + (2 if trims else 0)
        if trims:
            self._accept_run(_SPACES)

    def _next(self) -> Token:
        start = self.at
        kind = self._scan()
        return Token(kind, self.text[start : self.at], start)

    def _scan(self) -> Kind:
        c = self._peek()
        if c in _SPACES:
            return self._space()
        if c in '"`':
            return self._string(c)
        if c in "+-0123456789" or (c == "." and self._peek(1) in "0123456789"):
            return self._number()
        if c == "$" or c == ".":
            return self._name(Kind.VARIABLE if c == "$" else Kind.FIELD)
        if is_alphanumeric(c):
            return self._word()
        return self._constant_or_symbol(c)

    def _constant_or_symbol(self, c: str) -> Kind:
        self.at += 1
        if c == "'":
            self._quoted("'", "a character constant")
            return Kind.NUMBER
        if c == ":":
            if self._peek() != "=":
                raise self._fault("`:` is only known as part of `:=`")
            self.at += 1
            return Kind.DECLARE
        self.parens += {"(": 1, ")": -1}.get(c, 0)
        if self.parens < 0:
            raise self._fault("a `)` closes nothing")
        if c in _SYMBOLS:
            return _SYMBOLS[c]
        if c.isascii() and is_printable(ord(c)):
            return Kind.CHARACTER
        raise self._fault(f"the character U+{ord(c):04X} has no meaning inside an action")

    def _space(self) -> Kind:
        start = self.at
        self._accept_run(_SPACES)
        # The last space belongs to a trim marker that follows; a lone one is met by `_at_close`.
        if self.at - start > 1 and self.text.startswith("-" + _CLOSE, self.at):
            self.at -= 1
        return Kind.SPACE

    def _string(self, quote: str) -> Kind:
        self.at += 1
        if quote == '"':
            self._quoted('"', "a string")
            return Kind.STRING
        end = self.text.find("`", self.at)
        if end < 0:
            raise self._fault("a raw string is not closed")
        self.at = end + 1
        return Kind.STRING

    def _quoted(self, quote: str, what: str) -> None:
        text, at = self.text, self.at
        while at < len(text) and text[at] != "\n":
            if text[at] == quote:
                self.at = at + 1
                return
            at += 2 if text[at] == "\\" and text[at + 1 : at + 2] != "\n" else 1
        raise self._fault(f"{what} is not closed on its line")

    def _word(self) -> Kind:
        start = self.at
        self._pass_name()
        return _WORDS.get(self.text[start : self.at], Kind.IDENTIFIER)

    def _name(self, kind: Kind) -> Kind:
        self.at += 1
        if self._at_terminator():
            return Kind.VARIABLE if kind is Kind.VARIABLE else Kind.DOT
        self._pass_name()
        return kind

    def _pass_name(self) -> None:
        while (c := self._peek()) and is_alphanumeric(c):
            self.at += 1
        if not self._at_terminator():
            raise self._fault(f"{literal(self._peek())} cannot follow a name")

    def _at_terminator(self) -> bool:
        c = self._peek()
        return not c or c in _TERMINATORS or self.text.startswith(_CLOSE, self.at)

    def _number(self) -> Kind:
        start = self.at
        is_number = self._scan_number()
        if is_number and self._peek() in tuple("+-"):
            is_number = self._scan_number() and self.text[self.at - 1] == "i"
        if not is_number:
            raise self._fault(f"{literal(self.text[start : self.at + 1])} is no number of Go")
        return Kind.NUMBER

    def _scan_number(self) -> bool:
        self._accept("+-")
        base = self._peek(1).lower() if self._peek() == "0" else ""
        digits = _BASE_DIGITS.get(base, _DECIMAL)
        self.at += 2 if digits is not _DECIMAL else 0
        self._accept_run(digits)
        if self._accept("."):
            self._accept_run(digits)
        exponent = {_DECIMAL: "eE", _BASE_DIGITS["x"]: "pP"}.get(digits, "")
        if self._accept(exponent):
            self._accept("+-")
            self._accept_run(_DECIMAL)
        self._accept("i")
        return not (self._peek() and is_alphanumeric(self._peek()))

    def _peek(self, ahead: int = 0) -> str:
        """The character `ahead` places after the next one; empty behind the end of the text."""
        return self.text[self.at + ahead : self.at + ahead + 1]

    def _accept(self, characters: str) -> bool:
        c = self._peek()
        accepted = bool(c) and c in characters
        self.at += accepted
        return accepted

    def _accept_run(self, characters: str) -> None:
        text, at, end = self.text, self.at, len(self.text)
        while at < end and text[at] in characters:
            at += 1
        self.at = at

    def _fault(self, message: str) -> TemplateSyntaxError:
        return TemplateSyntaxError(message, *place(self.text, min(self.at, len(self.text))))
