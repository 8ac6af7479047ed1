"""Where the lines of a literal block stand in its file, each of which is a line of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

_HEADER: Final = re.compile(r"(?:[&!]\S*+(?:\s|(?<=\s)#[^\r\n]*+)++)*+\|[^\r\n]*+(?:\r\n?|\n)")
_FIRST_INDENTED: Final = re.compile(r"(?: *+(?:\r\n?|\n))*+( *+)")
_OTHER_BREAK: Final = re.compile("[\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Literal:
    """The character at which a block's first line starts, and the columns of indentation that all have."""

    index: int
    indentation: int


def find_literal(event: Any, text: str) -> Literal | None:
    """The lines of a scalar event's literal block in the document `text`; None for any other scalar.

    None also without text, and where a line ends in what ends one for YAML 1.1 alone, unlike for editors.
    """
    if event.style != "|" or not event.value.strip():
        return None
    start, end = event.start_mark.index, event.end_mark.index
    header = _HEADER.match(text, start, end)
    if header is None or _OTHER_BREAK.search(text, start, end):
        return None
    return Literal(header.end(), _indentation(text, header.end()) - _indentation(event.value, 0))


def _indentation(text: str, index: int) -> int:
    """The spaces before the first line from `index` that has more than spaces."""
    found = _FIRST_INDENTED.match(text, index)
    return len(found[1]) if found else 0
