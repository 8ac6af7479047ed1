"""The objects that a server sent, by ids that were computed from what came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.revisions.repository import MAX_TREE, ObjectError, read_commit
from kagent_apply.revisions.trees import read_entries
from kagent_render.artifacts.git.failure import too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_apply.revisions.repository import Commit
    from kagent_render.artifacts.git.pack import Pack

_ALL_TREES: Final = 64 << 20
"""Bytes of all trees together; each is held, so that what comes next can leave out what did not change."""


class RemoteObjects:
    """Commits and trees as long as they are needed, files until `drop_files`."""

    def __init__(self) -> None:
        self._commits: dict[str, Commit] = {}
        self._trees: dict[str, bytes] = {}
        self._trees_bytes = 0
        self._packs: list[Pack] = []

    def add(self, pack: Pack) -> None:
        """Add what one answer brought; raises GitFailure beyond what is held."""
        for name, kind in pack:
            if kind == "commit" and name not in self._commits:
                self._commits[name] = read_commit(name, pack.read(name).data)
            elif kind == "tree" and name not in self._trees:
                self._add_tree(name, pack.read(name).data)
        self._packs.append(pack)

    def _add_tree(self, name: str, data: bytes) -> None:
        """Hold one more, whose bytes deltas may have made of nearly nothing."""
        self._trees[name] = data
        self._trees_bytes += len(data)
        if self._trees_bytes > _ALL_TREES:
            self._keep_trees({})
            raise too_large(f"its folders have more than {_ALL_TREES >> 20} MiB of names")

    def _keep_trees(self, trees: dict[str, bytes]) -> None:
        self._trees = trees
        self._trees_bytes = sum(map(len, trees.values()))

    def has_commit(self, name: str) -> bool:
        """Whether a commit came."""
        return name in self._commits

    def commit(self, name: str) -> Commit:
        """A commit; raises ObjectError."""
        if name not in self._commits:
            raise ObjectError(f"the server did not send the commit `{name}`")
        return self._commits[name]

    def tree(self, name: str) -> bytes:
        """The bytes of a tree; raises ObjectError."""
        if name not in self._trees:
            raise ObjectError(f"the server did not send the tree `{name}`")
        if len(self._trees[name]) > MAX_TREE:
            raise ObjectError(f"the tree `{name}` is larger than {MAX_TREE >> 20} MiB")
        return self._trees[name]

    def has_blob(self, name: str) -> bool:
        """Whether a file came."""
        return any(name in pack for pack in self._packs)

    def blob(self, name: str) -> bytes:
        """The bytes of a file; raises ObjectError."""
        for pack in self._packs:
            if name in pack:
                found = pack.read(name)
                if found.kind != "blob":
                    raise ObjectError(f"the {found.kind} `{name}` stands in the place of a file")
                return found.data
        raise ObjectError(f"the server did not send the file `{name}`")

    def drop_files(self) -> None:
        """Forget what only one reading needs."""
        self._packs.clear()

    def holds_all_of(self, commit: str) -> bool:
        """Whether the commit came, and every tree of it."""
        return commit in self._commits and all(name in self._trees for name in self._reachable(commit))

    def keep_only(self, commit: str) -> None:
        """Forget every other commit, and the trees that are none of this one."""
        reachable = frozenset(self._reachable(commit))
        self._commits = {commit: self._commits[commit]}
        self._keep_trees({name: data for name, data in self._trees.items() if name in reachable})

    def _reachable(self, commit: str) -> Iterator[str]:
        """The ids of a commit's trees, those that did not come or cannot be read too."""
        pending, seen = [self._commits[commit].tree], set[str]()
        while pending:
            name = pending.pop()
            if name not in seen:
                seen.add(name)
                yield name
                pending += self._below(name)

    def _below(self, name: str) -> list[str]:
        try:
            entries = read_entries(name, self.tree(name))
        except ObjectError:
            return []
        return [entry.id for entry in entries.values() if entry.is_folder]
