"""A whole review: both sides, every subject that differs, and what it comes to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from kagent_render.review.effect import Effect
from kagent_render.review.subject import SubjectKind

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
        return [subject for subject in self.subjects if subject.doubts]


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
        f"{_counted(counts[effect], review)} {text if counts[effect] == 1 else texts}"
        for effect, text, texts in _VERBS
        if counts[effect]
    ]
    unsure = len(review.doubtful)
    doubts = f"; {unsure} {'is' if unsure == 1 else 'are'} uncertain" if unsure else ""
    same = f"; {_same(review)}" if _same(review) else ""
    return f"{', '.join(parts)}{doubts}{same}"


_VERBS: Final = (
    (Effect.WIDENS, "widens what an agent may do or reach", "widen what an agent may do or reach"),
    (Effect.NARROWS, "narrows it", "narrow it"),
    (Effect.NEUTRAL, "changes and widens nothing", "change and widen nothing"),
)


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
