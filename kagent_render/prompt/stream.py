"""The tokens of a template with as much look-ahead as its grammar needs."""

from __future__ import annotations

from typing import NoReturn

from kagent_render.prompt.faults import TemplateSyntaxError, place
from kagent_render.prompt.lexer import Kind, Token, tokenize


class TokenStream:
    """The tokens of `text`, which can be given back; ends with END_OF_TEXT for ever."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokenize(text)
        self._ahead: list[Token] = []
        self._last = Token(Kind.END_OF_TEXT, "", 0)

    def next(self) -> Token:
        """Take the next token."""
        self._last = self._ahead.pop() if self._ahead else next(self._tokens, self._last)
        return self._last

    def next_word(self) -> Token:
        """Take the next token that is no space."""
        while (token := self.next()).kind is Kind.SPACE:
            pass
        return token

    def peek(self) -> Token:
        """The next token, which stays."""
        token = self.next()
        self.back(token)
        return token

    def peek_word(self) -> Token:
        """The next token that is no space, which stays; the space before it does not."""
        token = self.next_word()
        self.back(token)
        return token

    def back(self, *tokens: Token) -> None:
        """Give tokens back; the last one comes first again."""
        self._ahead.extend(tokens)

    def expect(self, kind: Kind, where: str) -> Token:
        """Take the next word, which has to be of `kind`."""
        token = self.next_word()
        if token.kind is not kind:
            self.refuse(token, where)
        return token

    def refuse(self, token: Token, where: str) -> NoReturn:
        """Raise TemplateSyntaxError for a token that cannot stand `where` it does."""
        self.fail(f"{token} is not expected {where}", token)

    def fail(self, message: str, token: Token) -> NoReturn:
        """Raise TemplateSyntaxError at `token`."""
        raise TemplateSyntaxError(message, *place(self._text, token.offset))
