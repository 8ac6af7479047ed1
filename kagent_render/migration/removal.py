"""Removing one entry of a mapping with the comments that are its own, and nothing of a neighbour's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_render.migration.edits import Edit
from kagent_render.migration.lines import (
    before_block,
    begins_line,
    behind_block,
    break_before,
    column,
    ends_line,
    entry_column,
    entry_start,
    line_start,
    next_line,
    on_one_line,
)

if TYPE_CHECKING:
    from kagent_render.migration.nodes import Entry, Node

_COMMA: Final = re.compile(r"(?:\s|#[^\r\n]*)*,")
_SPACES: Final = re.compile(r"[ \t]*")


def remove_entry(text: str, mapping: Node, entry: Entry) -> list[Edit]:
    """The edits that take an entry out of the mapping that it is written in."""
    return _from_flow(text, mapping, entry) if mapping.flow else [_block(text, mapping, entry)]


def _block(text: str, mapping: Node, entry: Entry) -> Edit:
    """All lines of an entry of a block mapping; at the end of a file, the break before rather than behind.

    The text of a block scalar would lose its last line feed with that break.
    """
    indentation = entry_column(text, entry.key.outer)
    start = before_block(text, line_start(text, entry.key.outer), indentation)
    end = behind_block(text, entry.value.end, indentation)
    before = mapping.entries[max(mapping.entries.index(entry) - 1, 0)].value
    if end == len(text) and break_before(text, end) == end and not _ends_in_block_scalar(before):
        start = break_before(text, start)
    return Edit(start, end)


def _ends_in_block_scalar(node: Node) -> bool:
    while node.entries or node.items:
        node = node.entries[-1].value if node.entries else node.items[-1]
    return node.style in ("|", ">")


def _from_flow(text: str, mapping: Node, entry: Entry) -> list[Edit]:
    start, end = entry_start(text, entry.key.outer), entry.value.end
    after = _COMMA.match(text, end, mapping.end)
    behind = after.end() if after else end
    before = None if after else _comma_before(text, mapping, entry)
    if begins_line(text, start) and ends_line(text, behind):
        first = before_block(text, line_start(text, start), column(text, start))
        lines = Edit(first, next_line(text, behind))
        return [lines] if before is None else [Edit(before, before + 1), lines]
    if after:
        spaces = _SPACES.match(text, behind)
        return [Edit(start, spaces.end() if spaces else behind)]
    if before is None:
        return [Edit(start, end)]
    if on_one_line(text, before, start):
        return [Edit(before, end)]
    return [Edit(before, before + 1), Edit(start, end)]


def _comma_before(text: str, mapping: Node, entry: Entry) -> int | None:
    """The comma between an entry and the one before it; None for the first."""
    at = mapping.entries.index(entry)
    if at == 0:
        return None
    found = _COMMA.match(text, mapping.entries[at - 1].value.end, entry.key.outer)
    return found.end() - 1 if found else None
