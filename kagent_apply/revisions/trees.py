"""Folders and files of a commit, by the ids of its trees."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.revisions.memo import Memo
from kagent_apply.revisions.repository import ObjectError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kagent_apply.revisions.repository import Repository

_UNSAFE: Final = frozenset(("", ".", ".."))
_ID_BYTES: Final = {40: 20, 64: 32}
_DIRECTORY: Final = stat.S_IFDIR


@dataclass(frozen=True, slots=True)
class Entry:
    """One name of a folder: Git's mode of what it names, and its id."""

    mode: int
    id: str

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of this repository: neither a link nor a submodule."""
        return stat.S_IFMT(self.mode) == _DIRECTORY

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file: no link, which would lead elsewhere."""
        return stat.S_ISREG(self.mode)


class Trees:
    """The folders of one repository's commits; what two commits share is read once."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._entries: Memo[str, Mapping[str, Entry]] = Memo()

    def entries(self, tree: str) -> Mapping[str, Entry]:
        """What a folder holds, by name; raises ObjectError. Names that no path can have are left out."""
        return self._entries.get(tree, lambda: read_entries(tree, self._repository.tree(tree)))

    def entry(self, tree: str, path: str) -> Entry | None:
        """What is at a path below a folder, reached without a link; raises ObjectError."""
        *folders, name = path.split("/")
        for folder in folders:
            found = self.entries(tree).get(folder)
            if found is None or not found.is_folder:
                return None
            tree = found.id
        return self.entries(tree).get(name)

    def folder(self, tree: str, path: str) -> str | None:
        """The id of a folder's tree; None where no folder is. Raises ObjectError."""
        found = self.entry(tree, path) if path else Entry(_DIRECTORY, tree)
        return found.id if found is not None and found.is_folder else None

    def file(self, tree: str, path: str) -> str | None:
        """The id of a regular file's blob; None where nothing is.

        Raises ObjectError, and ValueError where something else is.
        """
        found = self.entry(tree, path)
        if found is not None and not found.is_file:
            raise ValueError(f"`{path}` is no regular file")
        return None if found is None else found.id

    def gather(self, blobs: Collection[str]) -> None:
        """Have files at hand that will be read; raises RefError."""
        if blobs:
            self._repository.gather(blobs)

    def blob(self, name: str) -> bytes:
        """The content of a file by its id; raises ObjectError and RefError."""
        return self._repository.blob(name)

    def turn(self) -> None:
        """Forget the folders that no reading needed since the last turn."""
        self._entries.turn()


def read_entries(tree: str, data: bytes) -> Mapping[str, Entry]:
    """The entries of a tree; raises ObjectError. Names that no path can have are left out."""
    from dulwich.errors import ObjectFormatException
    from dulwich.objects import parse_tree

    entries: dict[str, Entry] = {}
    try:
        for raw, mode, target in parse_tree(data, _ID_BYTES[len(tree)]):
            name = raw.decode(errors="ignore")
            if name.encode() == raw and name not in _UNSAFE and "/" not in name:
                entries.setdefault(name, Entry(mode, target.decode()))
    except (ObjectFormatException, ValueError, OverflowError, AssertionError):
        raise ObjectError(f"the tree `{tree}` is malformed") from None
    return entries
