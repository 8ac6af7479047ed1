"""A review as a comment on a pull request: the verdict, a table, then details, within a number of characters.

What does not fit is left out, the least important first, and the last line says how much that is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.review.change import Kind
from kagent_render.review.effect import Effect
from kagent_render.review.markdown_text import cell, code, fenced, html_code, size
from kagent_render.review.review import verdict
from kagent_render.review.subject import BASE, HEAD, SubjectKind
from kagent_render.review.wording import (
    SIGNS,
    arrow,
    name_of,
    patch_lines,
    patch_title,
    values,
    what_changed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kagent_render.review.change import Change, Patch
    from kagent_render.review.review import Review
    from kagent_render.review.subject import Doubt, Subject

_TABLE: Final = "| agent | what changed | effect |\n|---|---|---|\n"
_SUFFIX: Final = "\n</details>\n"
_LINES: Final = 200
_MESSAGES: Final = 5
_FOOT: Final = 300
"""Characters that are kept for the line that says what was left out."""

_ROW, _DOUBT, _CHANGE, _PATCH = "row", "doubt", "change", "text"
_PLURALS: Final = {_ROW: "rows of the table", _DOUBT: "doubts", _CHANGE: "changes", _PATCH: "texts"}
_EFFECTS: Final = {
    Effect.WIDENS: "\N{WARNING SIGN}\N{VARIATION SELECTOR-16} **widens**",
    Effect.NARROWS: "narrows",
    Effect.NEUTRAL: "neutral",
}
_WEIGHT: Final = {Effect.WIDENS: 0, Effect.NARROWS: 1, Effect.NEUTRAL: 2}
_STAGES: Final = {_ROW: 0, _DOUBT: 1, _CHANGE: 2, _PATCH: 3}


@dataclass(frozen=True, slots=True)
class _Piece:
    """Something that is kept or left out as a whole; of a lower `rank` it is kept before the others."""

    kind: str
    subject: int
    text: str
    rank: tuple[int, int]


def markdown(review: Review, limit: int) -> str:
    """The comment, of at most `limit` characters; the verdict is always there."""
    head = f"{_verdict(review)}\n"
    if not review.subjects:
        return head
    pieces = list(_pieces(review))
    kept = _within(pieces, review, limit - size(head) - size(_TABLE) - 2 - _FOOT)
    parts = [head, "", _TABLE + "".join(piece.text for piece in kept if piece.kind == _ROW)]
    of_subject: defaultdict[int, list[_Piece]] = defaultdict(list)
    for piece in kept:
        if piece.kind != _ROW:
            of_subject[piece.subject].append(piece)
    for index in sorted(of_subject):
        parts.append(_summary(review.subjects[index]) + "".join(piece.text for piece in of_subject[index]))
        parts[-1] += _SUFFIX
    left_out = Counter(piece.kind for piece in pieces) - Counter(piece.kind for piece in kept)
    if left_out:
        parts.append(_left_out(left_out, pieces, limit))
    return "\n".join(part for part in parts if part)


def _verdict(review: Review) -> str:
    sign = f"{_EFFECTS[Effect.WIDENS].partition(' ')[0]} " if review.widens else ""
    return f"{sign}**{verdict(review)}** ({code(str(review.base))} → {code(str(review.head))})"


def _within(pieces: Sequence[_Piece], review: Review, room: int) -> list[_Piece]:
    """The pieces that fit, by their rank, in the order in which they stand."""
    chosen: set[int] = set()
    opened: set[int] = set()
    for position in sorted(range(len(pieces)), key=lambda at: (pieces[at].rank, at)):
        piece = pieces[position]
        cost = size(piece.text)
        if piece.kind != _ROW and piece.subject not in opened:
            cost += size(_summary(review.subjects[piece.subject])) + size(_SUFFIX) + 1
        if cost <= room:
            room -= cost
            chosen.add(position)
            if piece.kind != _ROW:
                opened.add(piece.subject)
    return [piece for position, piece in enumerate(pieces) if position in chosen]


def _left_out(counts: Mapping[str, int], pieces: Sequence[_Piece], limit: int) -> str:
    totals = Counter(piece.kind for piece in pieces)
    parts = [
        f"{counts[kind]:,} of {totals[kind]:,} {name}" for kind, name in _PLURALS.items() if counts[kind]
    ]
    return f"**Left out to stay within {limit:,} characters: {', '.join(parts)}**\n"


def _pieces(review: Review) -> Iterator[_Piece]:
    sides = {BASE: str(review.base), HEAD: str(review.head)}
    for index, subject in enumerate(review.subjects):
        weight = _WEIGHT[subject.effect]
        yield _Piece(_ROW, index, _row(subject), (_STAGES[_ROW], weight))
        for doubt in subject.doubts:
            yield _Piece(_DOUBT, index, _doubt(doubt, sides), (_STAGES[_DOUBT], weight))
        for change in subject.changes:
            rank = _WEIGHT[change.effect]
            yield _Piece(_CHANGE, index, _change(change), (_STAGES[_CHANGE], rank))
        for change in subject.changes:
            for patch in change.patches:
                rank = _WEIGHT[change.effect]
                yield _Piece(_PATCH, index, _patch(change, patch), (_STAGES[_PATCH], rank))


def _row(subject: Subject) -> str:
    sign = {Kind.ADDED: "new: ", Kind.REMOVED: "gone: "}.get(subject.kind or Kind.CHANGED, "")
    unsure = ", uncertain" if subject.is_doubtful else ""
    what = f"{what_changed(subject)}{unsure}"
    name = code(_named(subject))
    return f"| {sign}{cell(name)} | {cell(what)} | {_EFFECTS[subject.effect]} |\n"


def _named(subject: Subject) -> str:
    root = f" in {subject.root}" if subject.root and subject.what is not SubjectKind.ROOT else ""
    kind = f"{subject.what} " if subject.what is not SubjectKind.PAIR else ""
    return f"{kind}{subject.name}{root}"


def _summary(subject: Subject) -> str:
    return f"<details><summary>{html_code(_named(subject))}: {subject.effect.value}</summary>\n\n"


def _doubt(doubt: Doubt, sides: Mapping[str, str]) -> str:
    told = [f"- **{doubt.label}:** in {code(sides[doubt.side])}, {doubt.text}\n"]
    told += [f"  - {code(message)}\n" for message in doubt.messages[:_MESSAGES]]
    if len(doubt.messages) > _MESSAGES:
        told.append(f"  - and {len(doubt.messages) - _MESSAGES:,} more\n")
    return "".join(told)


def _change(change: Change) -> str:
    before, after = values(change)
    place = f" at {code(change.place)}" if change.place else ""
    name = f" {code(name_of(change))}" if change.name else ""
    told = ""
    if not change.patches and (before or after):
        old, new = (code(value) if value else "*(none)*" for value in (before, after))
        told = (
            f": {old} {arrow(before, after)} {new}"
            if change.kind is Kind.CHANGED
            else f": {code(before or after or '')}"
        )
    notes = [code(change.detail)] if change.detail else []
    notes += [change.note] if change.note else []
    notes += ["in the committed lock alone"] if change.committed else []
    note = f" ({'; '.join(notes)})" if notes else ""
    return (
        f"- {_EFFECTS[change.effect]} `{SIGNS[change.kind]}` {change.topic.title}{name}{place}{told}{note}\n"
    )


def _patch(change: Change, patch: Patch) -> str:
    of = " ".join(code(part) for part in (change.place, name_of(change)) if part)
    title = f" {code(patch_title(patch))}" if patch_title(patch) else ""
    head = " ".join(part for part in (f"{change.topic.title}{title}", f"of {of}" if of else "") if part)
    lines, more = patch_lines(patch, _LINES)
    cut = f"\n{more:,} more lines are left out\n" if more else ""
    return f"\n{head}\n\n{fenced(lines, 'diff')}\n{cut}" if lines else f"\n{head}\n"
