"""What can be wrong with a prompt template: in its text, or while it renders."""

from __future__ import annotations

from kagent_render.prompt.runes import is_printable


class TemplateError(Exception):
    """A fault of a template; `line` and `column` count from 1 inside the template."""

    def __init__(self, message: str, line: int, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class TemplateSyntaxError(TemplateError):
    """The text is not a template."""


class TemplateExecutionError(TemplateError):
    """The template cannot be rendered with the values that it is given."""


class Refusal(Exception):  # noqa: N818 - not an error of the program, but an answer to the template
    """What a part of the engine cannot do; who called it knows the place in the template."""


def place(text: str, offset: int) -> tuple[int, int]:
    """The line and the column of a character of `text`, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def literal(text: str | bytes, longest: int = 80) -> str:
    """Quote a piece of a template for a message: in backticks, on one line, `longest` characters at most."""
    if isinstance(text, bytes):
        text = text[: 4 * longest].decode("utf-8", "replace")
    shown = text if len(text) <= longest else text[: longest - 3] + "..."
    plain = (c if is_printable(ord(c)) and c != "`" else "\N{REPLACEMENT CHARACTER}" for c in shown)
    return f"`{''.join(plain)}`"
