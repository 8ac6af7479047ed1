"""The escapers of Go's text/template: html, js and urlquery."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.prompt import runes
from kagent_render.prompt.printing import print_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.prompt.limits import Budget
    from kagent_render.prompt.values import Value

_HTML: Final = {
    "\0": "\N{REPLACEMENT CHARACTER}",
    '"': "&#34;",
    "'": "&#39;",
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
}
_JS: Final = {
    "\\": "\\\\",
    "'": "\\'",
    '"': '\\"',
    "<": "\\u003C",
    ">": "\\u003E",
    "&": "\\u0026",
    "=": "\\u003D",
}
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
_QUERY: Final = tuple(
    chr(byte) if byte in _UNRESERVED else "+" if byte == 0x20 else f"%{byte:02X}" for byte in range(256)
)


def escape_html(values: Sequence[Value], budget: Budget) -> bytes:
    """The printed form of `values`, safe as HTML text."""
    text = runes.decode(_printed(values, budget))
    return "".join(_HTML.get(c, c) for c in text).encode("utf-8", "surrogateescape")


def escape_js(values: Sequence[Value], budget: Budget) -> bytes:
    """The printed form of `values`, safe inside a JavaScript string."""
    text = runes.decode(_printed(values, budget))
    return "".join(_in_js(c) for c in text).encode("utf-8", "surrogateescape")


def escape_query(values: Sequence[Value], budget: Budget) -> bytes:
    """The printed form of `values`, safe as a parameter of a URL's query."""
    return "".join(_QUERY[byte] for byte in _printed(values, budget)).encode()


def _printed(values: Sequence[Value], budget: Budget) -> bytes:
    return print_values([b"<no value>" if value is None else value for value in values], budget)


def _in_js(character: str) -> str:
    rune = ord(character)
    if character in _JS:
        return _JS[character]
    if rune < 0x20:
        return f"\\u00{rune:02X}"
    # A byte that is no UTF-8 counts as the replacement character, which is printable, and stays.
    if rune < 0x80 or runes.is_printable(rune) or runes.broken_byte(character) is not None:
        return character
    return f"\\u{rune:04X}"
