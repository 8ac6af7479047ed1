"""What was committed before: locks and manifests at HEAD, or on disk where there is no Git."""

from __future__ import annotations

import functools
from functools import cached_property
from typing import TYPE_CHECKING

from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.cli.memory import program_identity
from kagent_render.cli.sides import merged_commits, open_commit
from kagent_render.emit.layout import AGENT_PLUGINS, LOCK
from kagent_render.preparation.memo import digest_key
from kagent_render.revision.lock_history import (
    decode_histories,
    encode_histories,
    join_histories,
    read_history,
)
from kagent_render.source.config_reading import read_config
from kagent_render.source.head import head_commit
from kagent_render.source.reader import MovedFolder, ReadError, Subfolder
from kagent_render.source.repository import RepositoryError, is_unborn
from kagent_render.source.roots import config_path, folder_of, likely_origins, roots_among

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.cli.options import Settings
    from kagent_render.cli.roots import Root
    from kagent_render.preparation.memo import Memo
    from kagent_render.revision.lock_history import LockHistory
    from kagent_render.source.reader import Reader
    from kagent_render.source.revision import GitRevision


class SidesHistory:
    """What output folders at several commits retain together; the first is the side that is gone on with."""

    def __init__(self, sides: Sequence[Reader], output: str) -> None:
        self._sides = sides
        self._output = output

    def lock(self, path: str) -> LockHistory | None:
        """The history in the locks at a path below the output folder."""
        found = [_recorded(side, full) for side in self._sides if side.exists(full := self._full(path))]
        known = [history for text in found if (history := read_history(text)) is not None]
        return functools.reduce(join_histories, known) if known else None

    def present(self, path: str) -> bytes | None:  # noqa: ARG002
        """Nothing: no lock has been written on top of these."""
        return None

    def manifest(self, path: str) -> bytes | None:
        """A manifest at the first side that has it."""
        full = self._full(path)
        return next((_recorded(side, full) for side in self._sides if side.exists(full)), None)

    def pair_locks(self) -> list[str]:
        """The locks of pairs at any side, by their paths below the output folder."""
        start = len(self._output) + 1
        paths = {path[start:] for side in self._sides for path in side.files(self._output).paths}
        return sorted(path for path in paths if _is_of_pair(path))

    def _full(self, path: str) -> str:
        return f"{self._output}/{path}"


def with_earlier_folder(files: GitRevision, place: str, output: str, now: Reader) -> Reader:
    """The files of the root at `place` at a commit; its output may have been elsewhere then.

    That is where the root had another `spec.output`, or was in another folder, which is no root of the
    repository any more: `now` are its files.
    """
    folder = folder_of(place, output)
    if files.tree(folder) is not None:
        return Subfolder(files, place)
    gone = []
    for known in roots_among(files.files().paths):
        if known != place and now.exists(config_path(known)):
            continue
        config, _ = read_config(Subfolder(files, known), config_path(""))
        if config is not None and files.tree(folder_of(known, config.output)) is not None:
            gone.append((known, config.output))
    earlier = likely_origins(place, gone)
    return Subfolder(MovedFolder(files, earlier, folder) if earlier else files, place)


class CommittedOutput:
    """The output folder at HEAD, or where a revision's output is kept; opened when it is first asked.

    In a merge it is what both sides committed: instances of either may be running. What a commit holds never
    changes, so `memo` keeps the histories of all locks by the commits' ids.
    """

    def __init__(self, root: Root, output: str, settings: Settings, memo: Memo) -> None:
        self._root = root
        self._output = output
        self._memo = memo
        self._at_head = root.repository is not None and settings.revision is None

    def lock(self, path: str) -> LockHistory | None:
        """The history in the lock at a path below the output folder."""
        if self._at_head:
            return self._histories.get(path)
        data = self._read(self._root.written, path)
        return read_history(data) if data is not None else None

    def present(self, path: str) -> bytes | None:
        """The lock at a path as it is read now; None where that is the history itself.

        In a merge it is one side's, which has let nothing of the other's go.
        """
        if not self._at_head or self._others:
            return None
        return self._read(self._root.committed, path)

    def manifest(self, path: str) -> bytes | None:
        """A manifest, from history or from the output as it is."""
        found = self._committed.manifest(path) if self._at_head else None
        return found if found is not None else self._read(self._root.written, path)

    @cached_property
    def _others(self) -> tuple[str, ...]:
        assert self._root.repository is not None
        return merged_commits(self._root.repository)

    @cached_property
    def _histories(self) -> dict[str, LockHistory]:
        """Every lock's history at HEAD, by its path below the output folder."""
        assert self._root.repository is not None
        commit = head_commit(self._root.repository)
        place = [self._root.place, self._output, program_identity()]
        key = digest_key(["histories", commit, *self._others, *place])
        known = self._memo.recall([key]).get(key) if commit is not None else None
        if known is not None:
            return decode_histories(known)
        found = {path: self._committed.lock(path) for path in self._committed.pair_locks()}
        histories = {path: history for path, history in found.items() if history is not None}
        # Whether the output has moved is for the files of now to say, and not for a commit.
        if commit is not None and self._is_at_home:
            self._memo.remember(key, encode_histories(histories))
        return histories

    @cached_property
    def _committed(self) -> SidesHistory:
        place, now = self._root.place, self._root.surroundings
        try:
            sides = [with_earlier_folder(files, place, self._output, now) for files in self._commits]
        except ReadError as error:
            raise _unknown(error) from None
        return SidesHistory(sides, self._output)

    @property
    def _is_at_home(self) -> bool:
        """Whether every commit has the output where it is now."""
        folder = folder_of(self._root.place, self._output)
        return all(files.tree(folder) is not None for files in self._commits)

    @cached_property
    def _commits(self) -> list[GitRevision]:
        """HEAD, and the other sides of a merge."""
        from kagent_render.source.revision import GitRevision

        assert self._root.repository is not None
        repository = self._root.repository
        try:
            head = [] if is_unborn(repository) else [GitRevision(repository, "HEAD")]
        except (RepositoryError, ReadError) as error:
            raise _unknown(error) from None
        others = (open_commit(repository, commit) for commit in self._others)
        return [*head, *(files for files in others if files is not None)]

    def _read(self, reader: Reader, path: str) -> bytes | None:
        try:
            return reader.read(f"{self._output}/{path}")
        except ReadError:
            return None


def _recorded(side: Reader, path: str) -> bytes:
    """A file that a commit has; without it nobody can tell what has to be retained."""
    try:
        return side.read(path)
    except ReadError as error:
        raise _unknown(error) from None


def _is_of_pair(path: str) -> bool:
    """Whether a path below the output folder is the lock of a pair."""
    return path.endswith(f"/{LOCK}") and path.split("/", 2)[1] != AGENT_PLUGINS


def _unknown(error: Exception) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"what HEAD retains cannot be read: {error}",
        "run `git fsck` and repair the repository, or fetch the objects that it lacks",
    )
