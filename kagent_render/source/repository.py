"""Finds and opens Git repositories, and turns a revision's text into a commit."""

from __future__ import annotations

import re
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kagent_render.source.reader import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dulwich.objects import Commit, ObjectID
    from dulwich.repo import Repo

_REVISION = re.compile(r"(?P<base>.+?)(?P<steps>(?:[~^][0-9]{0,4})*)")
_STEP = re.compile(r"([~^])([0-9]*)")


class RepositoryError(Exception):
    """A repository that cannot be opened, or a revision that it does not have."""


def top_level(path: Path) -> Path | None:
    """The folder of the Git work tree that `path` is in; None outside of any."""
    resolved = path.resolve()
    return next((folder for folder in (resolved, *resolved.parents) if (folder / ".git").exists()), None)


def open_repository(path: Path) -> Repo:
    """The repository at or above `path`: a work tree's, a linked work tree's or a bare one."""
    from dulwich.errors import NotGitRepository
    from dulwich.repo import Repo, UnsupportedExtension, UnsupportedVersion

    try:
        return Repo.discover(path)
    except NotGitRepository:
        raise RepositoryError(f"`{path}` is not in a Git repository") from None
    except (UnsupportedExtension, UnsupportedVersion) as error:
        problem = f"the Git repository at `{path}` has a format that this program does not know: {error}"
        raise RepositoryError(problem) from None
    except (OSError, ValueError, KeyError) as error:
        raise RepositoryError(f"the Git repository at `{path}` cannot be opened: {error}") from None


def object_id_of(repository: Path, content: bytes) -> str:
    """The id that a file with this content has in a repository."""
    from dulwich.objects import Blob

    return Blob.from_string(content).get_id(open_repository(repository).object_format).decode("ascii")


def is_unborn(repository: Path) -> bool:
    """Whether a repository can be read and nothing was committed to its branch yet."""
    opened = open_repository(repository)
    try:
        opened.head()
    except KeyError:
        return not opened.get_refs()
    return False


def resolve_commit(repository: Repo, revision: str) -> Commit:
    """The commit that HEAD, a branch, a tag, a full or abbreviated id names, with `~` and `^` steps."""
    from dulwich.objectspec import parse_commit

    match = _REVISION.fullmatch(revision)
    if match is None:
        raise RepositoryError(f"`{revision}` is not a Git revision")
    try:
        base = "HEAD" if match["base"] == "@" else match["base"]
        commit = parse_commit(repository, base)
        for step, count in _STEP.findall(match["steps"]):
            commit = _step(repository, commit, step, int(count or 1))
    except Exception as error:
        # dulwich has no one base for what a name, an ambiguous id or a damaged object raises.
        raise RepositoryError(f"the repository has no commit `{revision}`") from error
    return commit


@contextmanager
def object_faults(path: str) -> Iterator[None]:
    """Turns what reading a missing or damaged Git object raises into a ReadError about `path`."""
    from dulwich.errors import ChecksumMismatch, FileFormatException, NotTreeError

    try:
        yield
    except KeyError:
        raise ReadError(path, "has a Git object that the repository lacks") from None
    except (
        ChecksumMismatch,
        FileFormatException,
        NotTreeError,
        ValueError,
        OSError,
        zlib.error,
        AssertionError,
    ):
        raise ReadError(path, "has a damaged Git object") from None


def _step(repository: Repo, commit: Commit, step: str, count: int) -> Commit:
    if step == "^":
        return _commit(repository, commit.parents[count - 1]) if count else commit
    for _ in range(count):
        commit = _commit(repository, commit.parents[0])
    return commit


def _commit(repository: Repo, identifier: ObjectID) -> Commit:
    from dulwich.objects import Commit

    found = repository[identifier]
    if not isinstance(found, Commit):
        raise KeyError(identifier)
    return found
