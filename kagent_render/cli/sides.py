"""The sides of a merge that is under way, as Git names them to its drivers and hooks and in its own files."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from kagent_render.source.head import commits_named, head_commit
from kagent_render.source.repository import RepositoryError

if TYPE_CHECKING:
    from pathlib import Path

    from kagent_render.source.revision import GitRevision

_MERGED: Final = re.compile(r"GITHEAD_([0-9a-f]{40}|[0-9a-f]{64})")
_PICKED: Final = ("CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")


def merged_commits(repository: Path) -> tuple[str, ...]:
    """The other sides of a `git merge`: from its environment while it works, from its file after."""
    named = (found[1] for name in os.environ if (found := _MERGED.fullmatch(name)))
    return tuple(dict.fromkeys((*named, *commits_named(repository, "MERGE_HEAD"))))


def commits_under_way(repository: Path) -> tuple[str, ...]:
    """HEAD and every other side of what Git could not finish; empty where nothing is under way."""
    others = list(merged_commits(repository))
    for file in _PICKED:
        others += commits_named(repository, file)
    head = head_commit(repository)
    return tuple(dict.fromkeys((head, *others))) if others and head is not None else ()


def open_commit(repository: Path, commit: str) -> GitRevision | None:
    """The files of a side; None where the repository does not have them."""
    from kagent_render.source.revision import GitRevision

    try:
        return GitRevision(repository, commit)
    except RepositoryError:
        return None
