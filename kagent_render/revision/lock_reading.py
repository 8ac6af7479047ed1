"""Reads the lock of a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_render.revision.lock import Lock, LockSchema
from kagent_render.revision.lock_document import KIND, document_revision, dump_lock
from kagent_render.revision.lock_file import LockKind, LockProblem, read_lock_file
from kagent_render.revision.lock_shape import decode_lock

if TYPE_CHECKING:
    from collections.abc import Mapping


def _revision(document: Mapping[str, Any]) -> str:
    return document_revision(document["spec"])


PREPARED_REVISION: Final[LockKind[Lock]] = LockKind(KIND, LockSchema(), decode_lock, _revision, dump_lock)
"""The kind of a pair's lock."""


def read_lock(text: bytes, path: str) -> Lock | LockProblem[Lock]:
    """The lock in the file `path` with the content `text`, or the first problem with it.

    A lock of a newer schema revision is read without the fields that this version does not know.
    """
    return read_lock_file(text, path, PREPARED_REVISION)
