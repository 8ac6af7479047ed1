"""The cache's entry of one source: which content was fetched for it.

Two lines: the sha256 of the second, and JSON. Its name is a digest of all that decides on the content.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.artifacts.source_identity import source_identity, source_of, source_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.api.hub import ArtifactSource

ENTRY_BYTES: Final = 64 << 10
"""The largest entry of a source; a longer one is not kept."""

FORMAT: Final = 1
"""Part of every name. Raise it whenever fetchers begin to give other content for a source than before."""

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_TREE_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


class EntryDamagedError(Exception):
    """A file of the cache that is not what it says; both texts stand in a sentence."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(f"expected {expected}, got {got}")


@dataclass(frozen=True, slots=True)
class Subject:
    """What content was fetched for: a source, and the settings that decided on the content with it."""

    source: ArtifactSource
    settings: Mapping[str, str]

    @property
    def key(self) -> str:
        """The name of the source's entry: equal for what gives the same content, and for nothing else."""
        return hashlib.sha256(encode_json({"format": FORMAT, **subject_document(self)})).hexdigest()


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """Which content belongs to a subject: the sha256 of its file, in hex, and the tree digest in it."""

    subject: Subject
    content: str
    tree_digest: str


def encode_entry(entry: SourceEntry) -> bytes:
    """The one spelling of an entry."""
    document = {
        **subject_document(entry.subject),
        "content": entry.content,
        "treeDigest": entry.tree_digest,
    }
    line = encode_json(document)
    return hashlib.sha256(line).hexdigest().encode() + b"\n" + line


def decode_entry(data: bytes) -> SourceEntry:
    """The entry that `data` spells; raises EntryDamagedError."""
    sealed, _, line = data.partition(b"\n")
    found = hashlib.sha256(line).hexdigest()
    seal = sealed.decode(errors="replace")
    if _SHA256.fullmatch(seal) and seal != found:
        raise EntryDamagedError(f"sha256 `{seal}`", f"`{found}`")
    try:
        document = json.loads(line)
        entry = SourceEntry(read_subject(document), document["content"], document["treeDigest"])
        digests = _SHA256.fullmatch(entry.content) and _TREE_DIGEST.fullmatch(entry.tree_digest)
        if digests and encode_entry(entry) == data:
            return entry
    except (KeyError, TypeError, ValueError, RecursionError):
        pass
    raise EntryDamagedError("the entry of an artifact", "something else")


def check_subject(found: Subject, wanted: Subject) -> None:
    """Raise EntryDamagedError where a file was written for another subject than the one it is read for."""
    if found.key == wanted.key:
        return
    expected, got = source_text(wanted.source), source_text(found.source)
    raise EntryDamagedError(expected, got if got != expected else "the same with other settings")


def subject_document(subject: Subject) -> dict[str, Any]:
    """The members that name a subject in every file of the cache."""
    return {"source": source_identity(subject.source), "settings": dict(subject.settings)}


def read_subject(document: Any) -> Subject:
    """The subject that a file names; raises KeyError, TypeError or ValueError."""
    settings = document["settings"]
    if not isinstance(settings, dict) or not all(isinstance(value, str) for value in settings.values()):
        raise ValueError("settings are texts by name")
    return Subject(source_of(document["source"]), settings)


def encode_json(value: object) -> bytes:
    """The one spelling of a JSON value; ASCII, so that every text has one."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
