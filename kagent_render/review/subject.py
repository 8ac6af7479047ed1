"""A pair, a PlatformAgent or a root with all that changed of it, and why one cannot be sure of that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from kagent_render.review import topics
from kagent_render.review.change import Change, Kind
from kagent_render.review.comparison import compare_facts, order
from kagent_render.review.coverage import unexplained
from kagent_render.review.effect import Effect
from kagent_render.review.side import MEANINGS, State, SubjectSide
from kagent_render.review.tree import Branch, draw_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.review.fact import Fact

BASE: Final = "base"
HEAD: Final = "head"


class SubjectKind(StrEnum):
    """What is reviewed."""

    PAIR = "pair"
    AGENT = "platform agent"
    ROOT = "root"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why one cannot be sure of a comparison; `side` is `base` or `head`.

    What is doubtful widens, but for a lock of the base that another release wrote: the head's replaces it.
    """

    side: str
    state: State
    text: str
    messages: tuple[str, ...] = ()

    @property
    def widens(self) -> bool:
        """Whether it has to be taken for the worst."""
        return not (self.side == BASE and self.state is State.RELEASE)

    @property
    def label(self) -> str:
        """What it begins with."""
        return "Uncertain" if self.widens else "Note"


@dataclass(frozen=True, slots=True)
class Subject:
    """One subject that differs, or of which one cannot be sure; `kind` None where nothing differs.

    `root` is the folder of its root, empty at the top. `revisions` are those of the locks on both sides.
    """

    what: SubjectKind
    name: str
    root: str
    kind: Kind | None
    changes: tuple[Change, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    tree: tuple[Branch, ...] = ()
    revisions: tuple[str | None, str | None] = (None, None)

    @property
    def effect(self) -> Effect:
        """The worst of it: a new subject widens, and so does what is doubtful."""
        if self.is_doubtful or self._is_new or any(change.widens for change in self.changes):
            return Effect.WIDENS
        narrowing = any(change.effect is Effect.NARROWS for change in self.changes)
        return Effect.NARROWS if narrowing or self.kind is Kind.REMOVED else Effect.NEUTRAL

    @property
    def is_doubtful(self) -> bool:
        """Whether one cannot be sure of it."""
        return any(doubt.widens for doubt in self.doubts)

    @property
    def _is_new(self) -> bool:
        return self.kind is Kind.ADDED and self.what is not SubjectKind.ROOT


def review_subject(
    what: SubjectKind, name: str, root: str, before: SubjectSide | None, after: SubjectSide | None
) -> Subject | None:
    """Compare one subject that at least one side has; None where it is the same and nothing is doubtful."""
    if before and after and before.is_current and after.is_current and before.files == after.files:
        return None
    doubts = (*_doubts(BASE, before), *_doubts(HEAD, after))
    old, new = _facts(before), _facts(after)
    changes = compare_facts(old, new) if old is not None and new is not None else ()
    changes = (*changes, *_unexplained(before, after, changes), *_earlier(before, after))
    changes = tuple(sorted((*changes, *_committed(before, after, changes)), key=order))
    kind = _kind(before, after, changes)
    if kind is None and not doubts:
        return None
    shown_old = old if old is not None else _lock_facts(before)
    shown_new = new if new is not None else _lock_facts(after)
    tree = draw_tree(shown_old, shown_new, changes)
    revisions = (before.revision if before else None, after.revision if after else None)
    return Subject(what, name, root, kind, changes, doubts, tree, revisions)


_OTHERWISE: Final = Change(
    topics.OTHER, "", "", Kind.CHANGED, Effect.WIDENS, None, None, note="its files differ otherwise"
)


def _unexplained(
    before: SubjectSide | None, after: SubjectSide | None, changes: tuple[Change, ...]
) -> tuple[Change, ...]:
    """Edits that no change tells; where there is not even an edit, that the files differ."""
    if before is None or after is None or before.prepared is None or after.prepared is None:
        return ()
    found: tuple[Change, ...] = ()
    if before.fields is not None and after.fields is not None:
        found = tuple(unexplained(before.fields(), after.fields(), changes))
    return found if changes or found or before.files == after.files else (_OTHERWISE,)


def _earlier(before: SubjectSide | None, after: SubjectSide | None) -> Iterator[Change]:
    """Retained manifests that are not as the base has them: nobody saw what they let an agent do."""
    if before is None or after is None or before.prepared is None:
        return
    for name, content in sorted(after.retained.items()):
        if before.files.get(name) != content:
            yield Change(topics.EARLIER, "", name, Kind.ADDED, Effect.WIDENS, None, None)


def _kind(before: SubjectSide | None, after: SubjectSide | None, changes: Iterable[Change]) -> Kind | None:
    was, now = _is_asked_for(before), _is_asked_for(after)
    if was != now:
        return Kind.ADDED if now else Kind.REMOVED
    return Kind.CHANGED if tuple(changes) else None


def _is_asked_for(side: SubjectSide | None) -> bool:
    return side is not None and side.state is not State.LEFT


def _doubts(name: str, side: SubjectSide | None) -> tuple[Doubt, ...]:
    if side is None or side.is_current:
        return ()
    return (Doubt(name, side.state, side.meaning or MEANINGS[side.state], side.messages),)


def _facts(side: SubjectSide | None) -> tuple[Fact, ...] | None:
    """What a side's manifests say; nothing where they do not ask for the subject."""
    if not _is_asked_for(side):
        return ()
    assert side is not None
    return side.prepared() if side.prepared is not None else None


def _lock_facts(side: SubjectSide | None) -> tuple[Fact, ...]:
    return side.committed() if side is not None and side.committed is not None else ()


def _committed(
    before: SubjectSide | None, after: SubjectSide | None, known: Iterable[Change]
) -> tuple[Change, ...]:
    """What changes between the locks and not between the manifests: a lock that was stale becomes current."""
    sides = [side for side in (before, after) if side is not None]
    unsure = any(side.state not in (State.CURRENT, State.RELEASE) for side in sides)
    if not unsure or any(side.committed is None and side.state is not State.MISSING for side in sides):
        return ()
    told = set(known)
    found = compare_facts(_lock_facts(before), _lock_facts(after))
    return tuple(replace(change, committed=True) for change in found if change not in told)
