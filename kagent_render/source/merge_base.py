"""The commit that two branches have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.source.repository import RepositoryError, open_repository, resolve_commit

if TYPE_CHECKING:
    from pathlib import Path


def is_bare(path: Path) -> bool:
    """Whether the repository at or above `path` has no work tree; raises RepositoryError where none is."""
    return open_repository(path).bare


def commit_of(path: Path, revision: str) -> str:
    """The full id of the commit that a revision names; raises RepositoryError."""
    return resolve_commit(open_repository(path), revision).id.decode("ascii")


def merge_base(path: Path, first: str, second: str) -> str:
    """The id of the best commit that both revisions descend from; raises RepositoryError where none is known.

    Of several that are equally good the first by id is taken, so that every run takes the same.
    """
    from dulwich.graph import find_merge_base

    repository = open_repository(path)
    commits = [resolve_commit(repository, revision) for revision in (first, second)]
    try:
        found = find_merge_base(repository, [commit.id for commit in commits])
    except (KeyError, AssertionError, ValueError, OSError):
        found = []
    if not found:
        raise RepositoryError(f"`{first}` and `{second}` have no commit in common in this repository")
    return min(found).decode("ascii")
