"""How a review says things, the same in text, Markdown and HTML; whatever is printed fits on one line."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final
from unicodedata import bidirectional

from kagent_render.artifacts.source_identity import shortened
from kagent_render.diagnostics.text import inert, printable
from kagent_render.review.change import Kind
from kagent_render.review.comparison import LONGEST_VALUE
from kagent_render.review.effect import Effect
from kagent_render.review.subject import SubjectKind
from kagent_render.review.topics import RANK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.review.change import Change, Patch
    from kagent_render.review.subject import Doubt, Subject

SIGNS: Final[Mapping[Kind | None, str]] = {
    Kind.ADDED: "+",
    Kind.REMOVED: "-",
    Kind.CHANGED: "~",
    None: " ",
}
"""What marks each kind of change."""

_LEFTWARD: Final = frozenset({"R", "AL", "AN"})
_MARK: Final = "\N{LEFT-TO-RIGHT MARK}"
_LONGEST_PIECE: Final = 1_000
"""Characters of a line of a patch; a longer one is told in several."""


def one_line(text: str, longest: int = LONGEST_VALUE) -> str:
    """A text on one line, without control characters, and cut where it is long."""
    line = _without_commands(printable(" ".join(text.split("\n")).replace("\t", "    ")))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _without_commands(line: str) -> str:
    """A line that no runner of jobs takes for a command: what it prints may stand in a log."""
    body = line.lstrip()
    if body.startswith("::"):
        line = f"{line[: len(line) - len(body)]}\\{body}"
    return inert(line)


def patch_lines(patch: Patch, most: int) -> tuple[list[str], int]:
    """The lines of a patch that are shown, and how many more there are; none of them is cut."""
    lines = [piece for line in patch.lines for piece in _pieces(line)]
    return [patch_line(line) for line in lines[:most]], max(len(lines) - most, 0)


def _pieces(line: str) -> Iterator[str]:
    """A line with its sign, in pieces; each but the first begins with an ellipsis."""
    sign, text = line[:1], line[1:]
    for start in range(0, len(text) or 1, _LONGEST_PIECE):
        yield f"{sign}{'…' if start else ''}{text[start : start + _LONGEST_PIECE]}"


def patch_line(text: str) -> str:
    """One line of a patch, its tabs and control characters written out."""
    return text[:1] + one_line(text[1:], 5 * _LONGEST_PIECE)


def values(change: Change) -> tuple[str | None, str | None]:
    """Value before and after, each cut to one line; None where there is nothing to show.

    Digests and commits are shortened, unless two would then look the same.
    """
    before, after = (one_line(value) if value else None for value in (change.before, change.after))
    old, new = (shortened(value) if value else None for value in (before, after))
    return (before, after) if old == new else (old, new)


def arrow(*values: str | None) -> str:
    """What leads from a value to the next: between letters that run leftward, it would lead back."""
    leftward = any(bidirectional(letter) in _LEFTWARD for value in values for letter in value or "")
    return f"{_MARK}→{_MARK}" if leftward else "→"


def name_of(change: Change) -> str:
    """What a change is of, its digests shortened."""
    return shortened(one_line(change.name))


def what_changed(subject: Subject) -> str:
    """The topics of a subject's changes, counted, those of the worst effect first."""
    if subject.kind is Kind.ADDED:
        return f"new {subject.what}" if subject.what is not SubjectKind.ROOT else "new root"
    if subject.kind is Kind.REMOVED:
        return "removed"
    weighed = sorted(subject.changes, key=lambda change: (_WEIGHT[change.effect], RANK[change.topic.name]))
    counts = Counter(change.topic.title for change in weighed)
    shown = [f"{title} ×{number}" if number > 1 else title for title, number in counts.items()]
    more = f", and {len(shown) - _NAMED} more" if len(shown) > _NAMED else ""
    return ", ".join(shown[:_NAMED]) + more if shown else "nothing in the manifests"


_NAMED: Final = 5
_WEIGHT: Final = {Effect.WIDENS: 0, Effect.NARROWS: 1, Effect.NEUTRAL: 2}


def doubt_text(doubt: Doubt, sides: Mapping[str, str]) -> str:
    """A doubt as a sentence; `sides` says how each side is called."""
    return f"in {sides[doubt.side]}, {doubt.text}"


def patch_title(patch: Patch) -> str:
    """The head of a file's patch."""
    parts = (f"{patch.path} {patch.kind}" if patch.path else "", patch.note)
    return "; ".join(part for part in parts if part)


def effects(subject: Subject) -> Mapping[Effect, int]:
    """How many changes have each effect."""
    return {effect: sum(change.effect is effect for change in subject.changes) for effect in Effect}
