"""What earlier runs read: a file of the same bytes is neither parsed nor validated again.

Only files about which there was nothing to tell are remembered, and none with a Secret or what makes one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.decoding import Decoded, decode_document, known_as
from kagent_render.api.plain_form import from_plain_form, plain_form
from kagent_render.preparation.memo import digest_key
from kagent_render.source.document import Document
from kagent_render.source.known_file import KnownFile, KnownLocator

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from kagent_render.preparation.memo import Memo
    from kagent_render.source.reader import Reader

_NEVER: Final = ("Secret", "ExternalSecret", "SealedSecret")
_PRIVATE_ADDRESS: Final = re.compile(rb'://[^\s"]*[@?]')
"""User information and the query of an address: where a file without a Secret may carry a credential."""

_LARGEST: Final = 1024 * 1024
"""Bytes of the largest entry: aliases may make far more of a file than it is."""


class KnownFiles:
    """The files of one root in the memo of earlier runs of this very `program`."""

    def __init__(self, memo: Memo, program: str, reader: Reader) -> None:
        self._memo = memo
        self._prefix = digest_key(["file", program])
        self._reader = reader
        self._known: dict[Document, Decoded] = {}
        self._new: dict[str, str] = {}
        self._decoded: defaultdict[str, list[Decoded]] = defaultdict(list)

    def recall(self, contents: Mapping[str, bytes]) -> dict[str, list[Document]]:
        """The objects of those files that are known, by path."""
        digests = {path: hashlib.sha256(data).hexdigest() for path, data in contents.items()}
        keys = {path: self._prefix + digest for path, digest in digests.items()}
        found = self._memo.recall(keys.values())
        recalled = {}
        for path, key in keys.items():
            if key not in found:
                self._new[path] = key
                continue
            file = KnownFile(self._reader, path, digests[path])
            decoded = {item.document: item for item in _read_entry(found[key], file, path)}
            self._known.update(decoded)
            recalled[path] = list(decoded)
        return recalled

    def decode(self, document: Document) -> Decoded:
        """What a document gives, decoded now unless it is known."""
        known = self._known.get(document)
        if known is not None:
            return known
        decoded = decode_document(document)
        self._decoded[document.path].append(decoded)
        return decoded

    def remember(self, faulty: Collection[str]) -> None:
        """Keep what was read and decoded since, except of the files that are `faulty`."""
        for path, key in self._new.items():
            entry = _entry(self._decoded[path]) if path not in faulty else None
            if entry is not None:
                self._memo.remember(key, entry)


def _entry(decoded: Iterable[Decoded]) -> bytes | None:
    """The objects of one file as a memo keeps them; None where it must not, or cannot, keep them."""
    items: list[Any] = []
    for item in decoded:
        if item.diagnostics or item.document.ref.kind in _NEVER:
            return None
        resource = plain_form(item.resource) if item.resource is not None else None
        items.append([item.document.prefix, item.document.value, resource])
    try:
        content = json.dumps(items, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except ValueError:
        return None  # JSON has no word for some number or character
    return content if len(content) <= _LARGEST and not _PRIVATE_ADDRESS.search(content) else None


def _read_entry(content: bytes, file: KnownFile, path: str) -> Iterator[Decoded]:
    for number, (prefix, value, resource) in enumerate(json.loads(content)):
        document = Document(path, value, KnownLocator(file, number), tuple(prefix))
        yield known_as(document, from_plain_form(resource, document) if resource is not None else None)
