"""A review on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.style import Style
from kagent_render.review.change import Kind
from kagent_render.review.effect import Effect
from kagent_render.review.review import verdict
from kagent_render.review.subject import BASE, HEAD, SubjectKind
from kagent_render.review.wording import (
    SIGNS,
    doubt_text,
    name_of,
    one_line,
    patch_lines,
    patch_title,
    values,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kagent_render.review.change import Change, Patch
    from kagent_render.review.review import Review
    from kagent_render.review.subject import Doubt, Subject
    from kagent_render.review.tree import Branch

_RENDER: Final = "run `kagent-render render` first, so that what is compared is what will run"
_MESSAGES: Final = 5
_LINES: Final = 200
_WIDTH: Final = len(Effect.NARROWS.value)


def text_lines(review: Review, style: Style) -> Iterator[str]:
    """Every line of it: the verdict, then each subject with its tree and its changes."""
    base, head = (style.bold(one_line(str(side))) for side in (review.base, review.head))
    yield f"{base} {style.dim('→')} {head}"
    paint = style.bad if review.widens else style.good
    yield paint(verdict(review))
    if review.is_unrendered:
        yield f"  {style.hint('hint')}: {_RENDER}"
    sides = {BASE: str(review.base), HEAD: str(review.head)}
    for subject in review.subjects:
        yield ""
        yield from _subject(subject, sides, style)


def _subject(subject: Subject, sides: Mapping[str, str], style: Style) -> Iterator[str]:
    root = f" in {one_line(subject.root)}" if subject.root and subject.what is not SubjectKind.ROOT else ""
    kind = f"{subject.what} " if subject.what is not SubjectKind.PAIR else ""
    head = f"{_sign(subject.kind, style)} {style.bold(f'{kind}{one_line(subject.name)}{root}')}"
    yield f"{head}  {_effect(subject.effect, style)}"
    for doubt in subject.doubts:
        yield from _doubt(doubt, sides, style)
    yield from _tree(subject.tree, style)
    places = max((len(one_line(change.place)) for change in subject.changes), default=0)
    titles = max((len(change.topic.title) for change in subject.changes), default=0)
    for change in subject.changes:
        yield from _change(change, titles, places, style)


def _doubt(doubt: Doubt, sides: Mapping[str, str], style: Style) -> Iterator[str]:
    yield f"  {style.bad('!')} {one_line(doubt_text(doubt, sides))}"
    for message in doubt.messages[:_MESSAGES]:
        yield f"      {style.dim(one_line(message))}"
    if len(doubt.messages) > _MESSAGES:
        yield f"      {style.dim(f'and {len(doubt.messages) - _MESSAGES} more')}"


def _tree(branches: Sequence[Branch], style: Style) -> Iterator[str]:
    """The tree with a mark before each line, notes one below the other."""
    lines = [
        (branch, f"{_indent(branches, index)}{one_line(branch.name)}")
        for index, branch in enumerate(branches)
    ]
    width = max((len(line) for _, line in lines), default=0)
    for branch, line in lines:
        widens = f"  {_effect(Effect.WIDENS, style)}" if branch.widens else ""
        notes = "  ".join(one_line(note) for note in (branch.template, branch.note) if note)
        yield f"  {_sign(branch.kind, style)} {line:<{width}}  {style.dim(notes)}{widens}".rstrip()


def _indent(branches: Sequence[Branch], index: int) -> str:
    """The lines that lead to a branch: one for each level that goes on below it."""
    depth = branches[index].depth
    goes_on = []
    for level in range(1, depth + 1):
        below = (branch.depth for branch in branches[index + 1 :])
        goes_on.append(next((found for found in below if found <= level), 0) == level)
    outer = "".join("│  " if more else "   " for more in goes_on[:-1])
    return f"{outer}{'├─' if goes_on[-1] else '└─'} "


def _change(change: Change, titles: int, places: int, style: Style) -> Iterator[str]:
    place = f"{one_line(change.place):<{places}}  " if places else ""
    head = f"{change.topic.title:<{titles}}  {style.dim(place)}"
    effect = _effect(change.effect, style, _WIDTH)
    told = "  ".join(part for part in (name_of(change), _values(change, style)) if part)
    yield f"  {effect}  {_sign(change.kind, style)} {head}{told}".rstrip()
    for patch in change.patches:
        yield from _patch(patch, style)


def _values(change: Change, style: Style) -> str:
    before, after = values(change)
    arrow = style.dim("→")
    told = (
        f"{before or '(none)'} {arrow} {after or '(none)'}"
        if change.kind is Kind.CHANGED
        else before or after
    )
    if change.patches or (before, after) == (None, None):
        told = ""
    notes = [one_line(change.detail)] if change.detail else []
    notes += [change.note] if change.note else []
    notes += ["in the committed lock alone"] if change.committed else []
    return " ".join(part for part in (told, style.dim(f"({'; '.join(notes)})") if notes else "") if part)


def _patch(patch: Patch, style: Style) -> Iterator[str]:
    title = patch_title(patch)
    if title:
        yield f"      {style.bold(one_line(title))}"
    lines, more = patch_lines(patch, _LINES)
    for line in lines:
        yield f"      {_coloured(line, style)}"
    if more:
        yield f"      {style.dim(f'{more} more lines are left out; `-o json` has them')}"


def _coloured(line: str, style: Style) -> str:
    paint = {"+": style.good, "-": style.bad, "@": style.frame}.get(line[:1])
    return paint(line) if paint else line


def _sign(kind: Kind | None, style: Style) -> str:
    sign = SIGNS[kind]
    if kind is Kind.ADDED:
        return style.good(sign)
    return style.bad(sign) if kind is Kind.REMOVED else style.hint(sign)


def _effect(effect: Effect, style: Style, width: int = 0) -> str:
    text = f"{effect.value:<{width}}"
    if effect is Effect.WIDENS:
        return style.bold(style.bad(text))
    return style.good(text) if effect is Effect.NARROWS else style.dim(text)
