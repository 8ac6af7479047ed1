"""TOML as this program writes it: plain data in, text that every TOML 1.0 reader takes alike out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SHORT = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(32), 127)} | _SHORT


def toml_text(table: Mapping[str, Any]) -> str:
    """A document of texts, numbers, booleans, lists of these, and mappings; the keys keep their order."""
    return "".join(_lines(table, ())).lstrip("\n")


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """The table's own values before its tables, since what follows a heading belongs to it."""
    values = {name: value for name, value in table.items() if not isinstance(value, dict)}
    if path and (values or not table):
        yield f"\n[{'.'.join(_key(name) for name in path)}]\n"
    for name, value in values.items():
        yield f"{_key(name)} = {_value(value)}\n"
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _lines(value, (*path, name))


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _text(name)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    assert isinstance(value, str), f"TOML has no {type(value).__name__}"
    return _text(value)


def _text(value: str) -> str:
    return f'"{value.translate(_ESCAPES)}"'
