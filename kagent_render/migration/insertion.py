"""Adding entries, items and documents in the style of what stands before them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_render.migration.edits import Edit
from kagent_render.migration.lines import (
    BREAKS,
    begins_line,
    behind_block,
    break_ending,
    break_style,
    column,
    entry_column,
    line_end,
    line_start,
)
from kagent_render.migration.nodes import entry_of
from kagent_render.migration.writing import block_lines, flow_entries, indented, is_json, item_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.migration.nodes import Document, Node

_STEP: Final = 2


class NoPlaceError(ValueError):
    """A text in which the place of an addition cannot be told."""


def add_entries(text: str, mapping: Node, after: str, values: Mapping[str, Any], step: int | None) -> Edit:
    """Add `values` behind the entry `after` of a mapping, which may be empty or null.

    `step` is that of the document's block mappings; None in JSON.
    """
    mapping, as_json = mapping.meant, step is None
    if mapping.is_null:
        written = f"{{{flow_entries(values, as_json=as_json)}}}"
        gap = " " if mapping.start == mapping.end else ""
        return Edit(mapping.start, mapping.end, gap + written)
    if mapping.flow and not mapping.entries:
        return Edit(mapping.start + 1, mapping.start + 1, flow_entries(values, as_json=as_json))
    found = entry_of(mapping, after)
    if found is None:
        raise NoPlaceError
    holder, entry = found
    if holder.flow:
        return _behind_in_flow(text, entry.key.outer, entry.value.end, _flow_parts(holder, values))
    place = entry_column(text, entry.key.outer)
    return _behind_in_block(text, entry.value.end, place, block_lines(values, step or _STEP))


def add_item(text: str, sequence: Node, index: int, values: Mapping[str, Any], step: int) -> Edit:
    """Add a mapping behind an item of a sequence."""
    sequence = sequence.meant
    item = sequence.items[index]
    if sequence.flow:
        as_json = is_json(item.meant)
        return _behind_in_flow(
            text, item.outer, item.end, ["{" + flow_entries(values, as_json=as_json) + "}"]
        )
    place = column(text, _dash_before(text, item.outer))
    position = behind_block(text, item.end, place)
    return _whole_lines(text, position, place, item_lines(values, step))


def add_document(text: str, document: Document, values: Mapping[str, Any], step: int) -> Edit:
    """Add a document behind another one, before the marker that ends that."""
    root = document.root.meant
    if root.flow:
        lines = ["{" + flow_entries(values, as_json=is_json(root)) + "}"]
    else:
        lines = block_lines(values, step)
    return _whole_lines(text, document.end, 0, ["---", *lines])


def step_of(text: str, mapping: Node) -> int:
    """By how much a block mapping's own mappings are deeper than it."""
    for entry in mapping.meant.entries:
        value = entry.value
        if value.is_mapping and not value.flow and value.entries:
            step = entry_column(text, value.entries[0].key.outer) - entry_column(text, entry.key.outer)
            if step > 0:
                return step
    return _STEP


def _flow_parts(holder: Node, values: Mapping[str, Any]) -> list[str]:
    as_json = is_json(holder)
    return [flow_entries({name: value}, as_json=as_json) for name, value in values.items()]


def _behind_in_flow(text: str, start: int, end: int, parts: list[str]) -> Edit:
    """Each part on the line of what it follows, or on one of its own where that has one."""
    between = ", "
    if begins_line(text, start):
        between = "," + break_style(text, start) + text[line_start(text, start) : start]
    return Edit(end, end, "".join(between + part for part in parts))


def _behind_in_block(text: str, end: int, place: int, lines: list[str]) -> Edit:
    if end and text[end - 1] in BREAKS:
        return Edit(end, end, indented(lines, place, break_ending(text, end)))
    position = line_end(text, end)
    line_break = break_style(text, position)
    return Edit(position, position, "".join(f"{line_break}{' ' * place}{line}" for line in lines))


def _whole_lines(text: str, position: int, place: int, lines: list[str]) -> Edit:
    """Lines from the start of a line on; behind a last line without a break, that stays the last's way."""
    line_break = break_ending(text, position)
    written = indented(lines, place, line_break)
    if position and text[position - 1] not in BREAKS:
        written = line_break + written.removesuffix(line_break)
    return Edit(position, position, written)


def _dash_before(text: str, index: int) -> int:
    """Where the dash of an item is."""
    while index > 0 and text[index - 1].isspace():
        index -= 1
    if text[index - 1 : index] != "-":
        raise NoPlaceError
    return index - 1
