"""The two ends of `commit`: the revision that is rendered, and the branch that gets the output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.publication.tree_folder import TreeFolder
from kagent_render.source.reader import MemoryFiles
from kagent_render.source.repository import open_repository
from kagent_render.source.revision import GitRevision
from kagent_render.source.roots import config_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kagent_render.cli.roots import Root
    from kagent_render.source.reader import Reader


@dataclass(frozen=True, slots=True)
class Source:
    """The commit that is rendered, with all its files, the roots that PATH means, and where PATH is."""

    commit: str
    files: Reader
    roots: Sequence[Root]
    inside: str

    def has_root(self, place: str) -> bool:
        """Whether a folder is a root at the revision."""
        return self.files.exists(config_path(place))


@dataclass(frozen=True, slots=True)
class Tip:
    """Where an output branch is: a commit with its files, or nothing yet."""

    repository: Path
    commit: str | None
    files: Reader
    listed: tuple[str, ...]

    def folder(self, path: str) -> TreeFolder:
        """A folder of the commit, links and all."""
        from dulwich.objects import Commit, ObjectID

        opened = open_repository(self.repository)
        if self.commit is None:
            return TreeFolder(opened, None, path)
        commit = opened[ObjectID(self.commit.encode("ascii"))]
        assert isinstance(commit, Commit)
        return TreeFolder(opened, commit.tree, path)


def open_tip(repository: Path, commit: str | None) -> Tip:
    """The files of a branch at a commit; raises RepositoryError."""
    if commit is None:
        return Tip(repository, None, MemoryFiles({}), ())
    files = GitRevision(repository, commit)
    return Tip(repository, commit, files, files.files(hidden=True).paths)
