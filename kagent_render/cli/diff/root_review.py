"""One root compared: nothing of it is prepared where both sides are the same tree."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.cli.output import CommittedFolder
from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.layout import Role, place_of
from kagent_render.review.review import RootReview
from kagent_render.review.subject import SubjectKind, review_subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kagent_render.cli.diff.reviewed_root import ReviewedRoot
    from kagent_render.cli.diff.sides import ComparedSide
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.emit.layout import Owner
    from kagent_render.review.review import ReviewedSide
    from kagent_render.review.side import SubjectSide
    from kagent_render.review.subject import Subject

    Sides = tuple[ComparedSide, ComparedSide]


@dataclass(frozen=True, slots=True)
class SideErrors:
    """What keeps something of one side of a root from being prepared."""

    side: ReviewedSide
    root: Root
    errors: Sequence[Diagnostic]


def review_root(
    old: Root | None, new: Root | None, sides: Sides, progress: Progress
) -> tuple[RootReview, list[SideErrors]]:
    """Compare one root, which at least one side has."""
    if old is not None and new is not None and _same_tree(old, sides):
        return RootReview((), _count(old)), []
    from kagent_render.cli.diff.reviewed_root import read_side

    before = read_side(old, sides[0].settings, progress) if old is not None else None
    after = read_side(new, sides[1].settings, progress) if new is not None else None
    errors = [
        SideErrors(side.told, found.root, [fault for fault in found.diagnostics if fault.is_error])
        for side, found in zip(sides, (before, after), strict=True)
        if found is not None
    ]
    return _review(before, after, sides, progress), errors


def _same_tree(old: Root, sides: Sides) -> bool:
    """Whether two commits have the very same files below the root."""
    commits = [side.told.commit for side in sides]
    if None in commits or old.config is None:
        return False
    if commits[0] == commits[1]:
        return True
    from kagent_render.source.revision import GitRevision

    folder = old.repository or old.folder
    trees = [GitRevision(folder, commit or "").tree(old.place) for commit in commits]
    return trees[0] is not None and trees[0] == trees[1]


def _count(root: Root) -> Counter[SubjectKind]:
    """The subjects of a root by their locks: nothing of it was prepared."""
    assert root.config is not None
    folder = CommittedFolder(root.committed, root.config.output)
    places = (place_of(entry.path) for entry in folder.entries())
    owners = [place.owner for place in places if place is not None and place.role is Role.LOCK]
    return Counter(_kind(owner) for owner in owners if owner is not None)


def _kind(owner: Owner) -> SubjectKind:
    return SubjectKind.PAIR if isinstance(owner, PairRef) else SubjectKind.AGENT


def _review(
    before: ReviewedRoot | None, after: ReviewedRoot | None, sides: Sides, progress: Progress
) -> RootReview:
    known = [side for side in (before, after) if side is not None]
    place = known[0].root.place
    old, new = (side.own if side is not None else None for side in (before, after))
    own = review_subject(SubjectKind.ROOT, place or ".", place, old, new)
    found = [own] if own is not None else []
    if any(side.preparation is None for side in known):
        return RootReview(tuple(found))  # nobody knows which agents such a side has
    old_subjects = before.subjects if before is not None else {}
    new_subjects = after.subjects if after is not None else _left(before, sides[1])
    owners = sorted({*old_subjects, *new_subjects}, key=_order)
    subjects = [
        (
            owner,
            review_subject(_kind(owner), str(owner), place, old_subjects.get(owner), new_subjects.get(owner)),
        )
        for owner in owners
    ]
    differing = [(owner, subject) for owner, subject in subjects if subject is not None]
    same = Counter(_kind(owner) for owner, subject in subjects if subject is None)
    return RootReview((*found, *_with_skills(differing, before, after, sides, progress)), same)


def _order(owner: Owner) -> tuple[bool, str]:
    return not isinstance(owner, PairRef), str(owner)


def _left(before: ReviewedRoot | None, side: ComparedSide) -> Mapping[Owner, SubjectSide]:
    """What a root that is gone has left in its place."""
    from kagent_render.cli.diff.reviewed_root import left_behind
    from kagent_render.cli.roots import files_at

    assert before is not None
    return left_behind(before, files_at(side.settings, before.root.place))


def _with_skills(
    subjects: Iterable[tuple[Owner, Subject]],
    before: ReviewedRoot | None,
    after: ReviewedRoot | None,
    sides: Sides,
    progress: Progress,
) -> Iterator[Subject]:
    """The subjects with the files of their skills, as far as these are at hand."""
    from kagent_render.cli.diff.skill_content import SkillContent, with_files

    old = SkillContent(before, sides[0].settings, progress)
    new = SkillContent(after, sides[1].settings, progress)
    for owner, subject in subjects:
        yield with_files(subject, owner, old, new) if isinstance(owner, PairRef) else subject
