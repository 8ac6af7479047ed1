"""What is asked of a Git repository, wherever it is: the commit of a ref, and objects by their ids."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

HISTORY: Final = 32
"""How many commits before the tip are looked through, by first parents, for a pair's last good revision."""

MAX_BLOB: Final = 8 << 20
"""The largest file that is read, in bytes: an ActorTemplate of June 2026 can have 4 MiB of variables."""

MAX_TREE: Final = 8 << 20
"""The largest folder that is read, in bytes of its names."""

_REF: Final = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\/.@-][^\x00-\x20\x7f~^:?*\[\\]{0,250}")


class RefError(Exception):
    """The ref cannot be read now: gone, unreachable, not allowed; one sentence without credentials."""


class ObjectError(Exception):
    """One object that is missing, damaged, of another kind or too large; one sentence."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit by its full id, the id of its tree, and of its first parent; empty where it has none."""

    id: str
    tree: str
    parent: str


class Repository(Protocol):
    """A repository and one of its refs; used by one thread."""

    @property
    def place(self) -> str:
        """The ref and where it is, fit for a message."""
        ...

    def tip(self) -> Commit:
        """The commit that the ref names now, its trees at hand; raises RefError."""
        ...

    def ancestor(self, commit: str) -> Commit:
        """A commit of the history, its trees at hand; raises ObjectError where history was cut off."""
        ...

    def tree(self, name: str) -> bytes:
        """The bytes of a tree; raises ObjectError."""
        ...

    def gather(self, blobs: Collection[str]) -> None:
        """Have blobs at hand that will be asked for, as far as there are such; raises RefError."""
        ...

    def blob(self, name: str) -> bytes:
        """The bytes of a blob that was gathered.

        Raises ObjectError and RefError, and ValueError for more than `MAX_BLOB` bytes.
        """
        ...


def ref_names(ref: str) -> Sequence[str]:
    """The full names that a ref may mean, the first that exists is meant; raises ValueError at none.

    A branch comes before a tag: who may tag cannot take the place of a branch.
    """
    if ref == "HEAD":
        return ("HEAD",)
    if not _REF.fullmatch(ref) or ".." in ref or "@{" in ref or "//" in ref or ref.endswith(("/", ".")):
        raise ValueError("the ref is not the name of a branch or a tag, nor `HEAD` or a full name")
    if ref.startswith("refs/"):
        return (ref,)
    return (f"refs/heads/{ref}", f"refs/tags/{ref}")


def read_commit(name: str, data: bytes) -> Commit:
    """The first lines of a commit; raises ObjectError."""
    head = data.partition(b"\n\n")[0].decode(errors="replace").split("\n")
    fields = [line.partition(" ") for line in head]
    tree = next((value for word, _, value in fields[:1] if word == "tree"), "")
    parent = next((value for word, _, value in fields[1:] if word == "parent"), "")
    if not is_id(tree) or (parent and not is_id(parent)):
        raise ObjectError(f"the commit `{name}` is malformed")
    return Commit(name, tree, parent)


def is_id(text: str) -> bool:
    """Whether `text` is a full id of either object format."""
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")


def too_large(name: str) -> ValueError:
    """What is said of a file that is not read."""
    return ValueError(f"the file `{name}` is larger than {MAX_BLOB >> 20} MiB")
