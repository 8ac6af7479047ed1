"""Tables for people: columns that line up, coloured on a terminal, and nothing in them that moves it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP: Final = "  "
_COLOURS: Final = {"good": "32", "bad": "31", "busy": "33", "dim": "2", "head": "1"}


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, and what it means: `good`, `bad`, `busy`, `dim` or nothing."""

    text: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Screen:
    """What a table is for: its columns, None where nobody looks at it, and whether it may be coloured."""

    width: int | None
    colour: bool


def table(
    head: Sequence[str], rows: Sequence[Sequence[Cell]], screen: Screen, dispensable: Sequence[str] = ()
) -> str:
    """Rows below their heads, each column as wide as its widest text.

    While that is wider than the screen, the next of the `dispensable` columns is left out.
    """
    lines = [[Cell(text, "head") for text in head], *rows]
    widths = _widths(lines)
    if screen.width is not None and sum(widths) + len(_GAP) * (len(head) - 1) > screen.width and dispensable:
        left = [column for column, text in enumerate(head) if text != dispensable[0]]
        chosen = [[row[column] for column in left] for row in rows]
        return table([head[column] for column in left], chosen, screen, dispensable[1:])
    return "\n".join(_line(line, widths, screen) for line in lines)


def _widths(lines: Sequence[Sequence[Cell]]) -> list[int]:
    return [max(_width(line[column].text) for line in lines) for column in range(len(lines[0]))]


def fields(pairs: Sequence[tuple[str, Cell]], screen: Screen) -> str:
    """One thing, a field on each line; fields without a text are left out.

    A sentence that is wider than the screen goes on below itself. A word that is, such as an address, is
    below its name in one piece, so that it can be copied.
    """
    shown = [(name, cell) for name, cell in pairs if cell.text]
    widths = [max((len(name) for name, _ in shown), default=0), 0]
    room = None if screen.width is None else screen.width - widths[0] - len(_GAP)
    return "\n".join(
        line for name, cell in shown for line in _field(Cell(name, "head"), cell, widths, room, screen)
    )


def _field(name: Cell, cell: Cell, widths: Sequence[int], room: int | None, screen: Screen) -> list[str]:
    lines = _lines(cell, room)
    if room is not None and any(_width(line.text) > room for line in lines):
        return [*([painted(name, screen)] if name.text else []), paragraph(cell, screen)]
    names = [name, *[Cell("")] * (len(lines) - 1)]
    return [_line(pair, widths, screen) for pair in zip(names, lines, strict=True)]


def paragraph(cell: Cell, screen: Screen) -> str:
    """A sentence below a heading, wrapped between its words."""
    room = None if screen.width is None else screen.width - len(_GAP)
    return "\n".join(_GAP + painted(line, screen) for line in _lines(cell, room))


def _lines(cell: Cell, room: int | None) -> list[Cell]:
    """The words of a text in lines of a width; one that is wider has a line of its own."""
    text = printable(cell.text)
    if room is None or _width(text) <= room:
        return [Cell(text, cell.meaning)]
    lines = wrap(text, max(room, 1), break_long_words=False, break_on_hyphens=False)
    return [Cell(line, cell.meaning) for line in lines]


def _line(cells: Sequence[Cell], widths: Sequence[int], screen: Screen) -> str:
    texts = [painted(cell, screen) for cell in cells]
    padded = [
        text + " " * (width - _width(cell.text))
        for text, cell, width in zip(texts[:-1], cells[:-1], widths[:-1], strict=True)
    ]
    return _GAP.join([*padded, texts[-1]]).rstrip()


def painted(cell: Cell, screen: Screen) -> str:
    """A text as it is printed."""
    text = printable(cell.text)
    return f"\033[{_COLOURS[cell.meaning]}m{text}\033[0m" if screen.colour and cell.meaning and text else text


def _width(text: str) -> int:
    """Columns of a terminal: letters of East Asia take two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in printable(text))
