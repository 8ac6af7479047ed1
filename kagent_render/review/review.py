"""A whole review: both sides, every subject that differs, and what it comes to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from kagent_render.review.effect import Effect
from kagent_render.review.side import State
from kagent_render.review.subject import HEAD, SubjectKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kagent_render.review.subject import Subject

NOTHING: Final = "No agent changed"
"""How a review begins that found nothing."""


@dataclass(frozen=True, slots=True)
class ReviewedSide:
    """One side as it was asked for; `commit` is None for the work tree and the index."""

    name: str
    commit: str | None = None

    def __str__(self) -> str:
        if self.commit is None:
            return self.name
        short = self.commit[:12]
        return short if self.commit.startswith(self.name) else f"{self.name} ({short})"


@dataclass(frozen=True, slots=True)
class RootReview:
    """What one root contributes."""

    subjects: tuple[Subject, ...] = ()
    same: Mapping[SubjectKind, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Review:
    """What changed from base to head; `same` counts the subjects that are the same on both sides."""

    base: ReviewedSide
    head: ReviewedSide
    subjects: tuple[Subject, ...] = ()
    same: Mapping[SubjectKind, int] = field(default_factory=dict)

    @property
    def differs(self) -> bool:
        """Whether anything changed, or nobody can say that nothing did."""
        return bool(self.subjects)

    @property
    def widens(self) -> bool:
        """Whether anything widens, doubts included."""
        return any(subject.effect is Effect.WIDENS for subject in self.subjects)

    @property
    def doubtful(self) -> Sequence[Subject]:
        """The subjects of which one cannot be sure."""
        return [subject for subject in self.subjects if subject.is_doubtful]

    @property
    def is_unrendered(self) -> bool:
        """Whether rendering what is not committed yet would end a doubt."""
        doubts = (doubt for subject in self.subjects for doubt in subject.doubts)
        return self.head.commit is None and any(
            doubt.side == HEAD and doubt.state in (State.MISSING, State.STALE) for doubt in doubts
        )

    @property
    def released(self) -> Sequence[Subject]:
        """The subjects whose locks in the base another release wrote."""
        doubts = ((subject, doubt) for subject in self.subjects for doubt in subject.doubts)
        return [subject for subject, doubt in doubts if not doubt.widens]


def merged(review: Review, parts: Iterable[RootReview]) -> Review:
    """The review with what each root contributes, roots in their order."""
    subjects, same = list(review.subjects), Counter(review.same)
    for part in parts:
        subjects += part.subjects
        same.update(part.same)
    return replace(review, subjects=tuple(subjects), same=dict(same))


def verdict(review: Review) -> str:
    """One sentence on all of it, without any name."""
    if not review.subjects:
        return f"{NOTHING}: {_same(review) or 'neither side has any'}"
    counts = Counter(subject.effect for subject in review.subjects)
    parts = [
        f"{_counted(counts[effect], review)} {verb if counts[effect] == 1 else verbs}"
        for effect, verb, verbs in _VERBS
        if counts[effect]
    ]
    parts[0] = parts[0].replace(_IT, _REACH)
    notes = [_uncertain(len(review.doubtful)), _released(len(review.released)), _same(review)]
    return "; ".join([", ".join(parts), *filter(None, notes)])


_IT: Final = " it"
_REACH: Final = " what an agent may do or reach"
_VERBS: Final = (
    (Effect.WIDENS, f"widens{_IT}", f"widen{_IT}"),
    (Effect.NARROWS, f"narrows{_IT}", f"narrow{_IT}"),
    (Effect.NEUTRAL, "changes and widens nothing", "change and widen nothing"),
)


def _uncertain(number: int) -> str:
    return f"{number} {'is' if number == 1 else 'are'} uncertain, which counts as widening" if number else ""


def _released(number: int) -> str:
    of = "the lock of 1 was" if number == 1 else f"the locks of {number} were"
    return f"{of} written by another release" if number else ""


def _counted(number: int, review: Review) -> str:
    kinds = {subject.what for subject in review.subjects}
    noun = next(iter(kinds)).value if len(kinds) == 1 else "subject"
    return f"{number} {noun}{'s' if number != 1 else ''}"


def _same(review: Review) -> str:
    shown = (SubjectKind.PAIR, SubjectKind.AGENT)
    parts = [
        f"{number} {kind.value}{'s' if number != 1 else ''}"
        for kind in shown
        if (number := review.same.get(kind, 0))
    ]
    total = sum(review.same.get(kind, 0) for kind in shown)
    return f"{' and '.join(parts)} {'is' if total == 1 else 'are'} the same" if parts else ""
