"""All objects that came for one commit, from however many packs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.git.failure import (
    GitFailure,
    malformed,
    mismatch,
    not_found,
    too_large,
    unfetched,
)
from kagent_render.artifacts.git.tree_entries import read_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kagent_render.artifacts.git.object_format import ObjectFormat
    from kagent_render.artifacts.git.pack import GitObject, Pack
    from kagent_render.artifacts.git.tree_entries import TreeEntry

_TREES_BYTES: Final = 32 << 20  # of all directories that are looked at; in memory they take ten times as much


class Objects:
    """Objects by id; what is asked for and did not come is told as the lie or the gap that it is."""

    def __init__(self, object_format: ObjectFormat, commit: str) -> None:
        self._format = object_format
        self._commit = commit
        self._packs: list[Pack] = []
        self._trees: dict[str, Mapping[str, TreeEntry]] = {}
        self._trees_bytes = 0

    def __contains__(self, name: str) -> bool:
        return any(name in pack for pack in self._packs)

    def add(self, pack: Pack) -> None:
        """Add what one answer brought."""
        self._packs.append(pack)

    def root(self) -> str:
        """The id of the commit's tree."""
        found = self._read(self._commit, "commit")
        if found.kind != "commit":
            raise not_found(
                f"the id is that of a {found.kind} and not of a commit",
                "pin the commit itself: `git rev-parse NAME^{commit}` prints its id",
            )
        return self._tree_of(found.data)

    def tree(self, name: str) -> Mapping[str, TreeEntry]:
        """The entries of a tree by their names in NFC."""
        if name not in self._trees:
            found = self._read(name, "tree")
            if found.kind != "tree":
                raise malformed(f"a {found.kind} in the place of a tree")
            self._trees_bytes += len(found.data)
            if self._trees_bytes > _TREES_BYTES:
                raise too_large(f"its directories have more than {_TREES_BYTES >> 20} MiB of names")
            self._trees[name] = read_tree(found.data, self._format)
        return self._trees[name]

    def blob(self, name: str) -> bytes:
        """The bytes of a blob."""
        found = self._read(name, "blob")
        if found.kind != "blob":
            raise malformed(f"a {found.kind} in the place of a blob")
        return found.data

    def _read(self, name: str, kind: str) -> GitObject:
        for pack in self._packs:
            if name in pack:
                return pack.read(name)
        raise self._absent(name, kind)

    def _absent(self, name: str, kind: str) -> GitFailure:
        """Something of the same kind that nothing refers to came in the place of what is missing."""
        strangers = {found for pack in self._packs for found, its in pack if its == kind}
        strangers.difference_update(self._referred(kind))
        if strangers:
            return mismatch(f"the server sent another {kind}", name, min(strangers))
        return unfetched(
            f"the server left out the {kind} `{name}`",
            "run `git fsck` on the repository where it is served",
        )

    def _referred(self, kind: str) -> Iterator[str]:
        """The ids that the commits and trees that came refer to."""
        for pack in self._packs if kind != "commit" else ():
            for name, its in pack:
                if its == "commit":
                    yield self._tree_of(pack.read(name).data)
                elif its == "tree":
                    yield from (entry.target for entry in self.tree(name).values())

    def _tree_of(self, commit: bytes) -> str:
        """What the first line of a commit names."""
        word, _, name = commit.partition(b"\n")[0].partition(b" ")
        tree = name.decode(errors="replace")
        if word != b"tree" or not self._format.is_id(tree):
            raise malformed("a commit without a tree")
        return tree


def absent_from(objects: Objects, names: Iterable[str]) -> list[str]:
    """Which of `names` did not come, each once."""
    return [name for name in dict.fromkeys(names) if name not in objects]
