"""Holds a commit of a remote repository against itself, in a copy that goes as soon as it was read."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kagent_apply.cli.server.commit_check import check_commit
from kagent_apply.cluster.backoff import Backoff
from kagent_apply.cluster.committed import Committed, CommitUnreadableError
from kagent_apply.embedded.folder_lock import lock_folder
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.revisions.commit_copy import copy_commit
from kagent_apply.revisions.repository import RefError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kagent_render.artifacts.port import FetchContext


class RemoteCommitCheck:
    """Reads the commit that was read last of a ref, which `newest` names; one that was read is remembered.

    After a failure the server is left alone for a while, which grows from `first_wait` seconds to minutes.
    """

    def __init__(
        self,
        url: str,
        newest: Callable[[], str],
        folder: Path,
        context: FetchContext | None = None,
        *,
        first_wait: float = 5.0,
    ) -> None:
        self._url = url
        self._newest = newest
        self._folder = folder
        self._context = context
        self._known: Committed | None = None
        self._backoff = Backoff(first_wait, 300.0)
        self._failed: tuple[str, float, str] = ("", 0.0, "")

    def __call__(self) -> Committed:
        """What the newest commit says; raises CommitUnreadableError."""
        commit = self._newest()
        if not commit:
            raise CommitUnreadableError("the ref has not been read since the start")
        if self._known is None or self._known.commit != commit:
            self._known = self._read(commit)
        return self._known

    def _read(self, commit: str) -> Committed:
        failed, until, problem = self._failed
        if failed == commit and time.monotonic() < until:
            raise CommitUnreadableError(problem)
        try:
            found = self._checked(commit)
        except CommitUnreadableError as error:
            self._failed = commit, time.monotonic() + self._backoff.next(), str(error)
            raise
        self._backoff.reset()
        return found

    def _checked(self, commit: str) -> Committed:
        try:
            with _own_folder(self._folder) as place:
                copy_commit(self._url, commit, place, self._context)
                return check_commit(place, commit)
        except RefError as error:
            raise CommitUnreadableError(str(error)) from None
        except OSError as error:
            cause = (error.strerror or "it failed").lower()
            raise CommitUnreadableError(
                f"the commit cannot be kept in the folder of the state: {cause}"
            ) from None


@contextmanager
def _own_folder(folder: Path) -> Iterator[Path]:
    """A place below a folder that no other process uses, without what one left that was killed."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        lock = lock_folder(folder, 0.0)
    except ControlError:
        raise CommitUnreadableError("another server reads a commit in the folder of the state") from None
    place = folder / "commit"
    try:
        _remove(place)
        yield place
    finally:
        _remove(place)
        os.close(lock)


def _remove(place: Path) -> None:
    if place.exists():
        shutil.rmtree(place)
