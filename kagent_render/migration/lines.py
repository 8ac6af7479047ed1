"""The lines of a text as editors count them, whatever ends them."""

from __future__ import annotations

import re
from typing import Final

_BREAK: Final = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")
BREAKS: Final = "\r\n\x85\u2028\u2029"
"""The characters that can end a line."""

_COMMENT: Final = re.compile(r"([ \t]*)#")
_ITEM: Final = re.compile(r"[ \t]*#[ \t]*-[ \t]")
_REST: Final = re.compile(rf"[ \t]*(?:#[^{BREAKS}]*)?")


def line_start(text: str, index: int) -> int:
    """Where the line of the character at `index` begins."""
    while index > 0 and text[index - 1] not in BREAKS:
        index -= 1
    return index


def line_end(text: str, index: int) -> int:
    """Where the line of the character at `index` ends, before what breaks it."""
    found = _BREAK.search(text, index)
    return found.start() if found else len(text)


def next_line(text: str, index: int) -> int:
    """Where the line behind that of the character at `index` begins; the end of the text without one."""
    found = _BREAK.search(text, index)
    return found.end() if found else len(text)


def break_before(text: str, index: int) -> int:
    """Where the break begins that ends right before `index`; `index` itself without one."""
    if text[max(index - 2, 0) : index] == "\r\n":
        return index - 2
    return index - 1 if index > 0 and text[index - 1] in BREAKS else index


def break_style(text: str, index: int) -> str:
    """What breaks the line at `index`, else the first line of the text, else a line feed."""
    found = _BREAK.search(text, index) or _BREAK.search(text)
    return found[0] if found and found[0] in ("\r\n", "\r", "\n") else "\n"


def break_ending(text: str, position: int) -> str:
    """What breaks the line that ends before `position` or is cut off there, else as the text does first."""
    end = position if break_before(text, position) != position else line_start(text, position)
    found = text[break_before(text, end) : end]
    return found if found in ("\r\n", "\r", "\n") else break_style(text, 0)


def entry_start(text: str, index: int) -> int:
    """Where the entry begins whose key is at `index`: at the `?` before it, where its line has one."""
    before = _behind_space(text, index)
    return before - 1 if text[before - 1 : before] == "?" else index


def entry_column(text: str, index: int) -> int:
    """The column of the entry whose key is at `index`."""
    return column(text, entry_start(text, index))


def column(text: str, index: int) -> int:
    """How many characters stand before `index` on its line."""
    return index - line_start(text, index)


def begins_line(text: str, index: int) -> bool:
    """Whether nothing but white space stands before `index` on its line."""
    before = _behind_space(text, index)
    return before == 0 or text[before - 1] in BREAKS


def ends_line(text: str, index: int) -> bool:
    """Whether nothing but white space and a comment stand from `index` on on its line."""
    found = _REST.match(text, index)
    return found is not None and (found.end() == len(text) or text[found.end()] in BREAKS)


def on_one_line(text: str, start: int, end: int) -> bool:
    """Whether no line ends between two places."""
    return not _BREAK.search(text, start, end)


def comment_column(text: str, start: int) -> int | None:
    """The column of the comment that is all of the line that begins at `start`; None for another line."""
    found = _COMMENT.match(text, start)
    return len(found[1]) if found else None


def is_blank(text: str, start: int) -> bool:
    """Whether the line that begins at `start` holds nothing."""
    return ends_line(text, start) and comment_column(text, start) is None


def behind_block(text: str, end: int, indentation: int) -> int:
    """The line start behind a block that ends at `end`, with the comments below it that are deeper."""
    position = end if end and text[end - 1] in BREAKS else next_line(text, end)
    behind = position
    while position < len(text):
        depth = comment_column(text, position)
        if depth is not None and depth > indentation:
            behind = position = next_line(text, position)
        elif is_blank(text, position):
            position = next_line(text, position)
        else:
            break
    return behind


def before_block(text: str, start: int, indentation: int) -> int:
    """Where the comment lines begin that stand right above the line at `start`, as deep as it.

    An item that was commented out is of the list above, whose dashes may be as deep as its key.
    """
    while start > 0:
        above = line_start(text, break_before(text, start))
        if comment_column(text, above) != indentation or _ITEM.match(text, above):
            break
        start = above
    return start


def _behind_space(text: str, index: int) -> int:
    """Where the white space before `index` begins; a line may be too long to look at all of it."""
    while index > 0 and text[index - 1] in " \t":
        index -= 1
    return index
