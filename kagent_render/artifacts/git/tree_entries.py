"""The entries of one tree object."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.git.failure import malformed, too_large

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.artifacts.git.object_format import ObjectFormat

_TREE_BYTES: Final = 8 << 20
_DIRECTORY: Final = 0o040000
_LINK: Final = 0o120000
_SUBMODULE: Final = 0o160000
_FILES: Final = {0o100644: False, 0o100664: False, 0o100755: True}


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One name of a directory, with the id of what it names."""

    raw: bytes
    mode: int
    target: str

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory of this repository."""
        return self.mode == _DIRECTORY

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link, whose target is the blob's text."""
        return self.mode == _LINK

    @property
    def is_submodule(self) -> bool:
        """Whether it stands for a commit of another repository."""
        return self.mode == _SUBMODULE

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return self.mode in _FILES

    @property
    def is_executable(self) -> bool:
        """Whether it is a regular file that may be executed."""
        return _FILES.get(self.mode, False)


def read_tree(data: bytes, object_format: ObjectFormat) -> Mapping[str, TreeEntry]:
    """The entries of a tree by their names in NFC, as they are: what is unsafe is told where it is used."""
    from dulwich.errors import ObjectFormatException
    from dulwich.objects import parse_tree

    if len(data) > _TREE_BYTES:
        raise too_large(f"a directory has more than {_TREE_BYTES >> 20} MiB of names")
    entries: dict[str, TreeEntry] = {}
    try:
        for raw, mode, target in parse_tree(data, object_format.size):
            name = unicodedata.normalize("NFC", raw.decode(errors="surrogateescape"))
            if b"/" in raw or not raw:
                raise malformed("a directory with a name that is none")
            if name in entries:
                twice = entries[name].raw == raw
                raise ArchiveRefused(Refusal.DUPLICATE if twice else Refusal.SAME_WHEN_FOLDED, name)
            entries[name] = TreeEntry(raw, mode, target.decode())
    except (ObjectFormatException, ValueError, OverflowError):
        raise malformed("a malformed directory") from None
    return entries
