"""The two sides of a review, as BASE and HEAD name them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.diagnostics.text import printable
from kagent_render.review.review import ReviewedSide
from kagent_render.source.merge_base import commit_of, is_bare, merge_base
from kagent_render.source.repository import RepositoryError

if TYPE_CHECKING:
    from pathlib import Path

    from kagent_render.cli.options import Settings

_WORK_TREE = "the work tree"
_INDEX = "the index"


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One side: how it is told, and the settings with which its roots are opened."""

    told: ReviewedSide
    settings: Settings


def compared_sides(
    base: str | None, head: str | None, settings: Settings
) -> tuple[ComparedSide, ComparedSide]:
    """Both sides: `BASE HEAD`, `BASE..HEAD`, or `BASE...HEAD` from the commit that both have in common.

    As with `git diff`, an end that the last two leave out is HEAD, and a HEAD that is not given at all is the
    work tree, or the index where that is asked for.
    """
    place = _existing(settings.path)
    first, second, common = _ends(base, head)
    if second is not None and settings.staged:
        raise click.UsageError("`--staged` compares the index, so HEAD must not be given")
    try:
        if second is None and not settings.staged and is_bare(place):
            raise click.UsageError("a bare repository has no work tree: give both BASE and HEAD")
    except RepositoryError as error:
        raise EnvironmentFailure(str(error), "run it in a Git repository") from None
    after = ReviewedSide(_INDEX if settings.staged else _WORK_TREE)
    if second is not None:
        after = ReviewedSide(second, _commit(place, second))
    before = ReviewedSide(first, _commit(place, first))
    if common:
        before = _common(place, first, second or "HEAD")
    return _side(before, settings), _side(after, settings)


def _ends(base: str | None, head: str | None) -> tuple[str, str | None, bool]:
    """BASE and HEAD as given, HEAD None for what is not committed, and whether to start in common."""
    if base is None or ".." not in base:
        return base or "HEAD", head, False
    if head is not None:
        raise click.UsageError(f"`{printable(base)}` names both sides already")
    common = "..." in base
    first, _, second = base.partition("..." if common else "..")
    return first or "HEAD", second or "HEAD", common


def _side(told: ReviewedSide, settings: Settings) -> ComparedSide:
    staged = settings.staged and told.commit is None
    return ComparedSide(told, dataclasses.replace(settings, revision=told.commit, staged=staged))


def _commit(place: Path, revision: str) -> str:
    try:
        return commit_of(place, revision)
    except RepositoryError as error:
        raise EnvironmentFailure(printable(str(error)), _fetching(revision)) from None


def _common(place: Path, first: str, second: str) -> ReviewedSide:
    try:
        return ReviewedSide(f"where {second} left {first}", merge_base(place, first, second))
    except RepositoryError as error:
        hint = "fetch more of its history: `git fetch --unshallow`, or `fetch-depth: 0` in actions/checkout"
        raise EnvironmentFailure(printable(str(error)), hint) from None


def _fetching(revision: str) -> str:
    """What brings a commit that a clone lacks: a clone of one commit has no other."""
    remote, _, branch = revision.partition("/")
    named = f"{remote} {branch}" if remote in ("origin", "upstream") and branch else f"origin {revision}"
    return f"fetch it: `git fetch {printable(named)}`, or `fetch-depth: 0` in actions/checkout"


def _existing(path: Path) -> Path:
    """The nearest folder that is there: a root may be on one side only."""
    absolute = path.resolve()
    return next(folder for folder in (absolute, *absolute.parents) if folder.is_dir())
