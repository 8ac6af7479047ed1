"""The two hash functions that name Git's objects."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hashlib import _Hash


@dataclass(frozen=True, slots=True)
class ObjectFormat:
    """A repository's hash function, by Git's name for it, and the bytes of its digests."""

    name: str
    size: int

    def hash(self, *parts: bytes | memoryview) -> _Hash:
        """The hash of all parts, one after another."""
        # Git's ids are addresses here; what content is pinned by is the sha256 over its tree.
        digest = hashlib.new(self.name, usedforsecurity=False)
        for part in parts:
            digest.update(part)
        return digest

    def object_id(self, kind: str, data: bytes) -> str:
        """The id of an object of a kind, in hex."""
        return self.hash(f"{kind} {len(data)}\0".encode(), data).hexdigest()

    def is_id(self, text: str) -> bool:
        """Whether `text` is an id of this format in lower-case hex."""
        return len(text) == 2 * self.size and not text.strip("0123456789abcdef")


SHA1: Final = ObjectFormat("sha1", 20)
SHA256: Final = ObjectFormat("sha256", 32)


def format_of_id(commit: str) -> ObjectFormat:
    """The format of a full id, told by its length."""
    return SHA256 if len(commit) == 2 * SHA256.size else SHA1


def named_format(name: str) -> ObjectFormat | None:
    """The format that Git calls so; None where there is none."""
    return next((known for known in (SHA1, SHA256) if known.name == name), None)
