"""The change of one file as a unified diff."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_render.migration.objects import read_source
from kagent_render.migration.secrecy import hidden_lines
from kagent_render.review.hunks import unified

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.migration.files import FilePlan
    from kagent_render.migration.objects import SourceText

_WITHHELD: Final = "(not shown, because it may hold a credential)"
_UNENDED: Final = "\0"
"""What no text has; behind a last line, for the line feed that is not there."""


def patch_of(file: FilePlan, path: str) -> Iterator[str]:
    """What changes in one file, as `git apply` takes it; lines that may hold a credential are not shown."""
    old, new = read_source(file.path, file.before), read_source(file.path, file.after)
    yield f"--- {_quoted(f'a/{path}')}"
    yield f"+++ {_quoted(f'b/{path}')}"
    before, after = _ended(file.before.decode()), _ended(file.after.decode())
    for line in unified(before, after, lambda ours, theirs: (_without(ours, old), _without(theirs, new))):
        yield line.removesuffix(_UNENDED)
        if line.endswith(_UNENDED):
            yield "\\ No newline at end of file"


def _ended(text: str) -> str:
    """A text whose last line says whether nothing ended it."""
    return text if text.endswith("\n") else f"{text}{_UNENDED}\n"


def _quoted(name: str) -> str:
    """A name in the quotes that Git gives it where it has odd characters."""
    escaped = re.sub(r'["\\]', r"\\\g<0>", name)
    escaped = re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\{ord(found[0]):03o}", escaped)
    return name if escaped == name else f'"{escaped}"'


def _without(lines: list[str], source: SourceText) -> list[str]:
    hidden = hidden_lines(source)
    return [_WITHHELD if at in hidden else line for at, line in enumerate(lines)]
