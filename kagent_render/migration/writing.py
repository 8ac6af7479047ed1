"""New text in the style of what is around it: block, flow or JSON, by the document's own indentation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from kagent_render.revision.canonical_yaml import dump

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.migration.nodes import Node

_DEFAULT_STEP: Final = 2
_FLOW_MARKS: Final = frozenset(",[]{}")


def is_json(mapping: Node) -> bool:
    """Whether the keys of a flow mapping are in double quotes, as JSON has them."""
    return bool(mapping.entries) and all(entry.key.style == '"' for entry in mapping.entries)


def flow_entries(values: Mapping[str, Any], *, as_json: bool) -> str:
    """Entries of a flow mapping without its braces."""
    if as_json:
        return json.dumps(values, ensure_ascii=False)[1:-1]
    return ", ".join(f"{name}: {_flow_value(value)}" for name, value in values.items())


def block_lines(values: Mapping[str, Any], step: int = _DEFAULT_STEP) -> list[str]:
    """Entries of a block mapping, line by line, each level `step` deeper than the one above."""
    lines = dump(values).splitlines()
    return [_deepened(line, step) for line in lines]


def item_lines(values: Mapping[str, Any], step: int = _DEFAULT_STEP) -> list[str]:
    """A mapping as an item of a block sequence whose dash is in the first column."""
    return [("  " if at else "- ") + line for at, line in enumerate(block_lines(values, step))]


def indented(lines: Sequence[str], column: int, line_break: str) -> str:
    """Lines from a column on, each with its break."""
    return "".join(f"{' ' * column}{line}{line_break}" for line in lines)


def _deepened(line: str, step: int) -> str:
    text = line.lstrip(" ")
    return " " * ((len(line) - len(text)) // _DEFAULT_STEP * step) + text


def _flow_value(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{flow_entries(value, as_json=False)}}}"
    text = dump(value).removesuffix("\n")
    return json.dumps(value, ensure_ascii=False) if _FLOW_MARKS & set(text) else text
