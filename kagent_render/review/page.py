"""A review as one page of HTML that asks for nothing: no script, no font, no picture from anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.graph.picture import STYLE, draw_tree
from kagent_render.graph.picture_node import Mark, PictureNode
from kagent_render.review.change import Kind
from kagent_render.review.effect import DEDICATED, Effect
from kagent_render.review.review import verdict
from kagent_render.review.subject import BASE, HEAD, SubjectKind
from kagent_render.review.wording import (
    SIGNS,
    doubt_text,
    effects,
    name_of,
    one_line,
    patch_lines,
    patch_title,
    values,
    what_changed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.review.change import Change, Patch
    from kagent_render.review.review import Review
    from kagent_render.review.subject import Doubt, Subject
    from kagent_render.review.tree import Branch

_TEMPLATE: Final = "review.html.j2"
_LINES: Final = 2_000
_MARKS: Final = {Kind.ADDED: Mark.ADDED, Kind.REMOVED: Mark.REMOVED, Kind.CHANGED: Mark.CHANGED}
_CLASSES: Final = {"+": "added", "-": "removed", "@": "place"}


@dataclass(frozen=True, slots=True)
class _Entry:
    """One subject with what the template cannot work out by itself."""

    subject: Subject
    anchor: str
    name: str
    root: str
    what: str
    doubts: tuple[tuple[Doubt, str], ...]
    picture: str
    places: tuple[tuple[str, tuple[Change, ...]], ...]


def page(review: Review) -> str:
    """The whole page; the same review gives the same bytes."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("kagent_render.review"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        line=one_line,
        name=name_of,
        values=values,
        title=patch_title,
        lines=_patch_lines,
        cut=_cut,
        effects=effects,
    )
    return environment.get_template(_TEMPLATE).render(
        review=review,
        verdict=verdict(review),
        entries=[_entry(index, subject, review) for index, subject in enumerate(review.subjects)],
        signs=SIGNS,
        widens=Effect.WIDENS,
        style=STYLE,
    )


def _entry(index: int, subject: Subject, review: Review) -> _Entry:
    sides = {BASE: str(review.base), HEAD: str(review.head)}
    kind = f"{subject.what} " if subject.what is not SubjectKind.PAIR else ""
    root = subject.root if subject.what is not SubjectKind.ROOT else ""
    return _Entry(
        subject,
        f"s{index}",
        f"{kind}{one_line(subject.name)}",
        one_line(root),
        what_changed(subject),
        tuple((doubt, doubt_text(doubt, sides)) for doubt in subject.doubts),
        _picture(index, subject),
        _by_place(subject),
    )


def _by_place(subject: Subject) -> tuple[tuple[str, tuple[Change, ...]], ...]:
    """The changes of each agent together."""
    found: dict[str, list[Change]] = {}
    for change in subject.changes:
        found.setdefault(change.place, []).append(change)
    return tuple((place, tuple(changes)) for place, changes in sorted(found.items()))


def _picture(index: int, subject: Subject) -> str:
    """The tree of a pair or platform agent; a root has none."""
    if subject.what is SubjectKind.ROOT:
        return ""
    own = any(not change.place for change in subject.changes)
    kind = subject.kind if subject.kind is not Kind.CHANGED or own else None
    root = PictureNode(
        subject.name.rpartition("/")[2],
        mark=_MARKS.get(kind) if kind is not None else None,
        dedicated=True,
        children=_children(subject.tree, ""),
    )
    return draw_tree(root, f"{index + 1}: agents of {subject.name}")


def _children(branches: Sequence[Branch], parent: str) -> tuple[PictureNode, ...]:
    return tuple(
        PictureNode(
            branch.name,
            branch.template,
            (branch.note,) if branch.note else (),
            dedicated=branch.note == DEDICATED,
            mark=_MARKS.get(branch.kind) if branch.kind is not None else None,
            children=_children(branches, branch.path),
        )
        for branch in branches
        if branch.path.rpartition("/")[0] == parent
    )


def _patch_lines(patch: Patch) -> list[tuple[str, str]]:
    """Each line that is shown, with the class of its kind."""
    lines, _ = patch_lines(patch, _LINES)
    return [(_CLASSES.get(line[:1], "same"), line) for line in lines]


def _cut(patch: Patch) -> int:
    """How many lines are not shown."""
    return patch_lines(patch, _LINES)[1]


_FILTERS: Final = {
    "line": one_line,
    "name": name_of,
    "values": values,
    "title": patch_title,
    "lines": _patch_lines,
    "cut": _cut,
    "effects": effects,
}
"""What the template calls; every text of a manifest goes through one of them."""
