"""A file whose objects are known without reading them, until somebody asks where a field is written."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kagent_render.source.objects import read_objects
from kagent_render.source.reader import ReadError

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.source.document import Document
    from kagent_render.source.reader import Reader


class KnownFile:
    """One file of known bytes, by their SHA-256."""

    def __init__(self, reader: Reader, path: str, digest: str) -> None:
        self._reader = reader
        self._path = path
        self._digest = digest

    @cached_property
    def documents(self) -> list[Document]:
        """The file's objects, read now; none where the file is no longer what it was."""
        try:
            data = self._reader.read(self._path)
        except ReadError:
            return []
        return read_objects(self._path, data) if hashlib.sha256(data).hexdigest() == self._digest else []


@dataclass(frozen=True, slots=True, eq=False)
class KnownLocator:
    """Locates the fields of the object `number` of a known file; the file's start where that has changed."""

    file: KnownFile
    number: int

    def locate(self, field: FieldPath) -> tuple[int, int]:
        """The place of a mapping entry's key, or of a list item's first character."""
        documents = self.file.documents
        return documents[self.number].locator.locate(field) if documents else (1, 1)

    def locate_literal(self, field: FieldPath) -> tuple[int, int] | None:
        """The first line of a literal block's text, and the indentation of its lines."""
        documents = self.file.documents
        return documents[self.number].locator.locate_literal(field) if documents else None
